// Programs run without probes, one value of one of them replaced as it is written.
import { execFileSync } from 'node:child_process';
import type { Language } from './write-program.ts';

export interface Execution {
  /** Printed with `isReplaceable` where a value is to be replaced. */
  readonly text: string;
  /** The value written at that line for the nth time, from 0, is another one. */
  readonly replace?: { readonly line: number; readonly nth: number; readonly by: number };
}

export interface Outcome {
  /** What `main()` returned, or what it raised. */
  readonly result: string;
  /** Whether the value to replace was written. */
  readonly isReplaced: boolean;
  /** The first decision that went another way than without the replacement: its line, and how often that was decided before. */
  readonly turned?: { readonly line: number; readonly nth: number };
}

export function runPrograms(language: Language, executions: readonly Execution[], python: string): Outcome[] {
  return language === 'python' ? runPython(executions, python) : executions.map(runJavaScript);
}

const most = 100_000;

const driver = `
import json, sys, copy
sys.setrecursionlimit(400)
class Counter:
    def __init__(self, line, nth, by):
        self.line, self.nth, self.by, self.seen, self.hit, self.steps, self.log = line, nth, by, 0, False, 0, []
    def begin(self, line):
        self.steps += 1
        if self.steps > ${most}: raise RuntimeError('too many steps')
        if line != self.line: return False
        self.seen += 1
        return self.seen - 1 == self.nth
    def decide(self, line, value):
        self.log.append((line, len(value) if isinstance(value, list) else value if type(value) is int else bool(value)))
        return value
    def replace(self, now, value):
        if not now: return value
        self.hit = True
        if value is None: return value
        if isinstance(value, bool): return not value
        if isinstance(value, int): return value + self.by
        if isinstance(value, list): return value + [self.by]
        other = copy.copy(value)
        other.x = other.x + self.by
        return other
def run(code, line, nth, by):
    counter = Counter(line, nth, by)
    space = {'_b': counter.begin, '_r': counter.replace, '_d': counter.decide}
    try:
        exec(code, space)
        return repr(space['main']()), counter
    except Exception as error:
        return 'raised ' + type(error).__name__, counter
def first_turned(log, other):
    for at, (mine, theirs) in enumerate(zip(log, other)):
        if mine != theirs: return [mine[0], sum(1 for line, _ in log[:at] if line == mine[0])]
    if len(log) != len(other): return [0, 0]
    return None
codes = {}
plain = {}
out = []
given = json.load(sys.stdin)
for text, line, nth, by in given['runs']:
    if text not in codes: codes[text] = compile(given['texts'][text], 'p', 'exec')
    result, counter = run(codes[text], line, nth, by)
    if line >= 0 and text not in plain: plain[text] = run(codes[text], -1, 0, 0)[1].log
    out.append([result, counter.hit, first_turned(plain[text], counter.log) if line >= 0 else None])
json.dump(out, sys.stdout)
`;

function runPython(executions: readonly Execution[], python: string): Outcome[] {
  const texts = [...new Set(executions.map(({ text }) => text))];
  const numbers = new Map(texts.map((text, at) => [text, at]));
  const runs = executions.map(({ text, replace }) => [
    numbers.get(text),
    replace?.line ?? -1,
    replace?.nth ?? 0,
    replace?.by ?? 0,
  ]);
  const input = JSON.stringify({ texts, runs });
  const told = execFileSync(python, ['-I', '-c', driver], { input, maxBuffer: 2 ** 30, encoding: 'utf8' });
  return (JSON.parse(told) as [string, boolean, [number, number] | null][]).map(([result, isReplaced, turned]) => ({
    result,
    isReplaced,
    ...(turned === null ? {} : { turned: { line: turned[0], nth: turned[1] } }),
  }));
}

type Noted = readonly [line: number, value: unknown];
type Main = (begin: unknown, replace: unknown, decide: unknown) => unknown;
const compiled = new Map<string, { readonly main: Main; readonly log: readonly Noted[] }>();

function runJavaScript({ text, replace }: Execution): Outcome {
  const known = compiled.get(text);
  const main = known?.main ?? (new Function('_b', '_r', '_d', `${text}return main();`) as Main);
  const log = known?.log ?? runMain(main, undefined).log;
  compiled.set(text, { main, log });
  const { log: other, ...outcome } = runMain(main, replace);
  const turned = firstTurned(log, other);
  return { ...outcome, ...(turned === undefined ? {} : { turned }) };
}

function runMain(main: Main, replace: Execution['replace']): Outcome & { readonly log: readonly Noted[] } {
  let [seen, steps, isReplaced] = [0, 0, false];
  const log: Noted[] = [];
  const begin = (line: number): boolean => {
    steps += 1;
    if (steps > most) throw new Error('too many steps');
    if (line !== replace?.line) return false;
    seen += 1;
    return seen - 1 === replace.nth;
  };
  const write = (now: boolean, value: unknown): unknown => {
    if (!now) return value;
    isReplaced = true;
    return another(value, replace?.by ?? 0);
  };
  const decide = (line: number, value: unknown): unknown => {
    log.push([line, Array.isArray(value) ? value.length : typeof value === 'number' ? value : Boolean(value)]);
    return value;
  };
  try {
    return { result: String(main(begin, write, decide)), isReplaced, log };
  } catch (error) {
    return { result: `raised ${String(error)}`, isReplaced, log };
  }
}

function firstTurned(log: readonly Noted[], other: readonly Noted[]): Outcome['turned'] {
  const at = log.findIndex(([line, value], index) => other[index]?.[0] !== line || other[index]?.[1] !== value);
  if (at < 0) return log.length === other.length ? undefined : { line: 0, nth: 0 };
  const line = log[at]?.[0] ?? 0;
  return { line, nth: log.slice(0, at).filter((each) => each[0] === line).length };
}

function another(value: unknown, by: number): unknown {
  if (typeof value === 'number') return value + by;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return [...value, by];
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.assign(Object.create(Object.getPrototypeOf(value)), value);
  copy.x += by;
  return copy;
}
