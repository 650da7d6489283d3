import type { CollectionError, TestFailure, TestResult } from '@h/contracts';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { inFolder } from './detection.ts';
import { type JUnitPlace, junitNamer } from './name-junit-test.ts';
import { createNumbering } from './number-names.ts';
import { plainText } from './plain-text.ts';
import { readStackFrames } from './read-stack-frames.ts';

/** What a JUnit document says. */
export interface JUnitReport {
  /** In the order of the document; the second of a name ends in ` #2`. */
  readonly tests: TestResult[];
  readonly collection_errors: CollectionError[];
  /** Why the document could not be read to its end; the tests before that stand. Absent: all of it was read. */
  readonly problem?: string;
}

/**
 * Reads the JUnit XML of pytest, unittest-xml-reporting, jest-junit, mocha-junit-reporter, vitest, node:test, Surefire and whatever follows
 * them. Entities of a document's own are not expanded: such a document ends there, as `problem` says. Never throws for a bad document.
 */
export function readJUnit(text: string, place: JUnitPlace = {}): JUnitReport {
  const { cases, problem } = parseCases(text);
  const name = junitNamer(place);
  const tests = new Map<string, TestResult>();
  const freeName = createNumbering(tests);
  const errors: CollectionError[] = [];
  for (const entry of cases) {
    const { test, file } = name(entry);
    if (entry.parts.some(({ message }) => message === 'collection failure')) {
      errors.push({ file: collectedFile(entry, file, place), message: plainText((entry.parts[0]?.text ?? '').trim()) });
      continue;
    }
    addResult(tests, resultOf(entry, { test, file }, place), freeName);
  }
  const found = { tests: [...tests.values()], collection_errors: errors };
  return problem === undefined ? found : { ...found, problem };
}

/** An element below a `<testcase>`. */
interface Part {
  readonly kind: string;
  readonly type: string;
  readonly message: string;
  text: string;
}

interface ParsedCase {
  readonly suites: readonly string[];
  readonly name: string;
  readonly classname?: string;
  readonly file?: string;
  readonly time?: string;
  readonly status: string;
  readonly parts: Part[];
  readonly properties: Map<string, string>;
}

const SAID = new Set(['failure', 'error', 'skipped', 'flakyFailure', 'flakyError', 'rerunFailure', 'rerunError']);

function parseCases(text: string): { cases: ParsedCase[]; problem?: string } {
  const parser = new SaxesParser();
  const suites: { name: string; file?: string }[] = [];
  const cases: ParsedCase[] = [];
  let current: ParsedCase | undefined;
  let part: Part | undefined;
  let isJUnit = false;
  let problem: string | undefined;
  parser.on('error', (error) => {
    problem ??= error.message;
  });
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    if (problem !== undefined) return;
    if (name === 'testsuite' || name === 'testsuites') {
      isJUnit = true;
      suites.push({ name: attributes.name ?? '', ...fileOf(attributes) });
    } else if (name === 'testcase') current = openCase(attributes, suites);
    else if (name === 'property' && current !== undefined)
      current.properties.set(attributes.name ?? '', attributes.value ?? '');
    else if (SAID.has(name) && current !== undefined)
      part = { kind: name, type: attributes.type ?? '', message: attributes.message ?? '', text: '' };
  });
  const onText = (piece: string) => {
    if (part !== undefined) part.text += piece;
  };
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('closetag', ({ name }) => {
    if (problem !== undefined) return;
    if (name === 'testsuite' || name === 'testsuites') suites.pop();
    else if (name === 'testcase' && current !== undefined) {
      cases.push(current);
      current = undefined;
    } else if (part !== undefined && name === part.kind) {
      current?.parts.push(part);
      part = undefined;
    }
  });
  parser.write(text).close();
  if (!isJUnit) return { cases: [], problem: `no <testsuite>${problem === undefined ? '' : `: ${problem}`}` };
  return problem === undefined ? { cases } : { cases, problem };
}

type Attributes = Readonly<Record<string, string>>;

function openCase(attributes: Attributes, suites: readonly { name: string; file?: string }[]): ParsedCase {
  const file = fileOf(attributes).file ?? suites.findLast((suite) => suite.file !== undefined)?.file;
  return {
    suites: suites.map(({ name }) => name),
    name: attributes.name ?? '',
    ...(attributes.classname === undefined ? {} : { classname: attributes.classname }),
    ...(file === undefined ? {} : { file }),
    ...(attributes.time === undefined ? {} : { time: attributes.time }),
    status: `${attributes.status ?? ''} ${attributes.result ?? ''}`.toLowerCase(),
    parts: [],
    properties: new Map(),
  };
}

function fileOf({ file, filepath }: Attributes): { file?: string } {
  const path = file || filepath;
  return path === undefined || path === '' ? {} : { file: path };
}

