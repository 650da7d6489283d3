import type { EvidencePack } from '@h/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkClaims, gateCitationRate, readClaims } from '../src/index.ts';
import { packOf } from './tiny-pack.ts';

const told = (text: string, pack?: EvidencePack) =>
  readClaims(text, pack).map(
    ({ kind, name, value, location }) => `${kind} ${name} ${value.type} ${value.text} ${location}`,
  );

describe('what is a claim', () => {
  it.each([
    ['`total` was 9 at `stock.py:57`.', ['variable total number 9 stock.py:57']],
    ['total = 9 at stock.py:57', ['variable total number 9 stock.py:57']],
    ['`total = 9` at stock.py:57', ['variable total number 9 stock.py:57']],
    ['At src/a/stock.py:57, `total` is 9.5.', ['variable total number 9.5 src/a/stock.py:57']],
    [
      'At `stock.py:57` `name` was "a, b" and `k` was `None`',
      ['variable name str "a, b" stock.py:57', 'variable k NoneType None stock.py:57'],
    ],
    ['`self.items` held [1, [2, 3]] at a.py:3', ['variable self.items list [1, [2, 3]] a.py:3']],
    [
      '`rate()` returned 0.5 at cart.py:7, and x == -1 there',
      ['variable x number -1 cart.py:7', 'return rate number 0.5 cart.py:7'],
    ],
    ['The branch at cart.py:5 was not taken.', ['branch branch branch not taken cart.py:5']],
    ['The condition in cart.ts:5 was true', ['branch branch branch true cart.ts:5']],
    [
      '`a` was 1 at x.py:1. `a` was 2 at x.py:2.\n- `a` was 2 at x.py:2',
      ['variable a number 1 x.py:1', 'variable a number 2 x.py:2'],
    ],
  ])('%s', (text, claims) => {
    expect(told(text)).toEqual(claims);
  });
});

describe('what is none', () => {
  it.each([
    '`total` was 9.',
    '`total` was 9 at stock.py:57 or stock.py:58',
    '`total` was not 9 at stock.py:57',
    '`total` should be 9 at stock.py:57, `total` was 8',
    'If `total` was 9 at stock.py:57, the test would pass',
    '`total` was expected = 9 at stock.py:57',
    '`total` was probably 9 at stock.py:57',
    '`items` was 3 elements long at stock.py:57',
    '`total` was 9% at stock.py:57',
    '`total` was large at stock.py:57',
    'total was 9 at stock.py:57 in a table',
    'a <= 9 at stock.py:57',
    'Version 1.2.3 at 10:57',
    'see http://example.com:80 x = 1',
    '`n` was 5 [99]',
  ])('%s', (text) => {
    expect(readClaims(text, packOf())).toEqual([]);
  });
});

it('takes a citation by index for its place and its run', () => {
  const pack = packOf();
  const index = pack.evidence_pack.findIndex(({ variables }) => variables.k?.text === '0');
  const seen = pack.evidence_pack[index];
  const [claim] = readClaims(`The passing run differs: \`k\` was 0 [${index}].`, pack);
  expect(claim).toMatchObject({ location: seen?.location, execution_id: seen?.execution_id, name: 'k' });
  expect(readClaims(`\`k\` was 0 [${index}] at other.py:3`, pack)).toEqual([]);
});

it('tells true from false sentences, and their share', () => {
  const pack = packOf();
  const text = '`k` was 1 at a.py:3. `x` was 2 at a.py:5. `y` was 1 at a.py:5. The branch at a.py:4 was taken.';
  const checks = checkClaims(pack, readClaims(text, pack));
  expect(checks.map(({ verdict }) => verdict)).toEqual(['supported', 'contradicted', 'absent', 'supported']);
  expect(gateCitationRate(checks)).toEqual({ cited: 4, supported: 2, rate: 0.5 });
  expect(gateCitationRate([])).toEqual({ cited: 0, supported: 0, rate: null });
});

it('a claim made of an observation is supported', () => {
  for (const seen of packOf().evidence_pack) {
    for (const [name, { text }] of Object.entries(seen.variables)) {
      const checks = checkClaims(packOf(), readClaims(`\`${name}\` was ${text} at \`${seen.location}\``));
      expect(
        checks.every(({ verdict }) => verdict === 'supported'),
        `${name} ${text}`,
      ).toBe(true);
    }
  }
});

it('reads any text, in time linear in its length', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('`', 'x', '=', ' ', '9', '.', ':', 'a.py:3', '[', ']', '"', "'", '\n', 'was'),
      }),
      (text) => {
        for (const claim of readClaims(text, packOf())) expect(claim.location).toMatch(/:\d+$/);
      },
    ),
    { numRuns: 500, seed: 5 },
  );
  for (const part of ['[', '(', 'a.', '`', 'a=', '"', '[1,', 'a.b:', 'condition ', '9'])
    readClaims(part.repeat(20_000));
});
