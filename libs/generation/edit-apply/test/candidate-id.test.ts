import { hashRecord, sha256Hex } from '@h/contracts';
import { expect, test } from 'vitest';
import { applyEdits, candidateId } from '../src/index.ts';

const before = sha256Hex('a = 1\n');
const blocks = [{ search: 'a = 1', replace: 'a = 2' }];

test('is the hash of exactly these keys, absent ones absent', () => {
  expect(candidateId({ file: 'a.py', before, blocks })).toBe(hashRecord({ file: 'a.py', before, blocks }));
  expect(candidateId({ file: 'a.py', before, span: [1, 2], blocks })).toBe(
    hashRecord({ file: 'a.py', before, span: [1, 2], blocks }),
  );
  expect(candidateId({ file: 'a.py', before, content: 'b' })).toBe(hashRecord({ file: 'a.py', before, content: 'b' }));
  const more = { file: 'a.py', before, blocks, score: 1, provenance: 'x' };
  expect(candidateId(more)).toBe(candidateId({ file: 'a.py', before, blocks }));
});

test('is what a record carries when the edit came without one', () => {
  expect(applyEdits({ 'a.py': 'a = 1\n' }, { file: 'a.py', blocks })).toMatchObject({
    record: { candidate_id: candidateId({ file: 'a.py', before, blocks }) },
  });
  expect(applyEdits({}, { file: 'a.py', blocks })).toMatchObject({
    rejection: { candidate_id: candidateId({ file: 'a.py', blocks }) },
  });
});

test('of a package is the hash of its files, each with the bytes it was applied to', () => {
  const entry = { path: 'a.py', op: 'edit' as const, blocks };
  expect(applyEdits({ 'a.py': 'a = 1\n' }, { files: [entry] })).toMatchObject({
    record: { candidate_id: hashRecord({ files: [{ ...entry, before }] }) },
  });
});
