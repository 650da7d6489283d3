// Values as the agents render them, read back, beside what Python and Node say of them: the same, or nothing.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { ValueText } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { evaluateExpression } from '../src/evaluate-expression.ts';
import { javascript } from '../src/languages/javascript.ts';
import { python } from '../src/languages/python.ts';
import { elementOf, holds, lengthOf, readSeen, type Speech, type Value } from '../src/seen-value.ts';

const AGENTS = join(import.meta.dirname, '../../../base/agents/agents');

interface Rendered {
  source: string;
  seen: ValueText;
  truth: boolean;
  /** Absent where it has none. */
  length: number | null;
}

const PYTHON = [
  ...['0', '-3', '2 ** 60', '2 ** 3000', '0.0', '-0.0', '1.5', 'float("nan")', 'float("inf")', '0j', '1j', '1 + 2j'],
  ...[
    'True',
    'False',
    'None',
    '""',
    '"ab"',
    '"\\0" + "12"',
    '"a" * 300',
    '"😀"',
    '"a😀b"',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
  ],
  ...[
    'b""',
    'b"a"',
    'bytearray(b"")',
    'bytearray(b"a")',
    '[]',
    '[1, [2, 3]]',
    '()',
    '(1,)',
    '(1, 2)',
    '[1 + 2j]',
    '[(1 + 2j)]',
  ],
  ...[
    '{}',
    '{1: 2}',
    'set()',
    '{1}',
    'frozenset()',
    'frozenset({1})',
    'frozenset({1, 2})',
    'range(0, 0)',
    'range(5)',
    'range(5, 0)',
  ],
  ...[
    'range(5, 0, -2)',
    'range(0, 5, -1)',
    'collections.deque()',
    'collections.deque([], 3)',
    'collections.deque([1])',
  ],
  ...[
    'collections.OrderedDict()',
    'collections.OrderedDict(a=1)',
    'collections.defaultdict(int)',
    'collections.defaultdict(int, a=1)',
  ],
  ...[
    'Empty()',
    'Sized()',
    'Point(0, 0)',
    'Color.RED',
    'len',
    'Empty',
    'Decimal(0)',
    'datetime.timedelta(0)',
    '["a/b", 1]',
  ],
  ...[
    'list(range(30))',
    '{}.keys()',
    '{1: 2}.keys()',
    'slice(1)',
    '...',
    'NotImplemented',
    'ValueError("x")',
    'iter([])',
  ],
];
const PYTHON_SCRIPT = `
import sys, json, collections, datetime, enum
from decimal import Decimal
sys.path.insert(0, sys.argv[1])
from h_agent_values import text_of
class Empty:
    def __len__(self): return 0
class Sized(list): pass
Point = collections.namedtuple('Point', 'x y')
class Color(enum.IntEnum): RED = 0
told = []
for source in json.load(sys.stdin):
    value = eval(source)
    text, state = text_of(value)
    seen = {'type': type(value).__name__, 'text': text, 'truncated': bool(state.cut), **({'masked': True} if state.masked else {})}
    told.append({'source': source, 'seen': seen, 'truth': bool(value), 'length': len(value) if hasattr(value, '__len__') and not isinstance(value, type) else None})
print(json.dumps(told))
`;
const NODE = [
  ...[
    '0',
    '-0',
    '-3',
    '1.5',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e21',
    '0n',
    '5n',
    '10n ** 300n',
    'true',
    'false',
    'null',
    'undefined',
  ],
  ...[
    '""',
    '"ab"',
    '"\\0" + "12"',
    '"a".repeat(300)',
    '"😀"',
    '"\\ud83d"',
    '[]',
    '[1, [2]]',
    '[,]',
    '[1,,3]',
    'new Array(3)',
    '[undefined]',
  ],
  ...[
    '[/,/, 1]',
    '[/"/, 1, "a"]',
    '[NaN]',
    '[0n]',
    '[..."a".repeat(30)]',
    '{}',
    '({a: 1})',
    'new Map()',
    'new Map([[1, 2]])',
  ],
  ...[
    'new Set()',
    '() => 1',
    'class A {}',
    'Symbol("a")',
    '/a/',
    'new Date(0)',
    'new Error("x")',
    'new Boolean(false)',
    'new String("")',
  ],
  ...[
    'new Uint8Array(3)',
    'new Proxy({}, {})',
    'process.env',
    '({ get a() { return 0; } })',
    'new (class extends Array {})()',
    '["a/b", 1]',
  ],
];
const NODE_SCRIPT = `
import { valueText } from ${JSON.stringify(join(AGENTS, 'node/node-values.mjs'))};
import { readFileSync } from 'node:fs';
const told = JSON.parse(readFileSync(0, 'utf8')).map((source) => {
  const value = (0, eval)(source === '{}' ? '({})' : source.startsWith('class') ? '(' + source + ')' : source);
  const [type, text, flag = 0, ref] = JSON.parse(valueText(value));
  const seen = { type, text, truncated: flag > 0, ...(flag === 2 ? { masked: true } : {}), ...(ref === undefined ? {} : { ref }) };
  const isCounted = typeof value === 'string' || Array.isArray(value);
  return { source, seen, truth: Boolean(value), length: isCounted ? value.length : null };
});
process.stdout.write(JSON.stringify(told));
`;

