import type { Claim, ClaimCheck, EvidencePack, ValueText } from '@h/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkClaim, checkClaims } from '../src/index.ts';
import { shaOf, textOf } from './build-run.ts';
import { failing, packOf, passing } from './tiny-pack.ts';

const pack = packOf();
const value = (type: string, text: string, truncated = false): ValueText => ({ type, text, truncated });
const claimOf = (kind: Claim['kind'], location: string, name: string, given: ValueText): Claim => ({
  kind,
  location,
  name,
  value: given,
});
const check = (claim: Claim, expected: ClaimCheck['verdict']) => expect(checkClaim(pack, claim).verdict).toBe(expected);

/** A pack of one observation of `x`. */
function seen(observed: ValueText): EvidencePack {
  const state = { execution_id: shaOf('run'), location: 'a.py:1', path_index: 0, return_values: {}, branch_taken: '' };
  return {
    evidence_pack: [{ ...state, variables: { x: observed } }],
    primary_suspects: [],
    execution_ids: [shaOf('run')],
    gated: true,
  };
}
const says = (observed: ValueText, claimed: ValueText) =>
  checkClaim(seen(observed), claimOf('variable', 'a.py:1', 'x', claimed)).verdict;

describe('verdicts', () => {
  it('of variables, in any run or in one', () => {
    const claim = claimOf('variable', 'a.py:3', 'k', textOf(1));
    check(claim, 'supported');
    check({ ...claim, value: textOf(0) }, 'supported');
    check({ ...claim, value: textOf(0), execution_id: failing.execution_id }, 'contradicted');
    check({ ...claim, value: textOf(0), execution_id: passing.execution_id }, 'supported');
    check({ ...claim, value: textOf(7) }, 'contradicted');
    check({ ...claim, name: 'z' }, 'absent');
    check({ ...claim, location: 'a.py:2' }, 'absent');
    check({ ...claim, execution_id: shaOf('other') }, 'absent');
    check({ ...claim, name: 'constructor' }, 'absent');
  });
  it('of returns', () => {
    check(claimOf('return', 'a.py:5', 'g', textOf(1)), 'supported');
    check(claimOf('return', 'a.py:5', 'g', textOf(2)), 'contradicted');
    check(claimOf('return', 'a.py:7', 'return', textOf(1)), 'supported');
    check(claimOf('return', 'a.py:7', 'f', textOf(1)), 'absent');
  });
  it('of branches', () => {
    check(claimOf('branch', 'a.py:4', '', value('branch', 'true')), 'supported');
    check(claimOf('branch', 'a.py:4', 'branch', value('bool', 'taken')), 'supported');
    check(claimOf('branch', 'a.py:4', 'false', value('branch', 'false')), 'contradicted');
    check(claimOf('branch', 'a.py:4', '', value('str', 'true')), 'contradicted');
    check(claimOf('branch', 'a.py:4', 'other', value('branch', 'true')), 'absent');
    check(claimOf('branch', 'a.py:40', '', value('branch', 'true')), 'absent');
  });
  it('lists what was observed there', () => {
    const [found] = checkClaims(pack, [
      { ...claimOf('variable', 'a.py:3', 'k', textOf(7)), execution_id: failing.execution_id },
    ]);
    expect(found).toMatchObject({ verdict: 'contradicted', observed: [textOf(1)] });
    expect(checkClaim(pack, claimOf('variable', 'a.py:2', 'x', textOf(1)))).not.toHaveProperty('observed');
  });
});

