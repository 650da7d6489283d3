// Verdicts against CPython's compile() and `node --check`. These tests start processes; the library never does.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSyntaxChecker } from '../src/index.ts';

const fixture = (name: string): string[] =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')) as string[];
const folder = mkdtempSync(join(tmpdir(), 'h-syntax-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const indented = (header: string, levels: number): string =>
  `${Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}${header}\n`).join('')}${' '.repeat(levels)}pass\n`;
const python = [
  ...fixture('python-snippets.json'),
  ...[150, 200, 201, 250].map((count) => `${'('.repeat(count)}1${')'.repeat(count)}\n`),
  ...[99, 100].map((count) => indented('if x:', count)),
  ...[20, 21, 22].map((count) => indented('for x in y:', count)),
  ...[4300, 4301].map((count) => `${'9'.repeat(count)}\n`),
  `x = ${Array.from({ length: 900 }, () => 'a').join(' + ')}\n`,
];

/** Differences we know of, each with the versions it is seen in; see "What does not hold" in the README. */
const KNOWN_PYTHON: readonly [snippet: string, minors: readonly number[]][] = [
  ['with (a, b): pass\n', [8]],
  ['del __debug__\n', [9]],
  ['a.__debug__ += 1\n', [8]],
  ['x += *a, b\n', [8]],
  ['from __future__ import annotations\ndef f():\n  def g() -> (yield): pass\n', [8, 9]],
  ['from __future__ import annotations\ndef f(a: (y:=1)): pass\n', [8, 9]],
  ['from __future__ import annotations as a\nx: (yield)\n', [8, 9]],
  [`${'('.repeat(150)}1${')'.repeat(150)}\n`, [8]],
  [`${'('.repeat(200)}1${')'.repeat(200)}\n`, [8]],
  [`${'('.repeat(100)}${')'.repeat(100)}\n`, [8]],
];

const COMPILE = `
import json, sys, warnings
warnings.simplefilter('ignore')
verdicts = []
for text in json.load(open(sys.argv[1])):
    try:
        compile(text[text[:1] == '\\ufeff':], '<snippet>', 'exec', dont_inherit=True)
        verdicts.append(None)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        verdicts.append(str(error))
print(json.dumps([sys.version_info[:2], verdicts]))
`;

/** \`python3\`, and every other interpreter of 3.8 to 3.13 that the host happens to have. */
function interpreters(): string[] {
  const minors = [8, 9, 10, 11, 12, 13];
  const versions = join(homedir(), '.pyenv', 'versions');
  const installed = existsSync(versions) ? (JSON.parse(list(versions)) as string[]) : [];
  const pyenv = installed
    .filter((name) => minors.some((minor) => name.startsWith(`3.${minor}.`)))
    .map((name) => join(versions, name, 'bin', 'python'));
  const named = minors.map((minor) => `python3.${minor}`);
  const byVersion = new Map<string, string>();
  for (const path of ['python3', ...named, ...pyenv]) {
    const { status, stdout } = spawnSync(path, ['-c', 'import sys; print(sys.version_info[1])'], { encoding: 'utf8' });
    if (status === 0 && !byVersion.has(stdout)) byVersion.set(stdout, path);
  }
  return [...byVersion.values()];
}

function list(path: string): string {
  return spawnSync(process.execPath, ['-p', 'JSON.stringify(fs.readdirSync(process.argv[1]))', path]).stdout.toString();
}

function compileAll(executable: string): { minor: number; verdicts: (string | null)[] } {
  const file = join(folder, 'snippets.json');
  writeFileSync(file, JSON.stringify(python));
  const { stdout } = spawnSync(executable, ['-c', COMPILE, file], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const [[, minor], verdicts] = JSON.parse(stdout) as [[number, number], (string | null)[]];
  return { minor, verdicts };
}

describe('createSyntaxChecker against compile()', () => {
  it.each(interpreters())('%s', async (executable) => {
    const { minor, verdicts } = compileAll(executable);
    expect(minor).toBeGreaterThanOrEqual(8);
    const checker = await createSyntaxChecker(['python']);
    const differences = python.flatMap((text, index) => {
      const found = checker.check(text, 'python', { pythonVersion: `3.${minor}` });
      const cpython = verdicts[index] ?? null;
      if ((found.length === 0) === (cpython === null)) return [];
      const isKnown = KNOWN_PYTHON.some(([snippet, minors]) => snippet === text && minors.includes(minor));
      return isKnown ? [] : [{ text: text.slice(0, 200), cpython, ours: found[0]?.message ?? null }];
    });
    expect(python.length).toBeGreaterThan(60);
    expect(differences).toEqual([]);
    checker.dispose();
  });
});

/** oxc reads newer syntax than the Node that runs, and takes assignment to a call, which always throws, for an error. */
const KNOWN_JAVASCRIPT = new Set([
  'f() = 1;\n',
  'f()++;\n',
  'for (f() of b) {}\n',
  'for (f() in b) {}\n',
  'let (a) = 1;\n',
  '@dec class A {}\n',
  'using x = y;\n',
]);

/** One process checks every snippet: \`vm\` compiles as \`node --check\` does, without running. */
const NODE_CHECK = `
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const vm = require('node:vm');
const [file, type] = process.argv.slice(1);
const names = ['exports', 'require', 'module', '__filename', '__dirname'];
const verdicts = JSON.parse(fs.readFileSync(file, 'utf8')).map((text) => {
  const source = text.replace(/^\\ufeff/, '');
  try {
    if (type === 'module') new vm.SourceTextModule(source);
    else vm.compileFunction(source.replace(/^#!.*/, ''), names);
    return null;
  } catch (error) {
    return String(error);
  }
});
console.log(JSON.stringify(verdicts));
`;

function nodeVerdicts(snippets: readonly string[], type: 'module' | 'script'): (string | null)[] {
  const file = join(folder, 'snippets-node.json');
  writeFileSync(file, JSON.stringify(snippets));
  const args = ['--no-warnings', '--experimental-vm-modules', '-e', NODE_CHECK, file, type];
  return JSON.parse(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout) as (string | null)[];
}

/** The real thing, one process a snippet. */
function nodeCheck(text: string, type: 'module' | 'script'): boolean {
  const file = join(folder, type === 'module' ? 'snippet.mjs' : 'snippet.cjs');
  writeFileSync(file, text);
  return spawnSync(process.execPath, ['--check', file]).status === 0;
}

describe('createSyntaxChecker against node --check', () => {
  const snippets = fixture('javascript-snippets.json');
  it.each(['module', 'script'] as const)('%s', async (type) => {
    const checker = await createSyntaxChecker(['javascript']);
    const verdicts = nodeVerdicts(snippets, type);
    const path = type === 'module' ? 'a.mjs' : 'a.cjs';
    const differences = snippets.flatMap((text, index) => {
      const found = checker.check(text, 'javascript', { path });
      const node = verdicts[index] ?? null;
      if ((found.length === 0) === (node === null) || KNOWN_JAVASCRIPT.has(text)) return [];
      return [{ text, node, ours: found[0]?.message ?? null }];
    });
    expect(snippets.length).toBeGreaterThan(60);
    expect(differences).toEqual([]);
    checker.dispose();
  });

  it.each(['module', 'script'] as const)('the one-process verdicts are those of node --check (%s)', (type) => {
    const sample = snippets.filter((_, index) => index % 45 === 0);
    const verdicts = nodeVerdicts(sample, type);
    expect(sample.map((text) => nodeCheck(text, type))).toEqual(verdicts.map((verdict) => verdict === null));
  });
});
