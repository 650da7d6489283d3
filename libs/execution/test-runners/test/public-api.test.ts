import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as api from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { readmeExample } from './readme-example.ts';

describe('public API', () => {
  it('is this list', () => {
    expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
      [
        "buildReport",
        "commandDetection",
        "commandDetections",
        "commandLanguage",
        "compareReports",
        "createRunBatch",
        "createRunTests",
        "createSuiteRunner",
        "dependencyRoots",
        "detectRunners",
        "hangLimit",
        "listTests",
        "markFlaky",
        "mergeReports",
        "parseCommand",
        "planTest",
        "planTestRun",
        "readJUnit",
        "runSuite",
        "runTests",
        "writeJUnit",
      ]
    `);
  });

  it('has a README example that runs as it says', async () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const source = readFileSync(join(import.meta.dirname, 'readme-example.ts'), 'utf8');
    const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const body = source.slice(source.indexOf('// begin\n') + 9, source.indexOf('  // end'));
    expect(body.replace(/^ {2}/gm, '')).toBe(example.replace(/^import .*\n/gm, '').trimStart());
    expect(await readmeExample()).toEqual(['pytest', 'test files import pytest: tests/test_a.py', 'python3 -m pytest']);
  });

  it('has a third one, for JavaScript in the place of the lines about Python', () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const [, second = '', third = ''] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text);
    const split = /const python = [\s\S]*?(const policy = .*\n)[\s\S]*const host = .*\n/;
    const [imports = '', body = ''] = third.split('\n\n');
    const plain = imports.replace(/^import \{ (?:discoverNode|dependencyRoots) \}.*\n?/gm, '');
    const named = second
      .replace('discoverPython', 'discoverNode')
      .replace('import { detectRunners', 'import { dependencyRoots, detectRunners');
    const example = `${plain}\n${named.replace(split, (_, policy) => policy + body)}`;
    expect(example).not.toMatch(/python\./i);
    const packages = join(import.meta.dirname, '../node_modules');
    mkdirSync(packages, { recursive: true });
    const folder = mkdtempSync(join(packages, '.readme-'));
    try {
      mkdirSync(join(folder, 'project/node_modules/one'), { recursive: true });
      writeFileSync(join(folder, 'project/node_modules/one/index.js'), 'module.exports = 1;\n');
      writeFileSync(join(folder, 'project/package.json'), '{ "scripts": { "test": "node --test" } }');
      const text =
        "const { test } = require('node:test');\ntest('sum', () => require('node:assert').equal(require('one') + 1, 3));\n";
      writeFileSync(join(folder, 'project/a.test.js'), text);
      writeFileSync(join(folder, 'example.mts'), example.replace('/path/to/project', join(folder, 'project')));
      const args = ['--conditions=@h/source', '--import', 'tsx', join(folder, 'example.mts')];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(stdout, stderr).toContain('a.test.js > sum failed 2 == 3 []');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.skipIf(findPythons().length === 0)('has a second one, which runs the tests of a folder', () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const [, example = ''] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text);
    const packages = join(import.meta.dirname, '../node_modules'); // where `@h/sandbox` is found, and git looks at nothing
    mkdirSync(packages, { recursive: true });
    const folder = mkdtempSync(join(packages, '.readme-'));
    try {
      const text = 'import unittest\nclass A(unittest.TestCase):\n    def test_sum(self): self.assertEqual(1 + 1, 3)\n';
      mkdirSync(join(folder, 'project'));
      writeFileSync(join(folder, 'project/test_a.py'), text);
      writeFileSync(join(folder, 'example.mts'), example.replace('/path/to/project', join(folder, 'project')));
      const args = ['--conditions=@h/source', '--import', 'tsx', join(folder, 'example.mts')];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(stdout, stderr).toContain('test_a.py::A::test_sum failed 2 != 3 []');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
