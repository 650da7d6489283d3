import type { EvidencePack, HypothesisSet, HypothesisVerdict, ObservedRun, Sha, ValueText } from '@h/contracts';
import { buildObservation, type IndexedRun, indexRuns } from './build-observation.ts';
import { isSameBranch } from './check-claim.ts';
import { compareValues, type Likeness, nameType, normalize, numberOf, unquote } from './compare-values.ts';
import { type FoundValue, findBranches, findReturns, findVariables, observationsAt } from './find-values.ts';
import { isInstance } from './is-instance.ts';
import { type Expectation, parseExpectation } from './parse-expectation.ts';

export interface JudgeOptions {
  /** The run the hypotheses are about, the failing one; absent: every run of the pack. */
  readonly execution_id?: Sha | undefined;
  /** The runs of the pack as they were observed: what no step of theirs meets can be eliminated. Absent: nothing is, since a pack need not hold every step. */
  readonly runs?: readonly ObservedRun[];
}

/**
 * What the observations leave of each hypothesis, in the order of the set: `eliminated` where its point was observed and no step of its run is as
 * expected, `consistent` where an observation is, else `unobserved`, and `why`.
 *
 * A pack holds one step of a statement that ran many times, and does not say how often it ran. So only `runs` eliminate: a hypothesis that another step
 * of theirs meets, whose run is not given or lacks events, is `unobserved`. `by` names the observations that are as expected, or all that are not.
 */
export function judgeHypotheses(
  pack: EvidencePack,
  set: HypothesisSet,
  options: JudgeOptions = {},
): HypothesisVerdict[] {
  const indexed = indexRuns(options.runs ?? []);
  return set.hypotheses.map(({ hypothesis_id, observe, expectation }) => {
    const expected = parseExpectation(expectation);
    const wanted = { location: observe.location, name: observe.variable, execution_id: options.execution_id };
    const judged = expected === undefined ? [] : judge(pack, expected, wanted);
    const met = judged.filter(({ likeness }) => likeness === 'equal');
    if (met.length > 0) return { hypothesis_id, verdict: 'consistent', by: indexesOf(met) };
    const why =
      expected === undefined ? 'undecidable' : (whyOpen(judged) ?? whyNotRuledOut(pack, indexed, expected, wanted));
    if (why !== undefined) return { hypothesis_id, verdict: 'unobserved', why };
    return { hypothesis_id, verdict: 'eliminated', by: indexesOf(judged) };
  });
}

type Why = NonNullable<HypothesisVerdict['why']>;

function whyOpen(judged: readonly Judged[]): Why | undefined {
  if (judged.length === 0) return 'not_in_pack';
  return judged.every(({ likeness }) => likeness === 'different') ? undefined : 'undecidable';
}

/** Why the runs that are asked about do not rule out what the pack does not show; undefined: they do. */
function whyNotRuledOut(
  { evidence_pack, execution_ids }: EvidencePack,
  indexed: ReadonlyMap<Sha, IndexedRun>,
  expected: Expectation,
  wanted: Point,
): Why | undefined {
  const known = [...execution_ids, ...evidence_pack.map(({ execution_id }) => execution_id)];
  const asked = wanted.execution_id === undefined ? [...new Set(known)] : [wanted.execution_id];
  const runs = asked.flatMap((id) => indexed.get(id) ?? []);
  if (runs.length < asked.length) return 'run_not_given';
  if (runs.some((run) => stepsOf(run, expected, wanted).some(({ likeness }) => likeness !== 'different')))
    return 'other_step';
  return runs.some(({ run }) => run.truncated || (run.gaps ?? []).length > 0) ? 'run_incomplete' : undefined;
}

/** What each step of a run at the point says. */
function stepsOf(indexed: IndexedRun, expected: Expectation, wanted: Point): Judged[] {
  const place = wanted.location.replace(/^(?:\.\/)+/, '');
  const steps = indexed.run.events.flatMap(({ location, sequence }) =>
    location === place ? (buildObservation(indexed, sequence, new Set()) ?? []) : [],
  );
  return judge({ evidence_pack: steps, primary_suspects: [], execution_ids: [], gated: true }, expected, wanted);
}

interface Point {
  readonly location: string;
  readonly name: string;
  readonly execution_id: Sha | undefined;
}

interface Judged {
  readonly index: number;
  readonly likeness: Likeness;
}

function judge(pack: EvidencePack, expected: Expectation, wanted: Point): Judged[] {
  if (expected.kind === 'branch') {
    const text = expected.taken ? 'taken' : 'not taken';
    return findBranches(pack, wanted).map(({ index, value }) => ({
      index,
      likeness: /^(?:true|false|iteration|done)$/.test(value.text) ? same(isSameBranch(text, value.text)) : 'unknown',
    }));
  }
  if (expected.kind === 'raises') {
    return observationsAt(pack, wanted).map(([index, { return_values }]) => {
      const raised = Object.hasOwn(return_values, 'raise') ? return_values.raise : undefined;
      return { index, likeness: raised === undefined ? 'different' : isA(raised, expected.type) };
    });
  }
  const found: FoundValue[] = findVariables(pack, wanted);
  const values = found.length > 0 ? found : findReturns(pack, wanted);
  return values.map(({ index, value }) => ({ index, likeness: meets(expected, value) }));
}

