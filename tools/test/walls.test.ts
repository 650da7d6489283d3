// Each wall of ARCHITECTURE.md is proved by a planted violation: a small copy of the workspace, with the real
// configuration and the real `npm run lint`, must fail and name the rule. A clean copy must pass.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const workspace = mkdtempSync(join(tmpdir(), 'h-walls-'));

/** Small libraries in the real places: name, declared dependencies, source. */
const libraries: Record<string, { dependencies: Record<string, string>; index: string }> = {
  'base/contracts': { dependencies: {}, index: 'export const version = 1;\n' },
  'base/syntax': { dependencies: { '@h/contracts': '^0.1.0' }, index: 'export const languages = 4;\n' },
  'base/journal': { dependencies: {}, index: 'export const entries = 0;\n' },
  'diagnosis/sbfl': {
    dependencies: { '@h/contracts': '^0.1.0' },
    index: "export { rank } from './rank-statements.ts';\n",
  },
  'execution/sandbox': {
    dependencies: { execa: '^9.6.1' },
    index:
      "import { cpus } from 'node:os';\nimport { execa } from 'execa';\n\nexport const cores = () => cpus().length;\nexport const start = (program: string) => execa(program, { cwd: process.cwd() });\n",
  },
  'compose/pipeline': {
    dependencies: { '@h/contracts': '^0.1.0', '@h/sbfl': '^0.1.0', '@h/sandbox': '^0.1.0' },
    index:
      "import { version } from '@h/contracts';\nimport { cores } from '@h/sandbox';\nimport { rank } from '@h/sbfl';\n\nexport const run = () => [version, cores(), rank([])];\n",
  },
};

