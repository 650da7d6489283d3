import { ProbePlan, parseRecord } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { type PlanInput, PROBE_CAP, planProbes } from '../src/index.ts';
import { failureAt, hypotheses, ranked, shapeOf } from './program-of.ts';

const CART = `"""A cart."""
import math
RATES = {'a': 1}


class Cart:
    limit = 3

    def total(self, items, bonus=0):
        out = bonus
        base = self.limit * 2
        for item in items:
            rate = RATES[item.kind]
            price = item.price * rate
            if price > base:
                out += price
        try:
            out = math.floor(out)
        except ValueError as error:
            print(error)
        return out


def empty():
    return Cart().total([x for x in RATES])
`;
const SHOP = `import { rates } from './rates';
export function total(items: Item[], bonus = 0) {
  let out = bonus;
  for (const { kind, price } of items) {
    const rate = rates[kind];
    if (price * rate > 2) out += price;
  }
  const double = items.map((item) => item.price * out);
  return out;
}
export const twice = (n: number) =>
  n * 2;
`;
const shape = shapeOf({ 'shop/cart.py': CART, 'src/shop.ts': SHOP });
const plan = (input: Partial<PlanInput>) =>
  parseRecord(ProbePlan, planProbes({ ...shape, candidates: ranked(), ...input }));
/** `line variables (block) source`, by point. */
const points = (input: Partial<PlanInput>) =>
  plan(input).probe_points.map(
    ({ location, variables, block, source }) => `${location} ${variables.join(',')} (${block}) ${source}`,
  );
const where = (input: Partial<PlanInput>) => plan(input).probe_points.map(({ location }) => location);

describe('a point', () => {
  test.each([
    ['shop/cart.py:9', []],
    ['shop/cart.py:10', ['bonus,out (function Cart.total, lines 10-11)']],
    ['shop/cart.py:12', ['item,items (function Cart.total, lines 12-12)']],
    ['shop/cart.py:15', ['RATES,base,item,price,rate (function Cart.total, lines 13-15)']],
    ['shop/cart.py:16', ['out,price (function Cart.total, lines 16-16)']],
    ['shop/cart.py:17', ['out (function Cart.total, lines 18-18)']],
    ['shop/cart.py:19', ['error (function Cart.total, lines 20-20)']],
    ['shop/cart.py:3', ['RATES (module, lines 3-3)']],
    ['shop/cart.py:1', []],
    ['shop/cart.py:7', []],
    ['shop/cart.py:2', []],
    ['shop/cart.py:99', []],
    ['elsewhere.py:3', []],
    ['shop/cart.py:25', ['RATES (function empty, lines 25-25)']],
    ['src/shop.ts:3', ['bonus,out (function total, lines 3-3)']],
    ['src/shop.ts:4', ['items,kind,price (function total, lines 4-4)']],
    ['src/shop.ts:6', ['kind,price,rate (function total, lines 5-6)']],
    ['src/shop.ts:8', ['double,items,out (function total, lines 8-9)']],
    ['src/shop.ts:1', []],
  ])('at %s', (location, expected) => {
    const found = points({ candidates: ranked(location) });
    expect(found.map((text) => text.replace(/^\S+ | \w+$/g, ''))).toEqual(expected);
  });

  test('is one per basic block, the best ranked', () => {
    expect(
      where({ candidates: ranked('shop/cart.py:14', 'shop/cart.py:15', 'shop/cart.py:13', 'shop/cart.py:10') }),
    ).toEqual(['shop/cart.py:14', 'shop/cart.py:10']);
  });

  test('is one of 16 at most', () => {
    const lines = Array.from({ length: 60 }, (_, index) => `    if a > ${index}:\n        a -= 1`);
    const text = `def f(a):\n${lines.join('\n')}\n`;
    const candidates = ranked(...Array.from({ length: 50 }, (_, index) => `f.py:${2 * index + 2}`));
    const found = plan({ ...shapeOf({ 'f.py': text }), candidates }).probe_points;
    expect(found).toHaveLength(PROBE_CAP);
    expect(found.at(-1)).toMatchObject({ id: 'PP16', location: 'f.py:32', source: 'sbfl' });
  });
});

