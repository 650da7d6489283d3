import { childIn } from '../copy-tree.ts';
import type { Template } from '../template.ts';

/** Names of the standard libraries that stand for opposite or neighbouring choices. */
const GROUPS: readonly (readonly string[])[] = [
  ['min', 'max'],
  ['any', 'all'],
  ['some', 'every'],
  ['floor', 'ceil', 'round', 'trunc'],
  ['lower', 'upper'],
  ['toLowerCase', 'toUpperCase'],
  ['startswith', 'endswith'],
  ['startsWith', 'endsWith'],
  ['strip', 'lstrip', 'rstrip'],
  ['trim', 'trimStart', 'trimEnd'],
  ['find', 'rfind'],
  ['index', 'rindex'],
  ['indexOf', 'lastIndexOf'],
  ['findIndex', 'findLastIndex'],
  ['split', 'rsplit'],
  ['partition', 'rpartition'],
  ['ljust', 'rjust'],
  ['padStart', 'padEnd'],
  ['append', 'appendleft', 'extend'],
  ['pop', 'popleft'],
  ['push', 'unshift'],
  ['pop', 'shift'],
  ['keys', 'values', 'items'],
  ['keys', 'values', 'entries'],
  ['heappush', 'heappop'],
  ['union', 'intersection', 'difference'],
  ['issubset', 'issuperset'],
  ['add', 'discard'],
  ['add', 'delete'],
  ['get', 'has'],
  ['map', 'filter', 'flatMap'],
  ['reduce', 'reduceRight'],
  ['bisect_left', 'bisect_right'],
  ['insort_left', 'insort_right'],
  ['isdigit', 'isalpha', 'isalnum'],
  ['sin', 'cos'],
  ['sorted', 'reversed'],
  ['int', 'float'],
  ['parseInt', 'parseFloat'],
  ['total_seconds', 'seconds'],
  ['getDate', 'getDay'],
];

/** A standard function or method for its counterpart: `min` for `max`, `push` for `unshift`, `floor` for `ceil`. */
export const counterpartCalls: Template = {
  name: 'counterpart-call',
  *propose(site) {
    for (const node of site.nodes) {
      // `any(x for x in y)` of Python has no list of arguments.
      const callee = /^(call|call_expression)$/.test(node.type) ? childIn(node, 'function') : undefined;
      if (!callee) continue;
      const name = site.grammar.member(callee)?.property ?? (callee.type === 'identifier' ? callee : undefined);
      if (!name) continue;
      for (const text of counterpartsOf(site.text(name))) {
        yield { start: name.start, end: name.end, text, variant: 'name' };
      }
    }
  },
};

/** Names of standard functions and methods that are confused with this one, in the order of the table. */
function counterpartsOf(name: string): readonly string[] {
  const others = GROUPS.filter((group) => group.includes(name)).flat();
  return [...new Set(others)].filter((other) => other !== name);
}