/** What is planted: where, the source, and the rule that must name the file. */
const violations: readonly { why: string; file: string; source: string; rule: string; named?: true }[] = [
  {
    why: 'a stage imports a stage',
    named: true,
    file: 'libs/diagnosis/sbfl/src/planted.ts',
    source: "import { cores } from '@h/sandbox';\n\nexport const planted = cores;\n",
    rule: 'stage-imports-stage',
  },
  {
    why: 'execa outside the sandbox',
    named: true,
    file: 'libs/diagnosis/sbfl/src/planted.ts',
    source: "import { execa } from 'execa';\n\nexport const planted = execa;\n",
    rule: 'process-outside-sandbox',
  },
  {
    why: 'Date.now in a pure stage',
    named: true,
    file: 'libs/diagnosis/sbfl/src/planted.ts',
    source: 'export const planted = () => Date.now();\n',
    rule: 'no-clock',
  },
  {
    why: 'a default export',
    named: true,
    file: 'libs/diagnosis/sbfl/src/planted.ts',
    source: 'export default function planted() {\n  return 1;\n}\n',
    rule: 'noDefaultExport',
  },
  {
    why: 'an undeclared dependency',
    named: true,
    file: 'libs/diagnosis/sbfl/src/planted.ts',
    source: "import { z } from 'zod';\n\nexport const planted = z;\n",
    rule: 'undeclared-dependency',
  },
  ...other({
    'type-only import of a stage': [
      "import type { start } from '@h/sandbox';\n\nexport type Planted = typeof start;\n",
      'stage-imports-stage',
    ],
    'an undeclared library of ours': [
      "import { languages } from '@h/syntax';\n\nexport const planted = languages;\n",
      'noUndeclaredDependencies',
    ],
    'a stage imports the journal': [
      "import { entries } from '@h/journal';\n\nexport const planted = entries;\n",
      'stage-imports-journal',
    ],
    'node:child_process': [
      "import { spawn } from 'node:child_process';\n\nexport const planted = spawn;\n",
      'process-outside-sandbox',
    ],
    'child_process without the prefix': [
      "import { spawn } from 'child_process';\n\nexport const planted = spawn;\n",
      'process-outside-sandbox',
    ],
    'a dynamic import of child_process': [
      "export const planted = () => import('node:child_process');\n",
      'process-outside-sandbox',
    ],
    'a worker': [
      "import { Worker } from 'node:worker_threads';\n\nexport const planted = Worker;\n",
      'process-outside-sandbox',
    ],
    'a cluster': ["import { fork } from 'node:cluster';\n\nexport const planted = fork;\n", 'process-outside-sandbox'],
    'simple-git': [
      "import { simpleGit } from 'simple-git';\n\nexport const planted = simpleGit;\n",
      'git-outside-pipeline',
    ],
    'a database': [
      "import { DatabaseSync } from 'node:sqlite';\n\nexport const planted = DatabaseSync;\n",
      'database-outside-journal',
    ],
    'a connection': [
      "import { request } from 'node:https';\n\nexport const planted = request;\n",
      'network-outside-llm-stub',
    ],
    'a file read in a pure stage': [
      "import { readFileSync } from 'node:fs';\n\nexport const planted = readFileSync;\n",
      'node-in-pure-code',
    ],
    'crypto in a pure stage': [
      "import { randomUUID } from 'node:crypto';\n\nexport const planted = randomUUID;\n",
      'node-in-pure-code',
    ],
    'new Date': ['export const planted = () => new Date();\n', 'no-clock'],
    'performance.now': ['export const planted = () => performance.now();\n', 'no-clock'],
    'a timer': ['export const planted = (then: () => void) => setTimeout(then, 1);\n', 'no-clock'],
    'AbortSignal.timeout': ['export const planted = () => AbortSignal.timeout(5);\n', 'no-clock'],
    'process.env': ["export const planted = () => process.env['HOME'];\n", 'no-environment'],
    'a global by its other name': ['export const planted = () => globalThis.Date.now();\n', 'no-environment'],
    'Math.random': ['export const planted = () => Math.random();\n', 'no-random'],
    'random taken out of Math': [
      'export const planted = () => {\n  const { random } = Math;\n  return random();\n};\n',
      'no-random',
    ],
    'crypto.randomUUID': ['export const planted = () => crypto.randomUUID();\n', 'no-random'],
    'a.localeCompare(b)': ['export const planted = (a: string, b: string) => a.localeCompare(b);\n', 'no-locale'],
    'n.toLocaleString()': ['export const planted = (n: number) => n.toLocaleString();\n', 'no-locale'],
    Intl: ["export const planted = () => new Intl.Collator('en');\n", 'no-locale'],
    'console.log': ["export const planted = () => console.log('x');\n", 'no-log'],
    fetch: ["export const planted = () => fetch('http://localhost');\n", 'no-network'],
    'export *': ["export * from './rank-statements.ts';\n", 'noReExportAll'],
    'an enum': ['export enum Planted {\n  a = 1,\n}\n', 'noEnum'],
    'a call at module level': [
      "import { rank } from './rank-statements.ts';\n\nrank([]);\n\nexport const planted = 1;\n",
      'no-effect-on-import',
    ],
    'a module-level loop': [
      'export const planted: number[] = [];\nfor (const n of [1, 2]) {\n  planted.push(n);\n}\n',
      'no-effect-on-import',
    ],
    'a top-level await': ['export const planted = await Promise.resolve(1);\n', 'no-effect-on-import'],
    'a module-level let': ['export let planted = 1;\n', 'no-hidden-global'],
    'the own index': ["import { rank } from './index.ts';\n\nexport const planted = rank;\n", 'own-index'],
    'a deep import': [
      "import { version } from '@h/contracts/src/index.ts';\n\nexport const planted = version;\n",
      'unresolvable-import',
    ],
    'a relative path into another library': [
      "import { version } from '../../../base/contracts/src/index.ts';\n\nexport const planted = version;\n",
      'relative-into-another-library',
    ],
    'a source that imports a test': [
      "import { fixture } from '../test/fixture.ts';\n\nexport const planted = fixture;\n",
      'source-imports-tests-or-tools',
    ],
    'an import cycle': [
      "import { rank } from './rank-statements.ts';\nimport { planted } from './SELF';\n\nexport const again = [rank, planted];\nexport const planted = 1;\n",
      'import-cycle',
    ],
    'a file of 301 lines': [
      `${Array.from({ length: 301 }, (_, n) => `export const planted${n} = ${n};`).join('\n')}\n`,
      'noExcessiveLinesPerFile',
    ],
    'a function of 61 lines': [
      `export function planted(n: number) {\n${Array.from({ length: 62 }, (_, line) => `  n += ${line};`).join('\n')}\n  return n;\n}\n`,
      'noExcessiveLinesPerFunction',
    ],
  }),
  {
    why: 'the base imports a stage',
    file: 'libs/base/syntax/src/planted.ts',
    source: "import { rank } from '@h/sbfl';\n\nexport const planted = rank;\n",
    rule: 'base-imports-stage',
  },
  {
    why: 'contracts import another library',
    file: 'libs/base/contracts/src/planted.ts',
    source: "import { languages } from '@h/syntax';\n\nexport const planted = languages;\n",
    rule: 'contracts-import-nothing-of-ours',
  },
  {
    why: 'the sandbox imports a stage',
    file: 'libs/execution/sandbox/src/planted.ts',
    source: "import { rank } from '@h/sbfl';\n\nexport const planted = rank;\n",
    rule: 'stage-imports-stage',
  },
];

