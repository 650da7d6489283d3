// Each construct that issue 5, clause 8, names: one observed run a language version, what it must hold construct by construct.
import type { ObservedRun } from '@h/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { observeTest, planProbes, planTrace } from '../src/index.ts';
import { edgePythons, openTarget, readFolder } from './open-target.ts';
import { ranked, shapeOf } from './program-of.ts';

const folder = 'libs/diagnosis/instrument/test/fixtures';
const python = readFolder(`${folder}/constructs-py`);
const script = readFolder(`${folder}/constructs-js`);

interface Observed {
  readonly run: ObservedRun;
  readonly plain: string | undefined;
}

/** Everything of the file is traced; the plain run beside it. */
async function observeAll(
  files: Record<string, string>,
  file: string,
  id: string,
  executable?: string,
): Promise<Observed> {
  const target = await openTarget(files, executable);
  try {
    const shape = shapeOf({ [file]: files[file] ?? '' });
    const plan = planProbes({ ...shape, candidates: ranked(`${file}:${lineOf(files[file] ?? '', 'n * fact')}`) });
    const functions = shape.outlines.get(file)?.functions ?? [];
    const frames = functions.flatMap(({ kind, last }) =>
      kind === 'class' ? [] : [`${file}:${last}`, `${file}:${last - 1}`],
    );
    const trace = planTrace(plan, { ...shape, frames });
    const run = await observeTest({ ...target.setting(id), plan, trace });
    return { run, plain: (await target.outcomes([id]))[id] };
  } finally {
    await target.sandbox.close();
  }
}

function lineOf(text: string, part: string): number {
  return text.split('\n').findIndex((line) => line.includes(part)) + 1;
}

const versions: [string, () => Promise<Observed>, string][] = [
  ...edgePythons().map((executable): [string, () => Promise<Observed>, string] => [
    executable.replace(/^.*versions\/|\/bin.*$/g, ''),
    () => observeAll(python, 'constructs.py', 'test_constructs.py::Constructs::test_all', executable),
    python['constructs.py'] ?? '',
  ]),
  ['JavaScript', () => observeAll(script, 'constructs.js', 'constructs.test.js > all'), script['constructs.js'] ?? ''],
];

describe.each(versions)('%s', (version, observe, source) => {
  const isPython = version !== 'JavaScript';
  let observed: Observed;
  beforeAll(async () => {
    observed = await observe();
  }, 60_000);

  /** Rows at the line that holds a text, by role, with their events. */
  const at = (part: string, role?: string) =>
    observed.run.rows.flatMap((row) => {
      const isHere = row.location.endsWith(`:${lineOf(source, part)}`) && (role === undefined || row.role === role);
      return isHere ? [{ row, payload: observed.run.events[row.sequence]?.payload ?? {} }] : [];
    });
  const valuesAt = (part: string, name: string) =>
    at(part).flatMap(({ payload }) => payload.variables?.[name]?.text ?? []);
  const returnsAt = (part: string) => at(part).flatMap(({ payload }) => payload.return_value?.text ?? []);

  test('observer effect: it ends as it does without probes, and nothing is left out', () => {
    expect([observed.run.outcome, observed.plain]).toEqual(['passed', 'passed']);
    expect(observed.run.truncated).toBe(false);
    expect(observed.run.notes).toEqual([]);
  });

  test('recursion: a frame each', () => {
    expect(returnsAt('n * fact').slice(0, 2)).toEqual(['6', '2']);
    expect(new Set(at('n * fact').map(({ row }) => row.frame)).size).toBe(at('n * fact').length);
  });

  test('exceptions cross frames, and the handler knows them', () => {
    expect(at('  boom(x)').map(({ row }) => row.completed)).toEqual([false]);
    expect(at('    passes(x)').map(({ row }) => row.completed)).toContain(false);
    expect(valuesAt('caught = ', 'caught').map((text) => text.slice(1, -1))).toEqual(['no x']);
  });

  test('scopes of comprehensions and callbacks leave the variable around them', () => {
    expect(valuesAt('both = ', 'x').map((text) => text.slice(1, -1))).toEqual(['outer']);
    expect(valuesAt('found = ', 'found')).toEqual(['[2, 4]']);
  });

  test('decorators and wrapped functions', () => {
    expect(valuesAt('result = n + 1', 'result')).toEqual(['5']);
    expect(returnsAt('return first * 2')).toEqual(['10']);
  });

  test('closures: a variable of the function around is read and changed', () => {
    const name = isPython ? 'count' : 'own';
    expect(valuesAt(`${name} += 1`, name)).toEqual(['1', '2']);
    expect(valuesAt('last = bump()', 'last')).toEqual(['2']);
  });

  test('global variables', () => {
    expect(valuesAt(isPython ? 'TOTAL += n' : 'count += n', isPython ? 'TOTAL' : 'count')).toEqual(['7']);
  });

  test('generators keep their frame', () => {
    expect(new Set(at('yield i').map(({ row }) => row.frame)).size).toBe(1);
    expect(valuesAt('second = ', 'second')).toEqual(['1']);
  });

  test('asynchronous tasks keep their frames apart', () => {
    expect(valuesAt('value = n * 10', 'value')).toEqual(['10', '20']);
    expect(new Set(at('value = n * 10').map(({ row }) => row.frame)).size).toBe(2);
    expect(valuesAt('results = ', 'results')).toEqual(['[10, 20]']);
  });

  test('a function that was replaced: the one that ran is observed', () => {
    expect(valuesAt('changed = n - 1', 'changed')).toEqual(['4']);
    expect(at(isPython ? 'kept = n' : 'const kept = n')).toEqual([]);
    expect(valuesAt(isPython ? 'got = original' : 'got = patchable', 'got')).toEqual(['4']);
  });

  test('code made from text runs as it does, unseen', () => {
    expect(valuesAt('made = ', 'made')).toEqual(['6']);
  });

  test('a trace function of its own is called, and probes go on beneath it', () => {
    expect(valuesAt('inside = fact(2)', 'inside')).toEqual(['2']);
    expect(at('n * fact').length).toBe(3);
  });

  test('much output and slowness change nothing', () => {
    expect(at(isPython ? "print('x'" : "process.stdout.write('x'", 'statement').length).toBe(2000);
    expect(valuesAt('done = ', 'done').map((text) => text.toLowerCase())).toEqual(['true']);
  });

  test('methods of a class; its body has no probes', () => {
    expect(valuesAt('size = ', 'size')).toEqual(['6']);
    expect(at('sides = 3')).toEqual([]);
  });

  test.runIf(isPython)('threads have frames of their own', () => {
    expect(valuesAt('share = n * 100', 'share').sort()).toEqual(['100', '200']);
    expect(new Set(at('share = n * 100').map(({ row }) => row.frame)).size).toBe(2);
    expect(at('def work', 'entry').every(({ row }) => row.caller === undefined)).toBe(true);
  });
});
