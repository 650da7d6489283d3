import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { buildReport, type ReportBuilder } from '../build-report.ts';
import type { CoverageReport } from '../coverage-report.ts';
import { decodeText } from '../decode-text.ts';
import { type CoverageError, malformed } from '../errors.ts';
import { isAbsolutePath, type Placed, type PlaceOptions, placeFile } from '../place-files.ts';

const format = 'cobertura';

/** A class of the file being read, with its lines as [number, hits]. */
interface OpenClass {
  readonly filename: string;
  readonly own: (readonly [number, number])[];
  /** Used where the class lists no lines of its own: beside those, lines below a method count its calls. */
  readonly ofMethods: (readonly [number, number])[];
}

/**
 * Reads Cobertura XML, in total. A file is looked for below each `<source>` in order. Entities that a document type declares are not
 * expanded, and nothing it names is fetched. Throws `malformed_coverage`.
 */
export function readCobertura(input: string | Uint8Array, options: PlaceOptions = {}): CoverageReport {
  const report = buildReport(format, options);
  const parser = new SaxesParser({ xmlns: false, position: true });
  const fail = (why: string) => malformed(format, why, { line: parser.line, offset: parser.position });
  const sources: string[] = [];
  const path: string[] = [];
  let open: OpenClass | undefined;
  let text = '';
  parser.on('error', ({ message }) => {
    throw fail(message.replace(/^.*?\d+:\d+: /, '').replace(/\.$/, ''));
  });
  parser.on('opentag', (tag) => {
    path.push(tag.name);
    text = '';
    if (path.length === 1 && tag.name !== 'coverage') throw fail(`<coverage> was expected, not <${tag.name}>`);
    if (tag.name === 'class') open = { filename: attributeOf(tag, 'filename', fail), own: [], ofMethods: [] };
    if (tag.name !== 'line' || open === undefined) return;
    const lines = path.includes('method') ? open.ofMethods : open.own;
    lines.push([numberOf(tag, 'number', fail), numberOf(tag, 'hits', fail)]);
  });
  parser.on('text', (more) => {
    text += more;
  });
  parser.on('closetag', ({ name }) => {
    path.pop();
    if (name === 'source') sources.push(text.trim());
    if (name !== 'class' || open === undefined) return;
    addClass(report, open, placeBelow(sources, open.filename, options));
    open = undefined;
  });
  parser.write(decodeText(input)).close();
  return report.finish();
}

function addClass(report: ReportBuilder, { filename, own, ofMethods }: OpenClass, placed: Placed): void {
  if (placed.status !== 'placed') report.warn(placed.status, filename);
  const collector = report.file(placed, undefined);
  for (const [line, hits] of own.length > 0 ? own : ofMethods) {
    if (line < 1) report.warn('invalid_line', `${filename}: line ${line}`);
    else if (hits > 0) collector?.executed.add(line);
    else collector?.missed.add(line);
    if (hits < 0) report.warn('negative_count', `${filename}:${line} has ${hits} hits`);
  }
}

/** Without a root there is nothing to look in, and an absolute name is not looked for: the name is taken as it is. */
function placeBelow(sources: readonly string[], filename: string, options: PlaceOptions): Placed {
  if (options.root === undefined || isAbsolutePath(filename)) return placeFile(filename, options);
  for (const source of sources) {
    const placed = placeFile(source === '' ? filename : `${source}/${filename}`, options);
    if (placed.status === 'placed') return placed;
  }
  return placeFile(filename, options);
}

type Fail = (why: string) => CoverageError;

function attributeOf({ name, attributes }: SaxesTagPlain, key: string, fail: Fail): string {
  const value = attributes[key];
  if (value === undefined || value === '') throw fail(`<${name}> has no ${key}`);
  return value;
}

function numberOf(tag: SaxesTagPlain, key: string, fail: Fail): number {
  const value = attributeOf(tag, key, fail);
  const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(number) || (key === 'number' && !Number.isSafeInteger(number))) {
    throw fail(`${key} ${JSON.stringify(value)} is no number`);
  }
  return number;
}
