// Scripted events of a run, as `readProbeEvents` gives them, against the sites of real tables.
import type { ProbeEvent } from '@h/agents';
import { DefUseRow, parseRecord, RawEvent, type ValueText } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { foldEvents } from '../src/fold-events.ts';
import { buildProbeTable, type ProbeSite, planProbes, planTrace } from '../src/index.ts';
import { parser, ranked, shapeOf } from './program-of.ts';

const CODE = `def outer(xs):
    out = []
    for x in xs:
        if x < 0:
            continue
        out.append(x)
    try:
        risky(out)
    except ValueError as error:
        return error
    return inner(out)


def inner(ys):
    total = len(ys)
    return total
`;
const execution_id = 'a'.repeat(64);
const shape = shapeOf({ 'a.py': CODE });
const plan = planProbes({ ...shape, candidates: ranked('a.py:6', 'a.py:15') });
const { sites } = buildProbeTable(plan, planTrace(plan, shape), [{ file: 'a.py', text: CODE }], { parser });

const int = (value: number): ValueText => ({ type: 'int', text: String(value), truncated: false });
const list = (text: string, ref = 0): ValueText => ({ type: 'list', text, truncated: false, ref });

/** Line and what else is to be said of the event; an entry is line 1 or 14. */
function events(...lines: [line: number, more?: Partial<ProbeEvent>][]): ProbeEvent[] {
  return lines.map(([line, more]) => {
    const role = line === 1 || line === 14 ? 'entry' : undefined;
    const site = sites.find((each) => each.line === line && (role === undefined || each.role === role)) as ProbeSite;
    return { n: site.n, frame: 0, completed: true, ...more };
  });
}

function fold(...lines: Parameters<typeof events>) {
  const folded = foldEvents(events(...lines), sites, { execution_id, test: 't' });
  for (const event of folded.events) parseRecord(RawEvent, event);
  for (const row of folded.rows) parseRecord(DefUseRow, row);
  expect(folded.rows.map(({ sequence }) => sequence)).toEqual(folded.events.map((_, index) => index));
  expect(folded.events.map(({ sequence }) => sequence)).toEqual(folded.events.map((_, index) => index));
  return folded;
}

/** `line<parent`, by row. */
const parents = (...lines: Parameters<typeof events>) =>
  fold(...lines).rows.map(({ location, control_parent: parent }) => {
    const line = location.split(':')[1];
    return parent === undefined ? line : `${line}<${parent}`;
  });

describe('what decided', () => {
  test('the branch that ran last of those that may have', () => {
    expect(parents([1], [2], [3], [4], [5], [3], [4], [6], [3], [8], [11])).toEqual([
      '1',
      '2<0',
      '3<0',
      '4<2',
      '5<3',
      '3<0',
      '4<5',
      '6<6',
      '3<0',
      '8<0',
      '11<0',
    ]);
  });

  test('the statement that raised, where a handler runs', () => {
    const found = fold([1], [2], [3], [8, { completed: false }], [10]);
    expect(found.rows[4]?.control_parent).toBe(3);
    expect(found.rows[3]?.defs).toEqual(['error']);
    expect(found.rows[4]?.uses).toContain('error');
  });

  test('in its own frame alone', () => {
    expect(
      parents([1], [3], [14, { frame: 1 }], [15, { frame: 1 }], [4], [14, { frame: 2 }], [16, { frame: 2 }]),
    ).toEqual(['1', '3<0', '14', '15<2', '4<1', '14', '16<5']);
  });

  test('nothing, where the entry was not seen', () => expect(parents([2], [3])).toEqual(['2', '3']));
});

test('a loop binds its target only where it took an item', () => {
  const found = fold([3, { branch: 'iteration' }], [3, { branch: 'done' }]);
  expect(found.rows.map(({ defs }) => defs)).toEqual([['x'], []]);
});

