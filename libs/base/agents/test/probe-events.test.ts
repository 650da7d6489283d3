import { describe, expect, it } from 'vitest';
import { AgentsError, readProbeEvents } from '../src/index.ts';

const head = ['h', 1, 'python'];
const lines = (...rows: unknown[][]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const int = (text: string) => ({ type: 'int', text, truncated: false });

function check(text: string, expected: object) {
  expect(readProbeEvents(text)).toEqual({ events: [], truncated: false, notes: [], placed: [], ...expected });
}

const placed = ['p', 0, ['a', 'b'], ['c']];

describe('readProbeEvents', () => {
  it('has nothing to say of nothing', () => check('', {}));

  it('merges begin and end, in the order of the begins', () => {
    const text = lines(
      head,
      placed,
      ['p', 1, [], ['x']],
      ['t', 't.py::t'],
      ['b', 0, 0, 0, [['int', '1'], 0]],
      ['e', 1, 1, 1, [['list', '[…]', 1, 7]], 0],
      ['a', 0, [['int', '2', 0]]],
      ['t'],
      ['b', 2, 0, 0],
    );
    const test = 't.py::t';
    check(text, {
      events: [
        { n: 0, frame: 0, test, before: { a: int('1') }, after: { c: int('2') }, completed: true },
        {
          n: 1,
          frame: 1,
          test,
          after: { x: { type: 'list', text: '[…]', truncated: true, ref: 7 } },
          completed: true,
          caller: 0,
        },
        { n: 0, frame: 0, completed: false },
      ],
      placed: [0, 1],
    });
  });

  it('orders by id, not by place: threads may write in another order', () => {
    const { events } = readProbeEvents(lines(head, placed, ['b', 1, 0, 1], ['b', 0, 0, 0]));
    expect(events.map(({ frame }) => frame)).toEqual([0, 1]);
  });

  it('tells branches, returns and what was raised', () => {
    const text = lines(
      head,
      ['p', 2, [], []],
      ['b', 0, 2, 0],
      ['k', 0, 'false'],
      ['b', 1, 2, 0],
      ['r', 1, ['int', '5']],
      ['b', 2, 2, 0],
      ['x', 2, ['ValueError', "ValueError('x')", 0, 3]],
      ['b', 3, 2, 0],
      ['x', 3],
    );
    const { events } = readProbeEvents(text);
    expect(events).toEqual([
      { n: 2, frame: 0, branch: 'false', completed: true },
      { n: 2, frame: 0, returned: int('5'), completed: true },
      {
        n: 2,
        frame: 0,
        completed: false,
        raised: { type: 'ValueError', text: "ValueError('x')", truncated: false, ref: 3 },
      },
      { n: 2, frame: 0, completed: false },
    ]);
  });

  it('says what was cut, noted and not placed', () => {
    check(lines(head, ['q', 4, 'no such statement'], ['n', 'a note'], ['c']), {
      truncated: true,
      notes: ['probe 4: no such statement', 'a note'],
    });
  });

  it('reads a block that a killed process left half empty', () => {
    const text = `${lines(head, placed, ['b', 0, 0, 0])}["a",0,[["int"${'\0'.repeat(100)}`;
    check(text, {
      events: [{ n: 0, frame: 0, completed: false }],
      notes: ['1 line could not be read'],
      placed: [0],
    });
    check(`${lines(head, placed)}${'\0'.repeat(9)}\n\n${lines(['b', 0, 0, 0])}`, {
      events: [{ n: 0, frame: 0, completed: false }],
      placed: [0],
    });
  });

  it.each<[string, unknown]>([
    ['text of the target', 'hello'],
    ['an object', {}],
    ['an unknown tag', ['z', 1]],
    ['a tag that is no text', [1]],
    ['two tags in one', ['ab', 1]],
    ['an end of nothing', ['a', 9]],
    ['a second end', ['a', 0]],
    ['a second begin', ['b', 0, 0, 0]],
    ['a begin of an unknown probe', ['b', 5, 77, 0]],
    ['a negative frame', ['b', 5, 0, -1]],
    ['a branch without its name', ['k', 1]],
    ['a return of nothing', ['r', 1]],
    ['names that are none', ['p', 3, 'ab', []]],
  ])('passes over %s', (_, row) => {
    const good = lines(head, placed, ['b', 0, 0, 0], ['a', 0], ['b', 1, 0, 0]);
    const { events, notes } = readProbeEvents(`${good}${JSON.stringify(row)}\n`);
    expect(events).toEqual(readProbeEvents(good).events);
    expect(notes).toEqual(['1 line could not be read']);
  });

  it.each<[string, unknown]>([
    ['no list', 'x'],
    ['no text', ['int', 5]],
    ['a bad flag', ['int', '5', true]],
    ['a text no agent writes', ['str', 'x'.repeat(4097)]],
  ])('leaves out a value that is %s', (_, value) => {
    const [event] = readProbeEvents(lines(head, placed, ['b', 0, 0, 0, [value, ['int', '2']]])).events;
    expect(event?.before).toEqual({ b: int('2') });
  });

  it('takes names that every object has', () => {
    const [event] = readProbeEvents(
      lines(head, ['p', 0, ['__proto__', 'constructor'], []], ['b', 0, 0, 0, [['int', '1']]]),
    ).events;
    expect(Object.keys(event?.before ?? {})).toEqual(['__proto__']);
  });

  it('keeps processes apart', () => {
    const one = lines(head, placed, ['b', 0, 0, 0], ['a', 0]);
    const { events } = readProbeEvents(one + one);
    expect(events.map(({ frame, completed }) => [frame, completed])).toEqual([
      [0, true],
      [1, true],
    ]);
  });

  it('reads on without a head, and says so', () => {
    expect(readProbeEvents(lines(placed, ['b', 0, 0, 0]))).toMatchObject({
      events: [{ n: 0 }],
      notes: ['the events have no head'],
    });
  });

  it('refuses another major', () => {
    expect(() => readProbeEvents(lines(['h', 2, 'node']))).toThrowError(AgentsError);
  });

  it('gives the same for the same', () => {
    const text = lines(head, placed, ['b', 0, 0, 0, [['int', '1']]]);
    expect(JSON.stringify(readProbeEvents(text))).toBe(JSON.stringify(readProbeEvents(text)));
  });
});
