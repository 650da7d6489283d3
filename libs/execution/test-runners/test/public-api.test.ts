import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as api from '../src/index.ts';
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
        "createRunTests",
        "createSuiteRunner",
        "dependencyRoots",
        "detectRunners",
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
});