test('callers follow the events that are kept', () => {
  const found = fold(
    [2, { test: 'other' }],
    [1, { test: 't' }],
    [11],
    [14, { frame: 1, caller: 2 }],
    [14, { frame: 2, caller: 0 }],
  );
  expect(found.foreign).toBe(1);
  expect(found.rows.map(({ caller }) => caller)).toEqual([undefined, undefined, 1, undefined]);
});

test('a probe point has its id, the rest is the dense stream', () => {
  expect(fold([6], [15, { frame: 1 }], [2]).events.map(({ probe_id }) => probe_id)).toEqual(['PP1', 'PP2', 'trace']);
});

describe('kind and payload', () => {
  const payload = (line: number, more: Partial<ProbeEvent> = {}) => {
    const { kind, payload: found } = fold([line, more]).events[0] as RawEvent;
    return { kind, ...found };
  };

  test('no values: a path', () => {
    expect(payload(1)).toEqual({ kind: 'path' });
    expect(payload(4, { branch: 'false' })).toEqual({ kind: 'path', branch_taken: 'false' });
  });
  test('values: after, else before', () => {
    const more = { before: { x: int(1), out: list('[]') }, after: { out: list('[]') } };
    expect(payload(6, more)).toEqual({ kind: 'value', variables: { out: list('[]'), x: int(1) } });
  });
  test('a changed text: a delta', () => {
    expect(payload(6, { before: { out: list('[]') }, after: { out: list('[1]') } })).toEqual({
      kind: 'state_delta',
      variables: { out: list('[1]') },
      state_delta: { from: { out: list('[]') }, to: { out: list('[1]') } },
    });
  });
  test('returned and raised', () => {
    expect(payload(16, { returned: int(2) })).toEqual({ kind: 'value', return_value: int(2) });
    expect(payload(8, { completed: false, raised: int(3) })).toEqual({ kind: 'value', exception: int(3) });
  });
  test('a variable called __proto__ is a variable', () => {
    const before = JSON.parse('{"__proto__":{"type":"int","text":"1","truncated":false}}');
    expect(JSON.stringify(fold([6, { before }]).events[0]?.payload)).toContain('"__proto__"');
  });
});

describe('what may have changed', () => {
  const mayDefs = (more: Partial<ProbeEvent>) => fold([6, more]).rows[0]?.may_defs;
  const same = (values: Record<string, ValueText>) => ({ before: values, after: values });

  test('receiver and arguments', () => expect(mayDefs({})).toEqual(['out', 'x']));
  test('no primitive that stayed', () => expect(mayDefs(same({ x: int(1) }))).toEqual(['out']));
  test('no primitive whose name nothing else can bind', () => {
    expect(mayDefs({ before: { x: int(1) } })).toEqual(['out']);
  });
  test('an object, even if its text stayed', () => expect(mayDefs(same({ out: list('[]') }))).toEqual(['out', 'x']));

  const exposed = (more: Partial<ProbeEvent>) => {
    const site = {
      ...(sites[0] as ProbeSite),
      role: 'statement' as const,
      touches: ['n'],
      exposed: ['n', 'seen'],
      defs: [],
    };
    const event: ProbeEvent = { n: 0, frame: 0, completed: true, ...more };
    return foldEvents([event], [site], { execution_id, test: 't' }).rows[0]?.may_defs;
  };
  test('what unobserved functions change', () => expect(exposed({})).toEqual(['n', 'seen']));
  test('unless its whole text stayed', () => {
    expect(exposed(same({ n: int(1), seen: list('[]') }))).toEqual([]);
    expect(exposed(same({ seen: { ...list('[…]'), truncated: true } }))).toEqual(['n', 'seen']);
    // what is put on a function is not in its text
    expect(exposed(same({ n: int(1), seen: list('[<function f>]') }))).toEqual(['seen']);
    expect(exposed(same({ n: { type: 'str', text: "'<'", truncated: false }, seen: list('[]') }))).toEqual([]);
  });
  test('a primitive that was bound anew', () => {
    expect(exposed({ before: { n: int(1) } })).toEqual(['n', 'seen']);
    expect(exposed({ before: { n: int(1) }, after: { n: int(2) } })).toEqual(['n', 'seen']);
  });
});