function isA(value: ValueText, type: string): Likeness {
  const is = isInstance(value.type, type);
  return is === undefined ? 'unknown' : same(is);
}

function meets(expected: Exclude<Expectation, { kind: 'branch' | 'raises' }>, value: ValueText): Likeness {
  if (expected.kind === 'type') return isA(value, expected.type);
  if (value.truncated) return 'unknown';
  if (expected.kind === 'in') {
    const each = expected.values.map((item) => equals(item, value));
    return each.includes('equal') ? 'equal' : each.includes('unknown') ? 'unknown' : 'different';
  }
  if (expected.operator === '==') return equals(expected.value, value);
  if (expected.operator === '!=') return not(equals(expected.value, value));
  return orders(expected.operator, value, expected.value);
}

/** Whether a literal says the observed value; a bare word is also taken for the content of a string. */
function equals(text: string, value: ValueText): Likeness {
  const [literal, observed, name] = [numberOf(text), numericValue(value), nameType(value.type)];
  // Of the value itself, not of what `==` says: x is NaN.
  if (Number.isNaN(literal) && Number.isNaN(observed)) return 'equal';
  // 1 == 1.0 in both languages.
  if (literal !== undefined && observed !== undefined) return same(compareNumbers(text, value.text) === 0);
  // In Python 1 == True.
  if (literal !== undefined ? name === 'bool' : observed !== undefined && /^(?:true|false)$/i.test(text))
    return 'unknown';
  if (name === 'str' && (literal !== undefined || /^[[{(]/.test(text))) return 'different';
  if (compareValues({ type: '', text, truncated: false }, value) === 'equal') return 'equal';
  // A name of the program, perhaps: what it stood for is not known.
  if (isBareWord(text)) return 'unknown';
  return isPlain(value) ? same(looseText(text) === looseText(value.text)) : 'unknown';
}

function isBareWord(text: string): boolean {
  return /^[\p{L}_$]/u.test(text) && unquote(text) === text && numberOf(text) === undefined && !isConstant(text);
}

function isConstant(text: string): boolean {
  return /^(?:true|false|none|null|undefined)$/i.test(text);
}

/** Whether unequal texts mean unequal values: sets and tables have no order, and what instances are equal to is theirs to say. */
function isPlain({ type, text }: ValueText): boolean {
  if (['str', 'int', 'float', 'number', 'bigint', 'bool', 'nonetype', 'null', 'undefined'].includes(nameType(type)))
    return true;
  return /^[[(]/.test(text) && !/[{<]|[\w$][(]/.test(text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, ''));
}

/** Floats and integers of one value alike: [1] == [1.0]. */
function looseText(text: string): string {
  return normalize(text).replace(/(\d)f(?![\w"])/g, '$1');
}

function orders(operator: '<' | '<=' | '>' | '>=', value: ValueText, text: string): Likeness {
  const order = orderOf(value, text);
  if (order === undefined) return hasNoOrder(value) ? 'different' : 'unknown';
  if (operator === '<') return same(order < 0);
  if (operator === '<=') return same(order <= 0);
  return same(operator === '>' ? order > 0 : order >= 0);
}

/** Below 0: the observed value is the smaller one. NaN: neither. Undefined: they have no order. */
function orderOf(value: ValueText, text: string): number | undefined {
  if (numericValue(value) !== undefined && numberOf(text) !== undefined) return compareNumbers(value.text, text);
  const content = unquote(text);
  if (nameType(value.type) !== 'str' || content === text) return undefined;
  const observed = unquote(value.text);
  return observed < content ? -1 : observed > content ? 1 : 0;
}

/** Neither smaller nor greater than anything. Of other mixed kinds the languages differ: `"5" > 3` raises in one and holds in the other. */
function hasNoOrder({ type }: ValueText): boolean {
  return ['nonetype', 'undefined'].includes(nameType(type));
}

function numericValue({ type, text }: ValueText): number | undefined {
  return ['', 'int', 'float', 'number', 'bigint'].includes(nameType(type))
    ? numberOf(text.replace(/(\d)n$/, '$1'))
    : undefined;
}

function compareNumbers(a: string, b: string): number {
  const [x, y] = [a, b].map((text) =>
    text
      .trim()
      .replace(/(\d)n$/, '$1')
      .replaceAll('_', ''),
  ) as [string, string];
  if (/^[+-]?\d+$/.test(x) && /^[+-]?\d+$/.test(y)) {
    const [p, q] = [BigInt(x.replace(/^\+/, '')), BigInt(y.replace(/^\+/, ''))];
    return p < q ? -1 : p > q ? 1 : 0;
  }
  const [p, q] = [numberOf(x) ?? Number.NaN, numberOf(y) ?? Number.NaN];
  return p < q ? -1 : p > q ? 1 : p === q ? 0 : Number.NaN;
}

function same(holds: boolean): Likeness {
  return holds ? 'equal' : 'different';
}

function not(likeness: Likeness): Likeness {
  return likeness === 'unknown' ? likeness : same(likeness === 'different');
}

function indexesOf(judged: readonly Judged[]): number[] {
  return judged.map(({ index }) => index);
}
