// One table of cases for the rules of both languages: which names, texts and forms are secrets.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// the agent itself, as it lies in the target
// @ts-expect-error a plain JavaScript file
import * as secrets from '../agents/node/node-secrets.mjs';
import { samplePythons } from './present-pythons.ts';

interface Rules {
  reasonOf(name: string): { text: string; isSure: boolean } | undefined;
  looksRandom(text: string): boolean;
  fits(reason: object | undefined, text: string): boolean;
  formOf(text: string): string | undefined;
}

interface Cases {
  readonly names: Record<'sure' | 'weak' | 'none', string[]>;
  readonly random: string[];
  readonly plain: string[];
  readonly logins: [string, string, boolean][];
  readonly forms: [string, string | null][];
}

const { reasonOf, looksRandom, fits, formOf } = secrets as unknown as Rules;
const path = join(import.meta.dirname, 'fixtures/secrets.json');
const cases = JSON.parse(readFileSync(path, 'utf8')) as Cases;
const agents = join(import.meta.dirname, '../agents/python');
const script = join(import.meta.dirname, 'fixtures/judge_secrets.py');

describe('what a secret is', () => {
  it('is said by a table of cases', () => {
    const all = [...Object.values(cases.names), cases.random, cases.plain, cases.forms];
    expect(all.flat().length).toBeGreaterThan(100);
  });

  it.each(samplePythons())('in the agent of Python, on CPython $version', ({ executable }) => {
    const { stdout, stderr } = spawnSync(executable, [script, agents, path], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(cases);
  });

  it('in the agent of Node', () => {
    const strength = (name: string) => {
      const reason = reasonOf(name);
      return reason === undefined ? 'none' : reason.isSure ? 'sure' : 'weak';
    };
    const [names, texts] = [Object.values(cases.names).flat(), [...cases.random, ...cases.plain]];
    const named = (wanted: string) => names.filter((name) => strength(name) === wanted);
    expect({
      names: { sure: named('sure'), weak: named('weak'), none: named('none') },
      random: texts.filter(looksRandom),
      plain: texts.filter((text) => !looksRandom(text)),
      logins: cases.logins.map(([name, text]) => [name, text, fits(reasonOf(name), text)]),
      forms: cases.forms.map(([text]) => [text, formOf(text) ?? null]),
    }).toEqual(cases);
  });

  it('leaves what the target reads of its last regular expression', () => {
    /(b)/.exec('abc');
    for (const [text] of cases.forms) formOf(text);
    for (const name of cases.names.sure) reasonOf(`${name}_`);
    expect([RegExp.$1, RegExp.lastMatch]).toEqual(['b', 'b']);
  });

  it('needs a moment for whatever text', () => {
    const before = process.cpuUsage();
    const hostile = [
      '-----BEGIN ',
      'eyJ',
      'eyJaaaaaaaaa.',
      '://',
      'secret:',
      'gh',
      'A ',
      '_',
      ':',
      '=',
      'Bearer ',
      'a-',
    ];
    for (const part of hostile) for (let turn = 0; turn < 20; turn += 1) formOf(part.repeat(2000));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000 / (20 * hostile.length)).toBeLessThan(1);
  });
});