describe('spelling', () => {
  it.each([
    ['float', '1.0', '1'],
    ['float', '1.0', '1e0'],
    ['float', '-0.50', '-.5'],
    ['float', 'inf', 'Infinity'],
    ['int', '1000', '1_000'],
    ['str', "'ab'", '"ab"'],
    ['str', "'ab'", 'ab'],
    ['str', "'a\\'b'", '"a\'b"'],
    ['str', "'\\u00e9'", "'é'"],
    ['bool', 'True', 'true'],
    ['list', "[1, 'a']", '[ 1,"a" ]'],
    ['list', '[1.0, 2]', '[1.00, 2]'],
    ['dict', "{'a': 1}", '{"a":1}'],
  ])('of %s: %s is %s', (type, observed, claimed) =>
    expect(says(value(type, observed), value(type, claimed))).toBe('supported'),
  );

  it.each([
    ['int', '1', 'float', '1'],
    ['int', '12345678901234567890', 'int', '12345678901234567891'],
    ['str', "'1'", 'int', '1'],
    ['str', "'ab'", 'str', 'AB'],
    ['str', "'a b'", 'str', 'ab'],
    ['str', "' ab'", 'str', "'ab'"],
    ['list', '[1, 2]', 'list', '[12]'],
    ['list', "['a b']", 'list', "['ab']"],
    ['list', '[1]', 'list', '[1.0]'],
    ['list', "['1']", 'list', '[1]'],
    ['NoneType', 'None', 'str', 'None'],
    ['float', 'nan', 'float', '0'],
  ])('%s %s is not %s %s', (type, observed, claimedType, claimed) =>
    expect(says(value(type, observed), value(claimedType, claimed))).toBe('contradicted'),
  );

  it('knows a type by its other names', () => {
    expect(says(value('str', "'a'"), value('string', 'a'))).toBe('supported');
    expect(says(value('number', '1'), value('int', '1'))).toBe('supported');
    expect(says(value('number', '1'), value('float', '1.0'))).toBe('supported');
    expect(says(value('app.models.User', 'User{id: 1}'), value('User', 'User{id: 1}'))).toBe('supported');
    expect(says(value('int', '1'), value('', '1'))).toBe('supported');
  });

  it('reads a slot from the text of its object', () => {
    check(claimOf('variable', 'a.py:1', 'acc.total', textOf(3)), 'supported');
    check(claimOf('variable', 'a.py:1', 'acc.total', textOf(4)), 'contradicted');
    check(claimOf('variable', 'a.py:1', 'acc.name', textOf('a, b')), 'supported');
    check(claimOf('variable', 'a.py:1', 'acc.total', value('float', '3.0')), 'contradicted');
    check(claimOf('variable', 'a.py:1', 'acc.total', value('str', '3')), 'contradicted');
    check(claimOf('variable', 'a.py:1', 'acc.total', value('number', '3')), 'supported');
    check(claimOf('variable', 'a.py:1', 'acc.nothing', textOf(3)), 'absent');
    check(claimOf('variable', './a.py:1', 'acc.total', textOf(3)), 'supported');
  });
});

/** One value as Python prints it, and as somebody else might write it. */
const twoWays: fc.Arbitrary<readonly [string, string]> = fc.letrec<{ value: readonly [string, string] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.integer().map((n) => [`${n}`, `${n}`] as const),
    fc
      .integer({ min: -999, max: 999 })
      .map((n) => [`${n / 8}`.includes('.') ? `${n / 8}` : `${n / 8}.0`, `${(n / 8).toFixed(4)}`] as const),
    fc.constantFrom(['None', 'None'] as const),
    fc.string({ maxLength: 6 }).map((text) => {
      const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
      return [`'${inner}'`, JSON.stringify(text)] as const;
    }),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => join('[', items, ']')),
    fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,4}$/), tie('value')), { maxLength: 3 }).map((items) =>
      join(
        '{',
        items.map(([key, item]) => [`'${key}': ${item[0]}`, `"${key}" :${item[1]}`] as const),
        '}',
      ),
    ),
  ),
})).value;

function join(open: string, items: readonly (readonly [string, string])[], close: string): readonly [string, string] {
  const [mine, theirs] = [items.map(([text]) => text), items.map(([, text]) => text)];
  return [`${open}${mine.join(', ')}${close}`, `${open} ${theirs.join(' ,')}${close}`];
}

it('never takes another spelling for another value', () => {
  fc.assert(
    fc.property(twoWays, ([observed, claimed]) => {
      const type = /^[[]/.test(observed)
        ? 'list'
        : /^\{/.test(observed)
          ? 'dict'
          : /^'/.test(observed)
            ? 'str'
            : 'float';
      expect(says(value(type, observed), value(type, claimed))).toBe('supported');
    }),
    { numRuns: 1000, seed: 5 },
  );
});

describe('values that were cut', () => {
  const head = value('list', '[1, 2, …', true);
  it('say nothing about their rest', () => {
    expect(says(head, value('list', '[1, 2, 3]'))).toBe('absent');
    expect(says(head, value('list', '[1, 2, …'))).toBe('absent');
    expect(says(head, head)).toBe('supported');
    expect(says(head, value('list', '[1, …', true))).toBe('contradicted');
    expect(says(head, value('str', "'a'"))).toBe('contradicted');
  });
  it('a whole value is not a cut one', () =>
    expect(says(value('int', '1'), value('int', '1', true))).toBe('contradicted'));
});

it('supports every observed value and no changed one', () => {
  const claims = pack.evidence_pack.flatMap(({ execution_id, location, variables }) =>
    Object.entries(variables).map(
      ([name, given]): Claim => ({ kind: 'variable', execution_id, location, name, value: given }),
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...claims), fc.integer({ min: 5, max: 999 }), fc.nat(3), (claim, other, field) => {
      expect(checkClaim(pack, claim).verdict).toBe('supported');
      const changed: Claim[] = [
        { ...claim, value: { ...claim.value, text: `${other}` } },
        { ...claim, value: { ...claim.value, type: 'set' } },
        { ...claim, location: `a.py:${other + 20}` },
        { ...claim, name: `other${other}` },
      ];
      expect(checkClaim(pack, changed[field] as Claim).verdict).not.toBe('supported');
    }),
    { numRuns: 1000, seed: 2 },
  );
});