function rendered(command: string, args: string[], sources: readonly string[]): Rendered[] {
  return JSON.parse(execFileSync(command, args, { input: JSON.stringify(sources), encoding: 'utf8' })) as Rendered[];
}

const fromPython = rendered('python3', ['-W', 'ignore', '-c', PYTHON_SCRIPT, join(AGENTS, 'python')], PYTHON);
const fromNode = rendered(process.execPath, ['--input-type=module', '-e', NODE_SCRIPT], NODE);

function told(values: readonly Rendered[], speech: Speech) {
  return values.map(({ source, seen, truth, length }) => {
    const value = readSeen(seen);
    return {
      ...{ source, text: seen.text, truth, length },
      held: value && holds(value, speech),
      counted: value && lengthOf(value, speech),
    };
  });
}

describe.each([
  ['python', fromPython],
  ['javascript', fromNode],
] as const)('%s', (speech, values) => {
  test('truth is that of the value, or not told', () => {
    expect(told(values, speech).filter(({ held, truth }) => held !== undefined && held !== truth)).toEqual([]);
  });

  test('length is that of the value, or not told', () => {
    expect(told(values, speech).filter(({ counted, length }) => counted !== undefined && counted !== length)).toEqual(
      [],
    );
  });
});

test('what is plain is told', () => {
  const heldIn = (values: readonly Rendered[], speech: Speech) =>
    told(values, speech)
      .filter(({ held }) => held !== undefined)
      .map(({ source }) => source);
  expect(heldIn(fromPython, 'python')).toEqual(
    expect.arrayContaining([
      '0',
      '-0.0',
      '1.5',
      'True',
      'None',
      '""',
      '"😀"',
      '[]',
      '(1,)',
      '{1: 2}',
      'set()',
      'frozenset()',
    ]),
  );
  expect(heldIn(fromPython, 'python')).toEqual(
    expect.arrayContaining(['range(5, 0)', 'range(5)', 'bytearray(b"")', 'b"a"', 'collections.deque()', 'len']),
  );
  expect(heldIn(fromNode, 'javascript')).toEqual(
    expect.arrayContaining([
      '0',
      '-0',
      'null',
      '"ab"',
      '[]',
      '[,]',
      '({a: 1})',
      'new Map()',
      '() => 1',
      'new Proxy({}, {})',
    ]),
  );
  const countedIn = (values: readonly Rendered[], speech: Speech) =>
    told(values, speech)
      .filter(({ counted }) => counted !== undefined)
      .map(({ source }) => source);
  expect(countedIn(fromPython, 'python')).toEqual(
    expect.arrayContaining(['"a😀b"', '[]', '[1, [2, 3]]', '(1,)', '{1: 2}', 'set()', '["a/b", 1]']),
  );
  expect(countedIn(fromNode, 'javascript')).toEqual(expect.arrayContaining(['"😀"', '[]', '[1, [2]]', '["a/b", 1]']));
});

