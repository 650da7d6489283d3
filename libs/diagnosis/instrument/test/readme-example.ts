import { createParser } from '@h/syntax';
import { buildProbeTable, planProbes, planTrace } from '../src/index.ts';

const text =
  'def total(items, bonus):\n    out = bonus\n    for item in items:\n        out -= item.price\n    return out\n';
const parser = await createParser({ languages: ['python'] });
const program = {
  outlines: new Map([['cart.py', parser.outline(text, 'python')]]),
  names: new Map([['cart.py', parser.names(text, 'python')]]),
};
const failure = { class: 'AssertionError', message: '-5 != 5', frames: ['cart.py:4'] };
const plan = planProbes({ ...program, failure });
console.log(plan.probe_points[0]);
// { id: 'PP1', location: 'cart.py:4', block: 'function total, lines 4-4', variables: [ 'item', 'out' ], source: 'failure_neighborhood' }
const { table, sites } = buildProbeTable(plan, planTrace(plan, program), [{ file: 'cart.py', text }], { parser });
console.log(table.files[0]?.probes[3]); // { n: 3, line: 4, role: 'statement', before: [ 'item', 'out' ], after: [ 'out' ], start: 72 }
console.log(sites[3]?.defs, sites[3]?.uses); // [ 'out' ] [ 'item', 'item.price', 'out' ]
