// Clauses 12 and 13 of issue 5 (seed 12 §3.7): every construct through the real agents, the slice exactly as written by hand.
import { parseLoc } from '@h/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openObserver, type ProgramRun } from '../check/observe-programs.ts';
import { sliceRows } from '../src/index.ts';
import { constructs } from './construct-cases.ts';

const names = Object.keys(constructs);

/** The text with a star at each line of the slice, a question mark at those that only omissions add. */
function mark(text: string, { rows, events }: ProgramRun): string {
  const root = rows.findLastIndex(({ role, function: name }) => role === 'return' && name === 'main');
  const linesOf = (omissions: boolean) =>
    new Set(
      sliceRows(rows, [root], { events, omissions }).rows.map(
        ({ sequence }) => parseLoc(rows[sequence]?.location ?? '').line,
      ),
    );
  const [plain, all] = [linesOf(false), linesOf(true)];
  return text
    .split('\n')
    .map((line, at) => line + (plain.has(at + 1) ? ' @' : all.has(at + 1) ? ' ?' : ''))
    .join('\n');
}

describe.each(['python', 'javascript'] as const)('%s', (language) => {
  const texts = names.map((name) => (constructs[name]?.[language] ?? '').replace(/ [@?]$/gm, ''));
  let runs: ProgramRun[];
  let observer: Awaited<ReturnType<typeof openObserver>>;
  beforeAll(async () => {
    observer = await openObserver(language);
    runs = await observer.observe(texts.map((text) => `${text}\n`));
  }, 60_000);
  afterAll(() => observer.close());

  test.each(names.map((name, at) => [name, at] as const))('%s', (name, at) => {
    expect(mark(texts[at] ?? '', runs[at] ?? { rows: [], events: [] })).toBe(constructs[name]?.[language]);
  });
});
