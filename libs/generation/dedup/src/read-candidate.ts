import { sha256Hex } from '@h/contracts';
import type { CompiledForms } from './compile-python.ts';
import { mixedSnapshots } from './errors.ts';
import { normalizeTree } from './normalize-tree.ts';
import { type BytesReason, lexWhole, type Program, type ProgramParser, readProgram } from './read-program.ts';
import { renameLocals } from './rename-locals.ts';

/** A content before or after a change, and what was read of it. */
interface Content {
  readonly bytes: Uint8Array;
  readonly program: Program;
  /** Words by rung, made when first asked for. */
  readonly forms: Map<FormRung, readonly string[]>;
}

export type FormRung = 'tokens' | 'tree' | 'names' | 'compiler';

/** A candidate's files that differ from the snapshot, sorted by path. */
export interface ReadCandidate {
  readonly files: readonly ChangedFile[];
  readonly asBytes: readonly { readonly path: string; readonly why: BytesReason }[];
}

interface ChangedFile {
  readonly path: string;
  readonly before: Content | undefined;
  readonly after: Content | undefined;
}

interface FileChange {
  readonly path: string;
  readonly before?: string | Uint8Array;
  readonly after?: string | Uint8Array;
}

interface ReaderOptions {
  readonly parser: ProgramParser;
  readonly profile: 'tokens' | 'seed';
}

/** Reads candidates against one snapshot, whose files are read once. */
export function candidateReader({ parser, profile }: ReaderOptions) {
  const snapshot = new Map<string, Content | undefined>();
  const baseOf = (path: string, given: string | Uint8Array | undefined, candidate: string) => {
    const bytes = asByteArray(given);
    if (!snapshot.has(path)) {
      snapshot.set(path, bytes && { bytes, program: readProgram(path, bytes, parser, profile), forms: new Map() });
    }
    const known = snapshot.get(path);
    if (!sameBytes(known?.bytes, bytes)) throw mixedSnapshots(path, candidate);
    return known;
  };
  return (candidate_id: string, given: readonly FileChange[]): ReadCandidate => {
    const files: ChangedFile[] = [];
    const asBytes: { path: string; why: BytesReason }[] = [];
    for (const { path, ...file } of [...given].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
      const before = baseOf(path, file.before, candidate_id);
      const bytes = asByteArray(file.after);
      if (sameBytes(before?.bytes, bytes)) continue;
      const program = bytes && readProgram(path, bytes, parser, profile, before?.program);
      if (program !== undefined && 'why' in program) asBytes.push({ path, why: program.why });
      files.push({ path, before, after: bytes && program && { bytes, program, forms: new Map() } });
    }
    return { files, asBytes };
  };
}

/** Per changed file how its bytes differ from the snapshot's. */
export function bytesForm({ files }: ReadCandidate): unknown[] {
  return files.map(({ path, after }) => (after === undefined ? [path, 'deleted'] : [path, sha256Hex(after.bytes)]));
}

/** Per changed file how its form at a rung differs from the snapshot's; files of the same form are left out. */
export function candidateForm(
  { files }: ReadCandidate,
  rung: FormRung,
  parser: ProgramParser,
  compiled?: CompiledForms,
): unknown[] {
  return files.flatMap(({ path, before, after }): unknown[] => {
    if (after === undefined) return [[path, 'deleted']];
    const words = formOf(after, rung, parser, compiled);
    if (words === undefined) return [[path, 'bytes', sha256Hex(after.bytes)]];
    if (before === undefined) return [[path, 'created', ...words]];
    const difference = differenceOf(formOf(before, rung, parser, compiled) ?? [], words);
    return difference === undefined ? [] : [[path, ...difference]];
  });
}

function formOf(
  content: Content,
  rung: FormRung,
  parser: ProgramParser,
  compiled: CompiledForms | undefined,
): readonly string[] | undefined {
  const { program, forms } = content;
  if (!('words' in program)) return undefined;
  if (rung === 'tokens' || program.source === undefined) return program.words;
  const known = forms.get(rung);
  if (known !== undefined) return known;
  const digest = rung === 'compiler' ? compiled?.digests.get(sha256Hex(content.bytes)) : undefined;
  const words =
    digest === undefined
      ? treeForm(program, rung !== 'tree', parser)
      : ['compiled', digest, ...program.words.filter((word) => word.startsWith('#'))];
  forms.set(rung, words);
  return words;
}

/** A text that was read by its change alone is lexed whole here. */
function treeForm(
  program: Extract<Program, { words: unknown }>,
  isRenamed: boolean,
  parser: ProgramParser,
): readonly string[] {
  const { words, source } = program;
  if (source === undefined) return words;
  const { text, language } = source;
  const lexed = source.lexed ?? lexWhole(text, language, parser);
  if (typeof lexed === 'string') return words;
  const tree = parser.flatTree(text, language);
  const labels = isRenamed ? renameLocals(tree, parser.names(text, language)) : undefined;
  return [words[0] ?? '', ...normalizeTree(tree, lexed.form, labels)];
}

/** Words both sides share at the start and at the end, and the new ones between; undefined when there is no difference. */
function differenceOf(base: readonly string[], words: readonly string[]): (string | number)[] | undefined {
  const shorter = Math.min(base.length, words.length);
  let start = 0;
  while (start < shorter && base[start] === words[start]) start++;
  if (start === base.length && start === words.length) return undefined;
  let end = 0;
  while (end < shorter - start && base[base.length - 1 - end] === words[words.length - 1 - end]) end++;
  return ['edited', start, end, ...words.slice(start, words.length - end)];
}

function asByteArray(content: string | Uint8Array | undefined): Uint8Array | undefined {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
