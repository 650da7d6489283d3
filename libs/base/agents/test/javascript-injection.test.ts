import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStatementInjector, type InjectableLanguage } from '../src/index.ts';

const fixtures = join(import.meta.dirname, 'fixtures/javascript');
const packages = join(import.meta.dirname, '../../../../node_modules');
const files = readdirSync(fixtures).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
const injector = await createStatementInjector();

function languageOf(path: string): InjectableLanguage {
  return path.endsWith('.tsx') ? 'tsx' : /\.[cm]?ts$/.test(path) ? 'typescript' : 'javascript';
}

let plain = '';
let probed = '';
beforeAll(() => {
  [plain, probed] = ['plain', 'probed'].map((name) => {
    const folder = mkdtempSync(join(tmpdir(), `h-agents-${name}-`));
    cpSync(fixtures, folder, { recursive: true });
    symlinkSync(packages, join(folder, 'node_modules'));
    return folder;
  }) as [string, string];
  for (const name of files) {
    const result = injector.inject(readFileSync(join(fixtures, name), 'utf8'), languageOf(name), { path: name });
    if (!('skipped' in result)) writeFileSync(join(probed, name), result.text);
  }
  writeFileSync(join(probed, 'hits.mjs'), HITS);
});
afterAll(() => {
  for (const folder of [plain, probed]) rmSync(folder, { recursive: true, force: true });
});

const HITS = `let hits = 0
Object.defineProperty(globalThis, '__h', { value: () => { hits += 1 } })
process.on('exit', () => { if (hits === 0) console.log('no probe ran') })`;

function run(folder: string, name: string, preload: string[]) {
  return new Promise((done) => {
    const args = [...preload.flatMap((module) => ['--import', module]), name];
    execFile(process.execPath, args, { cwd: folder, encoding: 'utf8' }, (error, stdout, stderr) =>
      done({ status: error?.code ?? 0, stdout, stderr: error === null ? stderr : '' }),
    );
  });
}

const SKIPPED = new Set(['globalthis-bound.cjs']);
const NO_STATEMENT = new Set(['types.ts']);

describe('injected probes in JavaScript and TypeScript', () => {
  it.concurrent.each(files)('leave what %s does and prints as it is', async (name) => {
    const loader = /ts|tsx$/.test(name) ? ['tsx'] : [];
    const [before, without, after] = await Promise.all([
      run(plain, name, loader),
      run(probed, name, loader), // `__h` is not defined there: nothing may happen
      run(probed, name, [...loader, ...(SKIPPED.has(name) || NO_STATEMENT.has(name) ? [] : ['./hits.mjs'])]),
    ]);
    expect(after).toEqual(before);
    expect(without).toEqual(before);
  });

  it('skip what binds the name they use', () => {
    const text = readFileSync(join(fixtures, 'globalthis-bound.cjs'), 'utf8');
    expect(injector.inject(text, 'javascript', { path: 'a.cjs' })).toEqual({ skipped: 'it binds the name globalThis' });
  });
});

/** Published code of all styles; the program without its probes must be the program, line by line the same. */
const corpora = [
  'zod/src/v4',
  'chai',
  'acorn/dist',
  'semver',
  'magic-string/dist',
  'execa',
  'picomatch',
  'diff/libcjs',
];

describe('an injected program without its probes', () => {
  it.each(corpora)('is the program it was: %s', (folder) => {
    const paths = readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /(?<!\.d)\.[cm]?[jt]s$/.test(path) && !path.includes('node_modules'))
      .sort()
      .slice(0, 60);
    let statements = 0;
    for (const path of paths) {
      const text = readFileSync(join(packages, folder, path), 'utf8');
      const result = injector.inject(text, languageOf(path), { path });
      if ('skipped' in result) continue;
      statements += result.statements.length;
      expect(result.text.split('\n').length, path).toBe(text.split('\n').length);
      expect(programText(result.text, path) === programText(text, path), path).toBe(true);
    }
    expect(statements).toBeGreaterThan(50);
  });
});

type Tree = { [field: string]: Tree } & { readonly type?: string; readonly start: number; readonly end: number };

const PROBE = /^(?:void \(globalThis as any\)|globalThis)\.__h\?\.\(\d+\)$/;
const BODIES = ['consequent', 'alternate', 'body'];

/** The syntax tree as text, without offsets, probes, empty statements, and the braces of one-statement bodies. */
function programText(text: string, path: string): string {
  const lang = languageOf(path) === 'javascript' ? 'jsx' : 'ts';
  const sourceType = path.endsWith('.mjs') ? 'module' : path.endsWith('.cjs') ? 'commonjs' : 'unambiguous';
  const { program, errors } = parseSync(path, text, { lang, sourceType, astType: 'ts', preserveParens: false });
  expect(errors).toEqual([]);
  return JSON.stringify(withoutProbes(program, text));
}

function withoutProbes(node: unknown, text: string): unknown {
  const isProbe = ({ start, end }: Tree) => PROBE.test(text.slice(start, end));
  const isNothing = ({ type, expression }: Tree) =>
    type === 'EmptyStatement' || (type === 'ExpressionStatement' && expression !== undefined && isProbe(expression));
  if (Array.isArray(node))
    return node.filter((item) => item === null || !isNothing(item)).map((item) => withoutProbes(item, text));
  if (typeof node === 'bigint') return `${node}n`;
  if (typeof node !== 'object' || node === null) return node;
  const { type, expressions } = node as Tree;
  const [first, second] = (expressions ?? []) as unknown as [Tree?, Tree?];
  if (type === 'SequenceExpression' && first !== undefined && isProbe(first)) return withoutProbes(second, text);
  const kept = Object.entries(node).filter(([field]) => field !== 'start' && field !== 'end');
  const isBody = (field: string) =>
    BODIES.includes(field) && /^(?:If|For\w*|While|DoWhile|With)Statement$/.test(type ?? '');
  return Object.fromEntries(
    kept.map(([field, value]) => {
      const plain = withoutProbes(value, text) as Tree | undefined;
      const held = (plain?.type === 'BlockStatement' ? plain.body : undefined) as unknown as Tree[] | undefined;
      return [field, isBody(field) && held?.length === 1 ? held[0] : plain];
    }),
  );
}