beforeAll(() => {
  for (const path of [
    'biome.json',
    '.dependency-cruiser.mjs',
    'tsconfig.base.json',
    'package.json',
    '.gitignore',
    'tools/lint',
    'tools/lint.ts',
  ])
    cpSync(join(root, path), join(workspace, path), { recursive: true });
  for (const [place, { dependencies, index }] of Object.entries(libraries)) layLibrary(place, dependencies, index);
  plant(
    'libs/diagnosis/sbfl/src/rank-statements.ts',
    'export const rank = (scores: readonly number[]) => scores.length;\n',
  );
  plant('e2e/run.ts', "export { run } from '@h/pipeline';\n");
  plant('libs/diagnosis/sbfl/test/fixture.ts', 'export const fixture = 1;\n');
  linkPackages();
});

afterAll(() => rmSync(workspace, { recursive: true, force: true }));

describe('npm run lint', () => {
  it('passes a clean workspace', () => {
    const { status, output } = lint();
    expect(findings(output)).toEqual([]);
    expect(output).toContain('lint: clean');
    expect(status).toBe(0);
  });

  it.each(violations.filter(({ named }) => named))('fails on $why alone, by $rule', ({ file, source, rule }) => {
    plant(file, source);
    const { status, output } = lint();
    rmSync(join(workspace, file));
    expect(findings(output)).toContainEqual({ file, rule });
    expect(status).toBe(1);
  });

  describe('with every violation planted in a file of its own', () => {
    let found: readonly Finding[] = [];
    const placed = violations.map((violation, index) => ({
      ...violation,
      file: violation.file.replace('planted.ts', `planted-${index}.ts`),
    }));

    beforeAll(() => {
      for (const { file, source } of placed) plant(file, source.replace('SELF', file.replace(/.*\//, '')));
      found = findings(lint().output);
      for (const { file } of placed) rmSync(join(workspace, file));
    });

    it.each(placed)('names $rule for $why', ({ file, rule }) => {
      expect(found.filter((finding) => finding.file === file)).toContainEqual({ file, rule });
    });
  });
});

interface Finding {
  readonly file: string;
  readonly rule: string;
}

/** Biome's and dependency-cruiser's findings as { file, rule }; our own rules are named at the start of their message. */
function findings(output: string): Finding[] {
  const cruised = [...output.matchAll(/^ {2}error ([\w-]+): (\S+)/gm)].map(([, rule = '', file = '']) => ({
    file,
    rule,
  }));
  const blocks = output.split(/^(?=\S+\.ts(?::\d+:\d+)? (?:lint\/|plugin|format|assist))/m).slice(1);
  const linted = blocks.map((block) => {
    const [, file = '', category = ''] = /^(\S+?)(?::\d+:\d+)? (\S+)/.exec(block) ?? [];
    const ours = /\b(no-[a-z-]+): /.exec(block)?.[1];
    return { file, rule: ours ?? category.replace(/.*\//, '') };
  });
  return [...cruised, ...linted];
}

function lint(): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'lint'], { cwd: workspace, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

function plant(file: string, source: string): void {
  mkdirSync(dirname(join(workspace, file)), { recursive: true });
  writeFileSync(join(workspace, file), source);
}

function layLibrary(place: string, dependencies: Record<string, string>, index: string): void {
  const name = `@h/${place.split('/')[1]}`;
  const exports = { '.': { '@h/source': './src/index.ts', default: './dist/index.js' } };
  plant(`libs/${place}/src/index.ts`, index);
  plant(`libs/${place}/package.json`, `${JSON.stringify({ name, type: 'module', exports, dependencies }, null, 2)}\n`);
}

/** The installed packages, with ours replaced by the small ones. */
function linkPackages(): void {
  mkdirSync(join(workspace, 'node_modules/@h'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@h') symlinkSync(join(root, 'node_modules', name), join(workspace, 'node_modules', name));
  for (const place of Object.keys(libraries))
    symlinkSync(join(workspace, 'libs', place), join(workspace, 'node_modules/@h', place.split('/')[1] ?? ''));
}

/** More violations of a stage, each in a file of its own. */
function other(planted: Record<string, readonly [source: string, rule: string]>) {
  return Object.entries(planted).map(([why, [source, rule]]) => ({
    why,
    file: 'libs/diagnosis/sbfl/src/planted.ts',
    source,
    rule,
  }));
}
