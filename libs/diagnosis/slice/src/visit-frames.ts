// Frames that a row enters or resumes without any row saying which: callbacks through code that is not observed, and generators.
import { control, data, ran, resultOf } from './dependence-graph.ts';
import { hasCalled, heightOf, type Pass, planOf, type Visit, wasResumed } from './dependence-pass.ts';
import { isEndOfGenerator, linkReturned } from './end-rows.ts';

/** Only a generator goes on after the row that ran it, or after another frame's: what it gave before, it yielded. */
export function resumeFrame(pass: Pass, row: number, frame: number): void {
  const { frames, graph, stack } = pass;
  frames.marks[frame] = (frames.marks[frame] as number) | wasResumed;
  linkGift(pass, frame);
  graph.link(frames.gift[frame] as number, resultOf(frames.last[frame] as number), data);
  const gift = graph.fresh();
  frames.gift[frame] = gift;
  frames.yielded[frame] = -1;
  visit(pass, row, frame);
  const runner = frames.runner[frame] as number;
  const at = heightOf(stack, runner);
  if (at < 0) return;
  // Whichever row under way is told to have resumed it later: this one may have.
  addResult(pass, at, gift);
  graph.link(resultOf(runner), gift, data);
  graph.link(ran(row), ran(runner), control);
}

/** A frame that no known row runs now: the innermost row under way may be the one. */
export function visit({ stack, frames, visits }: Pass, row: number, frame: number): void {
  const under = stack.height === 0 ? -1 : (stack.row[stack.height - 1] as number);
  frames.runner[frame] = under;
  visits.push({ row, frame, under, gift: frames.gift[frame] as number });
}

export function linkGift(pass: Pass, frame: number): void {
  const { graph, frames } = pass;
  const [gift, last] = [frames.gift[frame] as number, frames.last[frame] as number];
  graph.link(gift, frames.yielded[frame] as number, data);
  if (planOf(pass, last).role === 'statement') graph.link(gift, resultOf(last), data);
}

/** A frame that was entered or resumed by an unknown row since `row` began: `row` may have done it, and may use what it gave back. */
export function linkVisits(pass: Pass, row: number): void {
  const { visits, graph, frames, stack } = pass;
  for (let each = visits.at(-1); each !== undefined && each.row > row; each = visits.at(-1)) {
    visits.pop();
    const last = frames.last[each.frame] as number;
    linkReturned(pass, row, last, planOf(pass, last).role === 'return' && isEndOfGenerator(pass, each.frame, row));
    graph.link(resultOf(row), each.gift, data);
    graph.link(ran(each.row), ran(row), control);
    const at = heightOf(stack, row);
    if (at >= 0) addResult(pass, at, each.gift);
  }
}

/**
 * A visit after which no row of the visited frame's caller ran any more: the row then under way may have been that caller, where it was cut short
 * (the run ended in it) or returned what the visit gave back.
 */
export function linkLastVisit(pass: Pass, { row, frame, under, gift }: Visit): void {
  const { log, graph, frames, stack } = pass;
  if (under < 0) return;
  const isCut = log.exception[under] === 1;
  if (!isCut && planOf(pass, under).role !== 'return') return;
  graph.link(resultOf(under), resultOf(frames.last[frame] as number), data);
  graph.link(resultOf(under), gift, data);
  // After a return it is rather the test that called next.
  if (isCut) graph.link(ran(row), ran(under), control);
  const at = heightOf(stack, under);
  if (at >= 0) stack.marks[at] = (stack.marks[at] as number) | hasCalled;
}

function addResult({ stack, graph }: Pass, at: number, gift: number): void {
  stack.marks[at] = (stack.marks[at] as number) | hasCalled;
  stack.results[at] = graph.both(gift, stack.results[at] as number);
}
