import type { ForeignFile } from './foreign-system.ts';

const BLOCK = 512;
const TYPE_BITS = 0o170000;
const LINK = 0o120000;
const REGULAR = 0o100000;

export interface TarOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Files as a POSIX archive (ustar with pax headers where a name is long or no ASCII), folders implied by their paths included. */
export function packTar(files: readonly ForeignFile[], { uid, gid }: TarOwner): Buffer {
  const parts: Buffer[] = [];
  const add = (name: string, type: string, mode: number, content: Buffer, link = '') => {
    if (needsPax(name) || needsPax(link)) {
      const records = [paxRecord('path', name), ...(link === '' ? [] : [paxRecord('linkpath', link)])].join('');
      const bytes = Buffer.from(records);
      parts.push(
        header({ name: 'pax', type: 'x', mode: 0o644, uid, gid, size: bytes.length, link: '' }),
        ...padded(bytes),
      );
    }
    parts.push(header({ name, type, mode, uid, gid, size: content.length, link }), ...padded(content));
  };
  for (const folder of foldersOf(files)) add(`${folder}/`, '5', 0o755, Buffer.alloc(0));
  for (const { path, mode = REGULAR | 0o644, bytes } of files) {
    if ((mode & TYPE_BITS) === LINK) add(path, '2', 0o777, Buffer.alloc(0), new TextDecoder().decode(bytes));
    else add(path, '0', mode & 0o777, Buffer.from(bytes));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function foldersOf(files: readonly ForeignFile[]): string[] {
  const folders = new Set<string>();
  for (const { path } of files)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
  return [...folders].sort();
}

function needsPax(name: string): boolean {
  return Buffer.byteLength(name) > 100 || /[^\x20-\x7e]/.test(name);
}

/** "<length> key=value\n", the length that of the whole record. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const size = Buffer.byteLength(rest);
  let length = size + String(size).length;
  if (size + String(length).length !== length) length += 1;
  return `${length}${rest}`;
}

function padded(content: Buffer): Buffer[] {
  const over = content.length % BLOCK;
  return over === 0 ? [content] : [content, Buffer.alloc(BLOCK - over)];
}

interface Header extends TarOwner {
  readonly name: string;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
  readonly link: string;
}

function header({ name, type, mode, uid, gid, size, link }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  block.write(name.slice(0, 100), 0, 100, 'utf8');
  octal(mode, 100, 8);
  octal(uid, 108, 8);
  octal(gid, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write(link.slice(0, 100), 157, 100, 'utf8');
  block.write('ustar\x0000', 257, 'latin1');
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}

/** Regular files of an archive as GNU tar, busybox or bsdtar write it; throws for what is none. */
export function unpackTar(archive: Buffer): ForeignFile[] {
  const files: ForeignFile[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const block = archive.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) return files;
    const size = readSize(block);
    const content = archive.subarray(at + BLOCK, at + BLOCK + size);
    const type = String.fromCharCode(block[156] ?? 0);
    if (content.length < size || !block.subarray(257, 262).equals(Buffer.from('ustar')))
      throw new Error('the archive is cut short, or none');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === 'x') longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(content.toString())?.[1] ?? longName;
    else if (type === 'L') longName = text(content);
    else if (type !== 'g' && type !== 'K') {
      const path = (longName ?? shortName(block)).replace(/^\.\//, '');
      longName = undefined;
      if (type === '0' || type === '\0')
        files.push({ path, mode: REGULAR | readOctal(block, 100, 8), bytes: Uint8Array.from(content) });
    }
  }
  throw new Error('the archive is cut short');
}

function shortName(block: Buffer): string {
  const prefix = block.subarray(257, 263).equals(Buffer.from('ustar\0')) ? text(block.subarray(345, 500)) : '';
  return `${prefix === '' ? '' : `${prefix}/`}${text(block.subarray(0, 100))}`;
}

function text(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end === -1 ? bytes.length : end).toString();
}

function readOctal(block: Buffer, at: number, length: number): number {
  return Number.parseInt(text(block.subarray(at, at + length)).trim() || '0', 8);
}

/** Octal, or binary where it would not fit. */
function readSize(block: Buffer): number {
  return (block[124] ?? 0) & 0x80 ? Number(block.readBigUInt64BE(128)) : readOctal(block, 124, 12);
}
