// What coverage per test costs on a suite of 1,000 tests: processor time of the covered run over the plain one, beside V8's own
// coverage (in total, for no test apart) in the same round. One JSON line per row.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getTree, memoryArtifacts, putTree, REGULAR_FILE } from '@h/contracts';
import { type Detection, detectRunners, planTestRun } from '../src/index.ts';
import { instrumentTree } from '../src/instrument-tree.ts';

const FILES = 4;
const TESTS = 250;
const ROUNDS = 2;
const packages = join(import.meta.dirname, '../../../../node_modules');

const SOURCE = `function tokens(text) {
  const found = [];
  let at = 0;
  while (at < text.length) {
    const sign = text[at];
    if (sign === ' ') {
      at += 1;
      continue;
    }
    if (sign >= '0' && sign <= '9') {
      let end = at;
      while (end < text.length && text[end] >= '0' && text[end] <= '9') end += 1;
      found.push({ kind: 'number', value: Number(text.slice(at, end)) });
      at = end;
    } else {
      found.push({ kind: 'sign', value: sign });
      at += 1;
    }
  }
  return found;
}

const POWER = { '+': 1, '-': 1, '*': 2, '/': 2 };

function evaluate(text) {
  const list = tokens(text);
  let at = 0;
  const primary = () => {
    const token = list[at];
    at += 1;
    if (token.kind === 'number') return token.value;
    if (token.value !== '(') throw new SyntaxError('unexpected ' + token.value);
    const value = expression(0);
    at += 1;
    return value;
  };
  const expression = (least) => {
    let left = primary();
    while (at < list.length && POWER[list[at].value] > least) {
      const sign = list[at].value;
      at += 1;
      const right = expression(POWER[sign]);
      if (sign === '+') left += right;
      else if (sign === '-') left -= right;
      else if (sign === '*') left *= right;
      else left /= right;
    }
    return left;
  };
  return expression(0);
}
`;

const CALL = `  let sum = 0;
  for (let i = 0; i < 40; i += 1) sum += evaluate('(1 + ' + i + ') * 3 - 4 / (2 + ' + n + ')');
  if (Number.isNaN(sum)) throw new Error('not a number');`;

const HEADS: Record<string, string> = {
  vitest: "import { test } from 'vitest';\nimport { evaluate } from './evaluate.js';\n",
  'node:test': "import { test } from 'node:test';\nimport { evaluate } from './evaluate.js';\n",
  jest: "const { evaluate } = require('./evaluate.js');\n",
  mocha: "const { evaluate } = require('./evaluate.js');\nconst test = it;\n",
};

const SCRIPTS: Record<string, string> = {
  vitest: 'vitest run',
  'node:test': 'node --test',
  jest: 'jest',
  mocha: 'mocha *.test.js',
};

const module = (name: string, path: string) => join('node_modules', name, path);
/** The runner alone, and with V8's coverage. */
const PLAIN: Record<string, string[]> = {
  vitest: [module('vitest', 'vitest.mjs'), 'run'],
  'node:test': ['--test'],
  jest: [module('jest', 'bin/jest.js'), '-i'],
  mocha: [module('mocha', 'bin/mocha.js'), '*.test.js'],
};

for (const runner of ['mocha', 'node:test', 'jest', 'vitest']) await benchRunner(runner);

