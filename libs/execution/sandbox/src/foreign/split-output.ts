/** How a run in a place went, as far as its wrapper has told. */
export interface Told {
  /** The wrapper runs. */
  readonly reached: boolean;
  /** The command was begun. */
  readonly began: boolean;
  /** Why it was not. */
  readonly refused?: string;
  readonly end?: ToldEnd;
  /** The archive of collected files, in base64; absent until it is whole. */
  readonly archive?: string;
}

export interface ToldEnd {
  readonly code: number;
  /** Whether processes of the command were found alive after it, and ended. */
  readonly left: boolean;
  /** Files in the archive, and the SHA-256 of it. */
  readonly count: number;
  readonly sha: string;
}

export interface Splitter {
  add(chunk: Uint8Array): void;
  /** No more will come. */
  finish(): void;
  told(): Told;
}

export interface SplitterOptions {
  readonly mark: string;
  /** Takes what is the command's own. */
  readonly onText: (chunk: Uint8Array) => void;
  /** Takes what came before anything was begun. */
  readonly onNoise: (chunk: Uint8Array) => void;
  readonly onReach: () => void;
  readonly onBegin: () => void;
  readonly onEnd: () => void;
  /** Bytes of an archive that are kept. */
  readonly mostBytes: number;
}

/** Longest word between the brackets of a mark. */
const MARK_BYTES = 200;
/** So many of a mark's first bytes, which are drawn for each run, nobody writes by chance. */
const SURE_BYTES = 9;

/** Parts what a command writes from what its wrapper says around it, in chunks cut anywhere. */
export function splitOutput({ mark, onText, onNoise, onReach, onBegin, onEnd, mostBytes }: SplitterOptions): Splitter {
  const opening = Buffer.from(`[h:${mark}:`);
  const archive: Buffer[] = [];
  let held = Buffer.alloc(0);
  let size = 0;
  let told: Told = { reached: false, began: false };
  const emit = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    if (told.end !== undefined) {
      size += bytes.length;
      if (size <= mostBytes) archive.push(Buffer.from(bytes));
    } else if (told.began) onText(bytes);
    else onNoise(bytes);
  };
  const hear = (word: string) => {
    const [verb, ...rest] = word.split(' ');
    if (verb === 'here' && !told.reached) {
      told = { ...told, reached: true };
      onReach();
    } else if (verb === 'refused' && !told.began) told = { ...told, refused: rest.join(' ') };
    else if (verb === 'begin' && !told.began) {
      told = { ...told, began: true };
      onBegin();
    } else if (verb === 'end' && told.began && told.end === undefined) {
      const [code = '', left, count, sha = ''] = rest;
      if (!/^\d+$/.test(code)) return;
      told = { ...told, end: { code: Number(code), left: left === '1', count: Number(count), sha } };
      onEnd();
    } else if (verb === 'done' && told.end !== undefined && size <= mostBytes)
      told = { ...told, archive: Buffer.concat(archive).toString('latin1') };
  };
  /** What is left after the last whole mark or text. */
  const consume = (bytes: Buffer): Buffer => {
    for (let rest = bytes; ; ) {
      const at = rest.indexOf(opening);
      const from = at === -1 ? rest.length - overlap(rest, opening) : at;
      emit(rest.subarray(0, from));
      rest = rest.subarray(from);
      if (at === -1) return rest;
      const [word, closing] = wordAt(rest, opening.length);
      if (closing === undefined && rest.length <= MARK_BYTES) return rest;
      const isMark = closing === ']';
      const past = isMark ? opening.length + word.length + 1 : opening.length;
      if (isMark) hear(word);
      else emit(rest.subarray(0, past));
      rest = rest.subarray(past);
    }
  };
  return {
    add(chunk) {
      const rest = consume(held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]));
      held = Buffer.from(rest);
    },
    finish() {
      // A mark that was cut, unless it is so short that the command may have written it.
      if (held.length < Math.min(SURE_BYTES, opening.length)) emit(held);
      held = Buffer.alloc(0);
    },
    told: () => told,
  };
}

/** Letters, digits, spaces and "-" from there on, and what follows them. */
function wordAt(bytes: Buffer, from: number): [word: string, closing: string | undefined] {
  const text = bytes.toString('latin1', from, from + MARK_BYTES);
  const word = /^[a-z0-9 -]*/.exec(text)?.[0] ?? '';
  return [word, text[word.length]];
}

/** Bytes at the end that may be the beginning of a mark. */
function overlap(bytes: Buffer, opening: Buffer): number {
  for (let length = Math.min(opening.length - 1, bytes.length); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(opening.subarray(0, length))) return length;
  return 0;
}
