import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hashRecord, sha256Hex } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { linesOf, runProject } from './javascript-project.ts';

const { resolve } = createRequire(import.meta.url);
const picomatch = readFileSync(resolve('picomatch/package.json'), 'utf8');

const BODY = `
test('reads', () => { fs.readFileSync('data/in-test.txt', 'utf8'); });
test('reads later', async () => { await fs.promises.readFile('data/later.txt'); });
test('lists', () => { fs.readdirSync('data/listed'); });
test('misses', () => { fs.existsSync('data/missing.txt'); });
test('writes', () => { fs.writeFileSync('data/written.txt', 'x'); });
test('starts', () => { child.spawnSync('true'); });
test('starts itself', () => { child.execFileSync(process.execPath, ['tool.cjs']); });
test('plain', () => { half(2); });
`;
const TOOL = `const fs = require('fs');
const { twice } = require('./twice.cjs');
const own = Object.keys(process.env).filter((name) => name.startsWith('H_') || name === 'NODE_OPTIONS');
if (own.length > 0 || process.execArgv.length > 0) throw new Error('it can be seen: ' + own);
twice(fs.readFileSync('data/tool.txt', 'utf8').length + Number(process.env.TOOL_X ?? 0));
`;
const SOURCE = `const text = fs.readFileSync('data/at-load.txt', 'utf8');
const { OTHER_X = 'none' } = process.env;
`;

/** The same project for each runner, whose tests are CommonJS or not. */
function projectOf(runner: string, isModule: boolean): Record<string, string> {
  const from = runner === 'vitest' ? 'vitest' : 'node:test';
  const head = isModule
    ? `import fs from 'node:fs';\nimport child from 'node:child_process';\nimport { half } from './half.js';\nimport { test } from '${from}';\n`
    : `const fs = require('fs');\nconst child = require('child_process');\nconst { half } = require('./half.js');\n${runner === 'mocha' ? 'const test = it;\n' : ''}`;
  const source = isModule
    ? `import fs from 'fs';\nimport match from 'picomatch';\n${SOURCE}export const half = (n) => (process.env.MODE_X === '1' && match ? n / 2 : text);\n`
    : `const fs = require('node:fs');\nconst match = require('picomatch');\n${SOURCE}exports.half = (n) => (process.env.MODE_X === '1' && match ? n / 2 : text);\n`;
  const script = { vitest: 'vitest run', jest: 'jest', mocha: 'mocha "*.test.js"', 'node:test': 'node --test' }[runner];
  return {
    'package.json': JSON.stringify({ ...(isModule ? { type: 'module' } : {}), scripts: { test: script } }),
    'half.js': source,
    'a.test.js': head + BODY,
    'tool.cjs': TOOL,
    'twice.cjs': 'exports.twice = (n) => {\n  if (n > 99) return 0;\n  return n * 2;\n};\n',
    'data/tool.txt': 'd',
    'data/at-load.txt': 'a',
    'data/in-test.txt': 'b',
    'data/later.txt': 'c',
    'data/listed/a.txt': '',
  };
}

describe('what a test depends on', () => {
  it.each([
    ['vitest', true],
    ['node:test', true],
    ['jest', false],
    ['mocha', false],
  ])('is seen in %s', async (runner, isModule) => {
    const report = await runProject(projectOf(runner, isModule), { coverage: true, env: { MODE_X: '1' } });
    expect(report.runner).toBe(runner);
    expect(report.tests.map(({ outcome }) => outcome)).toEqual(Array(8).fill('passed'));
    const seen = Object.fromEntries(
      report.tests.map(({ test, dependencies }) => [test.replace(/^.* > /, ''), dependencies]),
    );
    const data = Object.fromEntries(
      Object.entries(seen).map(([name, held]) => [
        name,
        held?.data.map(({ path }) => path).filter((path) => path.startsWith('data/')),
      ]),
    );
    const common = 'data/at-load.txt';
    expect(data).toEqual({
      reads: [common, 'data/in-test.txt'],
      'reads later': [common, 'data/later.txt'],
      lists: [common],
      misses: [common],
      writes: [common],
      starts: [common],
      'starts itself': [common, 'data/tool.txt'],
      plain: [common],
    });
    expect(seen.lists?.listings.map(({ path }) => path)).toEqual(['**', 'data/listed']);
    expect(seen.plain?.listings.map(({ path }) => path)).toEqual(['**']);
    expect(seen.misses?.missing).toContain('data/missing.txt');
    expect(seen.plain?.missing).not.toContain('data/missing.txt');
    expect(seen.starts).toMatchObject({ complete: false, children: [{ argv0: 'true', followed: false }] });
    expect(seen['starts itself']).toMatchObject({ complete: true, children: [{ followed: true }] });
    expect(seen['starts itself']?.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['tool.cjs', 'twice.cjs']),
    );
    expect(seen['starts itself']?.env.map(({ name }) => name)).toContain('TOOL_X');
    expect(seen.plain?.files.map(({ path }) => path)).not.toContain('twice.cjs');
    expect(linesOf(report, 'starts itself')['twice.cjs']).toBe('1-3');
    for (const name of ['plain', 'reads', 'lists', 'writes'])
      expect({ name, complete: seen[name]?.complete, why: seen[name]?.why_incomplete }).toEqual({
        name,
        complete: true,
      });
    expect(seen.plain?.files.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.test.js', 'half.js']));
    expect(seen.plain?.env.filter(({ name }) => name.endsWith('_X'))).toEqual([
      { name: 'MODE_X', value_sha: sha256Hex('1') },
      { name: 'OTHER_X', value_sha: hashRecord({ absent: true }) },
    ]);
    expect(seen.plain?.packages).toEqual([
      { name: 'picomatch', version: JSON.parse(picomatch).version, sha: sha256Hex(picomatch) },
    ]);
  });
});