async function benchRunner(runner: string): Promise<void> {
  const files = projectOf(runner);
  const reader = {
    read: async (path: string) => new TextEncoder().encode(files[path]),
    list: async function* () {
      yield* Object.keys(files);
    },
  };
  const [detection] = await detectRunners(reader);
  if (detection?.runner !== runner) throw new Error(`no ${runner}`);
  const [plain, covered] = [layOut(files), layOut({ ...files, ...(await instrumented(files, detection)) })];
  try {
    const { command } = planTestRun(detection, { mode: 'run', coverage: true, node: process.execPath });
    const least = { plain: Number.POSITIVE_INFINITY, ours: Number.POSITIVE_INFINITY, v8: Number.POSITIVE_INFINITY };
    const argv = [process.execPath, ...(PLAIN[runner] ?? [])];
    for (let round = 0; round < ROUNDS; round += 1) {
      least.plain = Math.min(least.plain, cpu(plain, argv, {}));
      least.v8 = Math.min(least.v8, cpu(plain, argv, { NODE_V8_COVERAGE: join(plain, 'v8') }));
      rmSync(join(covered, '.h-agent/report.ndjson'), { force: true });
      least.ours = Math.min(least.ours, cpu(covered, command.argv, command.env_set));
    }
    const told = readFileSync(join(covered, '.h-agent/report.ndjson'), 'utf8').split(
      '"coverage":[{"file":"evaluate.js"',
    ).length;
    if (told <= FILES * TESTS) throw new Error(`${runner}: only ${told - 1} tests have coverage`);
    row(runner, least);
  } finally {
    for (const folder of [plain, covered]) rmSync(folder, { recursive: true, force: true });
  }
}

function row(runner: string, { plain, ours, v8 }: Record<'plain' | 'ours' | 'v8', number>): void {
  const round = (value: number) => Number(value.toFixed(2));
  console.log(
    JSON.stringify({
      work: `${runner}: ${FILES * TESTS} tests, coverage and dependencies of each`,
      ours_ms: Math.round(ours),
      peer: 'the runner alone',
      peer_ms: Math.round(plain),
      ratio: round(ours / plain),
      v8_ms: Math.round(v8),
      v8_ratio: round(v8 / plain),
    }),
  );
}

function projectOf(runner: string): Record<string, string> {
  const isModule = runner === 'vitest' || runner === 'node:test';
  const end = isModule ? 'export { evaluate };\n' : 'module.exports = { evaluate };\n';
  const manifest = { ...(isModule ? { type: 'module' } : {}), scripts: { test: SCRIPTS[runner] } };
  const files: Record<string, string> = { 'package.json': JSON.stringify(manifest), 'evaluate.js': SOURCE + end };
  for (let file = 0; file < FILES; file += 1)
    files[`t${file}.test.js`] =
      `${HEADS[runner]}for (let n = 0; n < ${TESTS}; n += 1)\n  test('n' + n, () => {\n${CALL}\n  });\n`;
  return files;
}

/** What the agents and the probes change, as `runTests` lays it into the tree. */
async function instrumented(files: Record<string, string>, detection: Detection): Promise<Record<string, string>> {
  const artifacts = memoryArtifacts();
  const entries = [];
  for (const [path, text] of Object.entries(files))
    entries.push({ path, mode: REGULAR_FILE, sha: await artifacts.put(new TextEncoder().encode(text)) });
  const tree = await putTree(entries, artifacts);
  if ((await getTree(tree, artifacts)).length !== entries.length) throw new Error('the tree is not whole');
  const isHeld = detection.runner === 'jest';
  const { changes } = await instrumentTree(tree, '', artifacts, {}, { tests: detection.test_files ?? [], isHeld });
  const found = Object.fromEntries(
    changes.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes ?? undefined)]),
  );
  const { agent_files } = planTestRun(detection, { mode: 'run', coverage: true });
  return { ...found, ...Object.fromEntries(agent_files.map(({ path, text }) => [path, text])) };
}

function layOut(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'h-bench-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  symlinkSync(packages, join(folder, 'node_modules'));
  return folder;
}

/** Processor milliseconds of a command and of all it starts. */
function cpu(folder: string, argv: readonly string[], env: Record<string, string>): number {
  const timing =
    'import resource as r,sys,subprocess as s\np=s.run(sys.argv[1:],stdout=s.DEVNULL,stderr=s.PIPE)\nu=r.getrusage(-1)\nprint(p.returncode,u[0]+u[1])\nsys.stderr.buffer.write(p.stderr[-2000:] if p.returncode else b"")';
  const output = execFileSync('python3', ['-c', timing, ...argv], {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  const [code, seconds] = output.trim().split(' ');
  if (code !== '0') throw new Error(`${argv.join(' ')} ended with ${code}`);
  return Number(seconds) * 1000;
}