test('numbers that are none, and what is too long, are not read at all', () => {
  const unread = (values: readonly Rendered[]) =>
    values.filter(({ seen }) => readSeen(seen) === undefined).map(({ source }) => source);
  expect(unread(fromNode)).toEqual(
    expect.arrayContaining(['NaN', 'Infinity', '0n', '5n', '10n ** 300n', '"a".repeat(300)']),
  );
  expect(unread(fromPython)).toEqual(expect.arrayContaining(['float("nan")', '0j', '1 + 2j', '2 ** 3000', '2 ** 60']));
  const list = fromNode.find(({ source }) => source === '[NaN]');
  const value = list && readSeen(list.seen);
  expect(value && lengthOf(value, 'javascript')).toBe(1);
  expect(value && elementOf(value, 0, 'javascript')).toBeUndefined();
});

test('masked values, and what holds one, are not read', () => {
  const secret = { type: 'string', text: '‹masked: name "token"›', truncated: true, masked: true } as const;
  expect(readSeen(secret)).toBeUndefined();
  expect(readSeen({ ...secret, type: 'number' })).toBeUndefined();
  expect(readSeen({ ...secret, type: 'User', text: `User{password: ${secret.text}}`, ref: 1 })).toBeUndefined();
  expect(readSeen({ type: 'User', text: `User{password: ${secret.text}}`, truncated: false })).toBeUndefined();
});

const EXPRESSIONS = [
  [
    '7 // 2',
    '-7 // 2',
    '7 // -2',
    '1 // 0.1',
    '1.0 // 0.1',
    '-7 % 3',
    '7 % -3',
    '9007199254740991 // 4',
    '9007199254740991 % 2',
  ],
  [
    '2 ** 10',
    '3 ** 33',
    '0.1 ** 2',
    '-1 ** 2',
    'True & False',
    'True | False',
    'True ^ True',
    '(True & True) is True',
    '6 & 3',
  ],
  [
    'len("😀")',
    '"😀"[0] == "😀"',
    '"a😀"[1] == "😀"',
    '"\\012" == "\\n"',
    '"\\ud83d" in "😀"',
    'len("\\ud83d\\ude00")',
    '"ab"[-1]',
  ],
  ['[1, 2][0]', '1 < 2 < 3', '1 == 1 == 2', '0.1 + 0.2 == 0.3', '7 / 2', '1 + True', '"a" < "b"', '"\\ue000" < "😀"'],
  [
    '-0',
    '0 * -3',
    '"\\X41" == "A"',
    '"\\x41" == "A"',
    '"\\U0001f600" == "\\u0001f600"',
    '-6 // 3',
    '0 // -5',
    '-6 % -3',
  ],
];
const REPR = 'import sys, json; print(json.dumps([[repr(eval(one)) for one in row] for row in json.load(sys.stdin)]))';

test('expressions give what Python gives, or nothing', () => {
  const input = JSON.stringify(EXPRESSIONS);
  const given = JSON.parse(
    execFileSync('python3', ['-W', 'ignore', '-c', REPR], { input, encoding: 'utf8' }),
  ) as string[][];
  for (const [row, sources] of EXPRESSIONS.entries()) {
    const told = sources.flatMap((source, index) => {
      const value = evaluateExpression(source, python, new Map());
      return value === undefined ? [] : [{ source, ours: shown(value), given: given[row]?.[index] }];
    });
    expect(told.filter(({ ours, given }) => ours !== given)).toEqual([]);
    expect(told.length).toBeGreaterThan(2);
  }
});

test('JavaScript: NaN and big integers decide nothing', () => {
  const bindings = new Map<string, Value>();
  for (const [name, source] of [
    ['n', 'NaN'],
    ['z', '0n'],
  ] as const) {
    const value = readSeen(fromNode.find((one) => one.source === source)?.seen as ValueText);
    if (value !== undefined) bindings.set(name, value);
  }
  for (const text of ['n || 0', '!n', '!z', 'z || 1', 'n === 0'])
    expect(evaluateExpression(text, javascript, bindings)).toBeUndefined();
});

function shown(value: Value): string {
  if (value.kind === 'truth') return value.value ? 'True' : 'False';
  if (value.kind === 'number')
    return value.isFloat && Number.isInteger(value.value) ? `${value.value}.0` : `${value.value}`;
  return value.kind === 'text' ? `'${value.value}'` : value.kind === 'none' ? value.name : value.text;
}
