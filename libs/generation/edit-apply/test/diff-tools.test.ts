// The diffs are put to the tools they are written for.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyEdits, type ChangedFile, type EditPackage } from '../src/index.ts';
import { byteString, randomEdit, randomFile, randomSource } from './random-edits.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'h-edit-apply-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Tree = Record<string, string>;

function writeTree(root: string, files: readonly (readonly [path: string, bytes: Uint8Array | undefined])[]): void {
  for (const [path, bytes] of files) {
    if (bytes === undefined) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  }
}

function readTree(root: string): Tree {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [path.slice(root.length + 1), byteString(readFileSync(path))]));
}

function treeOf(files: readonly ChangedFile[], side: 'before' | 'after'): Tree {
  const present = files.flatMap((file) =>
    file[side] === undefined ? [] : [[file.path, byteString(file[side])] as const],
  );
  return Object.fromEntries(present.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const TOOLS = {
  'git apply': (root: string, diff: string) =>
    spawnSync('git', ['apply', '--whitespace=nowarn', diff], { cwd: root, encoding: 'utf8' }),
  patch: (root: string, diff: string) =>
    spawnSync('patch', ['-p1', '--silent', '--no-backup-if-mismatch', '--fuzz=0', '-i', diff], {
      cwd: root,
      encoding: 'utf8',
    }),
} as const;
let runs = 0;

function checkWith(tool: keyof typeof TOOLS, files: Record<string, Uint8Array>, pack: EditPackage): void {
  const result = applyEdits(files, pack);
  if (result.status === 'rejected') throw new Error(JSON.stringify(result.rejection));
  const root = join(folder, String(runs++));
  mkdirSync(root);
  writeTree(
    root,
    result.files.map(({ path, before }) => [path, before]),
  );
  for (const [text, side] of [
    [result.record.unified_diff, 'after'],
    [result.record.inverse_diff, 'before'],
  ] as const) {
    const diff = `${root}.diff`;
    writeFileSync(diff, Buffer.from(text.data, text.encoding));
    const { status, stdout, stderr } = TOOLS[tool](root, diff);
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
    expect(readTree(root)).toEqual(treeOf(result.files, side));
  }
}

/** Many random one-file edits that apply, as one package. */
function randomPackage(seed: number, count: number): { files: Record<string, Uint8Array>; pack: EditPackage } {
  const files: Record<string, Uint8Array> = {};
  const entries: EditPackage['files'] = [];
  for (let i = 0; entries.length < count; i++) {
    const source = randomSource(seed * 10_007 + i);
    const file = randomFile(source);
    const { blocks = [], span } = randomEdit(source, file);
    const path = `d${i % 3}/file ${i}.txt`;
    const entry = { path, op: 'edit' as const, blocks, ...(span === undefined ? {} : { span }) };
    if (applyEdits({ [path]: file.bytes }, { files: [entry] }).status === 'rejected') continue;
    files[path] = file.bytes;
    entries.push(entry);
  }
  return { files, pack: { files: entries } };
}

const isInstalled = (tool: string) => spawnSync(tool.split(' ')[0] ?? '', ['--version']).status === 0;
const installed = (Object.keys(TOOLS) as (keyof typeof TOOLS)[]).filter(isInstalled);

test('one of the tools is here', () => {
  expect(installed).not.toEqual([]);
});

describe.each(installed)('%s accepts', (tool) => {
  test.each([1, 2, 3, 4, 5, 6])('the diff and the inverse of 50 random edits (draw %i)', (seed) => {
    const { files, pack } = randomPackage(seed, 50);
    checkWith(tool, files, pack);
  });

  const bytes = (text: string) => new TextEncoder().encode(text);
  const long = Array.from({ length: 60 }, (_, i) => `line ${i}\n`).join('');
  const packages: Record<string, [Record<string, Uint8Array>, EditPackage['files']]> = {
    'hunks apart and together': [
      { 'a.txt': bytes(long) },
      [
        {
          path: 'a.txt',
          op: 'edit',
          blocks: [3, 8, 16, 40, 59].map((n) => ({ search: `line ${n}\n`, replace: `${n}\n${n}\n` })),
        },
      ],
    ],
    'a created file': [{}, [{ path: 'new/a.txt', op: 'create', content: 'a\nb' }]],
    'a created empty file': [{}, [{ path: 'a.txt', op: 'create', content: '' }]],
    'a deleted empty file': [{ 'a.txt': bytes('') }, [{ path: 'a.txt', op: 'delete' }]],
    'a deleted file': [{ 'old.txt': bytes('a\r\nb\n') }, [{ path: 'old.txt', op: 'delete' }]],
    'a moved file': [{ 'a.txt': bytes('a\n') }, [{ path: 'a.txt', op: 'move', to: 'b/c.txt' }]],
    'a moved and edited file': [
      { 'a.txt': bytes(long) },
      [{ path: 'a.txt', op: 'move', to: 'b.txt', blocks: [{ search: 'line 30', replace: 'thirty' }] }],
    ],
    'a file that becomes empty': [{ 'a.txt': bytes('a\n') }, [{ path: 'a.txt', op: 'edit', content: '' }]],
    'a file that was empty': [{ 'a.txt': bytes('') }, [{ path: 'a.txt', op: 'edit', content: 'a\n' }]],
    'a whole new text': [
      { 'a.txt': bytes(long) },
      [{ path: 'a.txt', op: 'edit', content: long.replaceAll('1', 'one') }],
    ],
    'a name with a quote, a blank and an umlaut': [
      { 'ä "b" c.txt': bytes('a\n') },
      [{ path: 'ä "b" c.txt', op: 'edit', blocks: [{ search: 'a', replace: 'b' }] }],
    ],
    'a name that starts with a dash': [
      { '-n.txt': bytes('a\r\nb') },
      [{ path: '-n.txt', op: 'edit', blocks: [{ search: 'b', replace: 'c\nd' }] }],
    ],
    'a name with a tab': [
      { 'a\tb.txt': bytes('a\r\nb') },
      [{ path: 'a\tb.txt', op: 'edit', blocks: [{ search: 'b', replace: 'c\nd' }] }],
    ],
    'a name with a line end': [
      { 'a\nb.txt': bytes('a\r\nb') },
      [{ path: 'a\nb.txt', op: 'edit', blocks: [{ search: 'b', replace: 'c\nd' }] }],
    ],
    'a name with a blank at its end': [
      { 'd /a.txt ': bytes('a\r\nb') },
      [{ path: 'd /a.txt ', op: 'edit', blocks: [{ search: 'b', replace: 'c\nd' }] }],
    ],
    'a name in other scripts': [
      { '\u65e5\u672c/\ud83d\ude00.txt': bytes('a\r\nb') },
      [{ path: '\u65e5\u672c/\ud83d\ude00.txt', op: 'edit', blocks: [{ search: 'b', replace: 'c\nd' }] }],
    ],
    'a name like a prefix': [
      { 'a/b/a.txt': bytes('a\r\nb') },
      [{ path: 'a/b/a.txt', op: 'edit', blocks: [{ search: 'b', replace: 'c\nd' }] }],
    ],
    'a name with a dollar and stars': [
      { '$x*[1]?.txt': bytes('a\r\nb') },
      [{ path: '$x*[1]?.txt', op: 'edit', blocks: [{ search: 'b', replace: 'c\nd' }] }],
    ],
    'a created file with CRLF and no final line end': [{}, [{ path: 'n.txt', op: 'create', content: 'a\r\nb' }]],
    'a deleted file with CRLF and no final line end': [{ 'n.txt': bytes('a\r\nb') }, [{ path: 'n.txt', op: 'delete' }]],
    'a final line end that comes and one that goes': [
      { 'a.txt': bytes('a\nb'), 'b.txt': bytes('a\nb\n') },
      [
        { path: 'a.txt', op: 'edit', content: 'a\nb\n' },
        { path: 'b.txt', op: 'edit', content: 'a\nb' },
      ],
    ],
    'all of it at once': [
      { 'a.txt': bytes(long), 'd/b.txt': bytes('b\n'), 'c.txt': bytes('c\r\n') },
      [
        { path: 'a.txt', op: 'edit', blocks: [{ search: 'line 7\n', replace: '' }] },
        { path: 'd/b.txt', op: 'move', to: 'e/b.txt', blocks: [{ search: 'b', replace: 'B\nB' }] },
        { path: 'c.txt', op: 'delete' },
        { path: 'n/n.txt', op: 'create', content: 'n\n' },
      ],
    ],
    'a name with an umlaut': [
      { 'ä.txt': bytes('a\n') },
      [{ path: 'ä.txt', op: 'edit', blocks: [{ search: 'a', replace: 'b' }] }],
    ],
  };
  test.each(Object.entries(packages))('%s', (_, [files, entries]) => {
    checkWith(tool, files, { files: entries });
  });
});
