import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { limitCommands, quoteWord, signalName } from '../../src/backends/shape-process.ts';
import { defaultPolicy } from '../../src/index.ts';

it('quotes any word so that a shell gives it back', () => {
  const word = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\0', ''));
  fc.assert(
    fc.property(fc.array(word, { minLength: 40, maxLength: 60 }), (words) => {
      const script = `printf '%s\\0' ${words.map(quoteWord).join(' ')}`;
      const shown = spawnSync('/bin/sh', ['-c', script]).stdout;
      expect(shown).toEqual(Buffer.from(words.map((text) => `${text}\0`).join('')));
    }),
    { numRuns: 15 },
  );
});

it('names signals by number', () => {
  expect([9, 11, 15, 24, 200].map(signalName)).toEqual(['SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGXCPU', undefined]);
});

it('sets both limits of processor time, so that a payload cannot raise its own', () => {
  const policy = defaultPolicy({ cpu_ms: 4500 });
  const folders = { root: '/', workspace: '/', home: '/', tmp: '/' };
  const plan = { argv: [], cwd: '', environment: {}, folders, policy, readOnlyPaths: [], slot: 0 };
  const script = [...limitCommands(plan), 'ulimit -S -t', 'ulimit -H -t', 'ulimit -c'].join('\n');
  expect(spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).stdout).toBe('5\n6\n0\n');
});