function resultOf(entry: ParsedCase, named: { test: string; file: string }, place: JUnitPlace): TestResult {
  const seconds = Number((entry.time ?? '').replaceAll(',', ''));
  const said = entry.parts.find(({ kind }) => kind === 'failure') ?? entry.parts.find(({ kind }) => kind === 'error');
  const outcome = outcomeOf(entry);
  const isFailure = outcome === 'failed' || outcome === 'error' || outcome === 'timeout';
  const isFlaky = outcome === 'passed' && entry.parts.some(({ kind }) => kind.startsWith('flaky'));
  return {
    test: entry.properties.get('h.test') ?? named.test,
    file: named.file,
    outcome,
    ...(entry.time !== undefined && Number.isFinite(seconds) && seconds >= 0 ? { duration_ms: seconds * 1000 } : {}),
    ...(isFailure ? { failure: failureOf(said, entry, place) } : {}),
    ...(isFlaky || entry.properties.get('h.flaky') === 'true' ? { flaky: true } : {}),
  };
}

const OUTCOMES = ['passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed', 'timeout', 'not_run'] as const;

function outcomeOf({ parts, status, properties }: ParsedCase): TestResult['outcome'] {
  const own = OUTCOMES.find((outcome) => outcome === properties.get('h.outcome'));
  if (own !== undefined) return own;
  const kinds = new Set(parts.map(({ kind }) => kind));
  if (kinds.has('failure')) return 'failed';
  if (kinds.has('error')) return 'error';
  const skipped = parts.find(({ kind }) => kind === 'skipped');
  if (skipped !== undefined) return skipped.type === 'pytest.xfail' ? 'xfailed' : 'skipped';
  if (/\b(?:notrun|disabled|skipped|suppressed)\b/.test(status)) return 'skipped';
  return 'passed';
}

const CLASS = /^(?:[A-Za-z_$][\w$]*\.)*[A-Z][\w$]*$/;

function failureOf(part: Part | undefined, { properties }: ParsedCase, place: JUnitPlace): TestFailure {
  const text = textOf(part);
  const [, stated, rest] = /^(?:Uncaught )?((?:[A-Za-z_$][\w$]*\.)*[A-Z][\w$]*): ?([\s\S]*)$/.exec(text) ?? [];
  const type = part?.type ?? '';
  const frames = framesOf(part?.text ?? '', place);
  const [location] = frames;
  const [expected, actual] = [properties.get('h.expected'), properties.get('h.actual')];
  return {
    class: CLASS.test(type) ? type : (stated ?? 'Failure'),
    message: stated === undefined || (CLASS.test(type) && stated !== type) ? text : (rest ?? text),
    ...(location === undefined ? {} : { location }),
    frames,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  };
}

function textOf(part: Part | undefined): string {
  return plainText((part?.message || part?.text || '').trim());
}

/**
 * Places that a text names, innermost first: a stack of Python or Node, else the `file:line:` with which pytest ends each entry. Where the
 * paths of the repository are not known, those that are written relative.
 */
function framesOf(text: string, { paths, cwd = '' }: JUnitPlace): string[] {
  const known = paths === undefined ? undefined : new Set(paths);
  const { frames } = known === undefined ? { frames: [] } : readStackFrames(text, { cwd, paths: paths ?? [] });
  if (frames.length > 0) return frames;
  return [...text.matchAll(/^(?:\s*File "([^"/][^"\n]*)", line |([^\s:/][^:\n]*\.py):)([1-9]\d*)/gm)]
    .map(([, traced, ended, line]) => `${inFolder(cwd, traced ?? ended ?? '')}:${line}`)
    .filter((frame) => known === undefined || known.has(frame.slice(0, frame.lastIndexOf(':'))))
    .reverse();
}

/** pytest writes a file that could not be collected as a test of that dotted name. */
function collectedFile({ name, classname = '' }: ParsedCase, file: string, { paths, cwd = '' }: JUnitPlace): string {
  if (classname !== '') return file;
  const path = inFolder(cwd, `${name.replaceAll('.', '/')}.py`);
  return paths === undefined || paths.includes(path) ? path : name;
}

/** pytest writes a test that fails and whose tear-down fails twice: the first entry is its outcome. */
function addResult(into: Map<string, TestResult>, result: TestResult, freeName: (name: string) => string): void {
  const held = into.get(result.test);
  if (held === undefined) {
    into.set(result.test, result);
    return;
  }
  const message = result.failure?.message ?? '';
  if (held.outcome === 'failed' && result.outcome === 'error' && message.startsWith('failed on teardown')) return;
  const test = freeName(result.test);
  into.set(test, { ...result, test });
}