describe('the failure', () => {
  test('comes first, with the decision over its block', () => {
    expect(
      points({ failure: failureAt('shop/cart.py:14'), candidates: ranked('shop/cart.py:16', 'shop/cart.py:12') }),
    ).toEqual([
      'shop/cart.py:14 RATES,item,price,rate (function Cart.total, lines 13-15) failure_neighborhood',
      'shop/cart.py:12 item,items (function Cart.total, lines 12-12) failure_neighborhood',
      'shop/cart.py:16 out,price (function Cart.total, lines 16-16) sbfl',
    ]);
  });

  test('needs no header where none decides', () => {
    expect(where({ failure: failureAt('shop/cart.py:18') })).toEqual(['shop/cart.py:18']);
    expect(where({ failure: failureAt('shop/cart.py:25') })).toEqual(['shop/cart.py:25']);
  });

  test('is the innermost frame that can be observed', () => {
    expect(where({ failure: failureAt('lib/other.py:3', 'tests/test_cart.py:9', 'shop/cart.py:21') })).toEqual([
      'shop/cart.py:21',
    ]);
  });

  test('is left to the ranking where a hypothesis is planned', () => {
    const input = { failure: failureAt('shop/cart.py:21'), hypotheses: hypotheses(['out', 'shop/cart.py:16']) };
    expect(where({ ...input, candidates: ranked('shop/cart.py:10') })).toEqual(['shop/cart.py:16', 'shop/cart.py:10']);
  });

  test('is in where no hypothesis could be planned', () => {
    const input = { failure: failureAt('shop/cart.py:21'), hypotheses: hypotheses(['nothing', 'shop/cart.py:16']) };
    expect(where(input)).toEqual(['shop/cart.py:21']);
  });
});

describe('hypotheses', () => {
  const resolve = (...observed: Parameters<typeof hypotheses>) => {
    const { probe_points, unresolved = [] } = plan({ hypotheses: hypotheses(...observed) });
    return [
      ...probe_points.map(({ location, variables }) => `${location} ${variables}`),
      ...unresolved.map(({ hypothesis_id, why }) => `${hypothesis_id}: ${why}`),
    ];
  };
  const CASES: [variable: string, location: string, expected: string, expectation?: string][] = [
    ['base', 'shop/cart.py:16', 'shop/cart.py:16 base,out,price'],
    ['self.limit', 'cart.py:16', 'shop/cart.py:16 out,price,self'],
    ['out', 'shop/cart.py::Cart.total', 'shop/cart.py:10 bonus,out'],
    ['bonus', 'Cart.total', 'shop/cart.py:10 bonus,out'],
    ['bonus', 'shop/cart.py:9', 'shop/cart.py:10 bonus,out'],
    ['error', 'shop/cart.py:20', 'shop/cart.py:20 error'],
    ['out', 'src/shop.ts:2', 'src/shop.ts:3 bonus,out'],
    ['', 'shop/cart.py:15', 'shop/cart.py:15 RATES,base,item,price,rate', 'branch taken'],
    ['the result', 'shop/cart.py:18', 'shop/cart.py:18 out', 'raises ValueError'],
    ['out', 'nowhere.py:3', 'h1: there is no file "nowhere.py" among those that can be observed'],
    ['out', 'shop/cart.py:2', 'h1: no statement stands at shop/cart.py:2'],
    ['outt', 'shop/cart.py:16', 'h1: no variable "outt" is visible at shop/cart.py:16'],
    ['Cart', 'shop/cart.py:16', 'h1: no variable "Cart" is visible at shop/cart.py:16'],
    ['out', 'Cart.sum', 'h1: there is no function "Cart.sum" with a statement'],
  ];
  test.each(CASES)('%s at %s', (variable, location, expected, expectation) => {
    expect(resolve([variable, location, ...(expectation === undefined ? [] : [expectation])] as never)).toEqual([
      expected,
    ]);
  });

  test('keep their order, share a location, and need no block of their own', () => {
    const input = hypotheses(
      ['out', 'shop/cart.py:16'],
      ['nope', 'x.py:1'],
      ['base', 'shop/cart.py:16'],
      ['rate', 'shop/cart.py:14'],
    );
    const found = plan({ hypotheses: input, candidates: ranked('shop/cart.py:13', 'shop/cart.py:18') });
    expect(found.probe_points.map(({ location, variables, source }) => `${location} ${variables} ${source}`)).toEqual([
      'shop/cart.py:16 base,out,price hypothesis',
      'shop/cart.py:14 RATES,item,price,rate hypothesis',
      'shop/cart.py:18 out sbfl',
    ]);
    expect(found.unresolved).toEqual([expect.objectContaining({ hypothesis_id: 'h2' })]);
  });
});

test('the same input gives the same bytes, in whatever order the files come', () => {
  const input = { failure: failureAt('shop/cart.py:14'), candidates: ranked('src/shop.ts:6', 'shop/cart.py:16') };
  const turned = { outlines: new Map([...shape.outlines].reverse()), names: new Map([...shape.names].reverse()) };
  expect(JSON.stringify(planProbes({ ...turned, ...input }))).toBe(JSON.stringify(planProbes({ ...shape, ...input })));
});
