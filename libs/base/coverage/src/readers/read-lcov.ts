import { buildReport, type FileCollector } from '../build-report.ts';
import type { CoverageReport } from '../coverage-report.ts';
import { malformed } from '../errors.ts';
import type { PlaceOptions } from '../place-files.ts';

const format = 'lcov';
const [newline, carriageReturn, comma, colon] = [10, 13, 44, 58];
/** Longer lines are no LCOV: the reader would hold them whole. */
const longestLine = 1_048_576;
/** Larger numbers are no lines of a file. */
const lastLine = 0x7fff_ffff;
/** Records that say nothing about lines. */
const skipped: ReadonlySet<string> = new Set([
  'VER',
  'FN',
  'FNL',
  'FNA',
  'FNDA',
  'FNF',
  'FNH',
  'BRDA',
  'BRF',
  'BRH',
  'MCDC',
  'MCF',
  'MCH',
  'LF',
  'LH',
]);

/** Reads an LCOV file that is at hand as a whole; per test where `TN:` names one. Throws `malformed_coverage`. */
export function readLcov(input: string | Uint8Array, options: PlaceOptions = {}): CoverageReport {
  const reader = createLcovReader(options);
  reader.push(typeof input === 'string' ? new TextEncoder().encode(input) : input);
  return reader.finish();
}

/**
 * Reads an LCOV file piece by piece, as it comes from a stream; cut anywhere, also inside a character. Memory grows with the files and
 * ranges of lines, not with the size. Rejects with `malformed_coverage`, and with the signal's reason when it is aborted.
 */
export async function readLcovStream(
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  options: PlaceOptions & { readonly signal?: AbortSignal } = {},
): Promise<CoverageReport> {
  const reader = createLcovReader(options);
  const encoder = new TextEncoder();
  options.signal?.throwIfAborted();
  for await (const piece of pieces) {
    options.signal?.throwIfAborted();
    reader.push(typeof piece === 'string' ? encoder.encode(piece) : piece);
  }
  return reader.finish();
}

interface LcovReader {
  push(bytes: Uint8Array): void;
  finish(): CoverageReport;
}

function createLcovReader(options: PlaceOptions): LcovReader {
  const records = createRecordReader(options);
  let rest: Uint8Array | undefined;
  return {
    push(bytes) {
      const buffer = rest === undefined ? bytes : joined(rest, bytes);
      let start = 0;
      for (let end = records.line(buffer, 0); end >= 0; end = records.line(buffer, start)) start = end + 1;
      rest = start === buffer.length ? undefined : buffer.slice(start);
      if (rest !== undefined && rest.length > longestLine) records.fail(`a line of more than ${longestLine} bytes`);
    },
    finish() {
      if (rest !== undefined) records.line(joined(rest, Uint8Array.of(newline)), 0);
      return records.finish();
    },
  };
}

/** Takes one line after the other. */
function createRecordReader(options: PlaceOptions) {
  const report = buildReport(format, options);
  const decoder = new TextDecoder();
  const counted: PlainCount = { line: 0, hit: false };
  let [number, firstUnknown, records] = [0, 0, 0];
  let test: string | undefined;
  /** The file of the open record: a collector, or undefined where the file is left out; `inside` tells that from no record. */
  let file: FileCollector | undefined;
  let inside = '';

  function fail(why: string, line = number): never {
    throw malformed(format, why, { line });
  }

  function count(line: number, hit: boolean): void {
    if (inside === '') fail('a line count outside a record (no SF before it)');
    if (line < 1 || line > lastLine) report.warn('invalid_line', `${inside}: line ${line}`);
    else if (hit) file?.executed.add(line);
    else file?.missed.add(line);
  }

  /** `DA:` with an unusual number: signed, with a fraction or an exponent. */
  function unusualCount(text: string): void {
    const [, line = '', hits = ''] = /^DA:(-?\d{1,15}),\s*(-?[\d.]+(?:[eE][+-]?\d+)?)(?:,.*)?$/.exec(text) ?? [];
    if (line === '' || Number.isNaN(Number(hits))) fail(`${JSON.stringify(text.slice(0, 60))} is no line count`);
    if (Number(hits) < 0) report.warn('negative_count', `${inside}: ${text.slice(0, 60)}`);
    count(Number(line), Number(hits) > 0);
  }

  function start(path: string): void {
    if (inside !== '') fail(`a record starts inside that of ${JSON.stringify(inside)}`);
    if (path === '') fail('SF without a path');
    if (path.includes('\ufffd')) report.warn('not_utf8', path);
    [inside, file] = [path, report.file(path, test)];
    records += 1;
    if (test !== undefined) report.test(test);
  }

  function other(text: string): void {
    if (text.startsWith('SF:')) start(text.slice(3).trim());
    else if (text === 'end_of_record') [inside, file] = ['', undefined];
    else if (text.startsWith('TN:')) {
      if (inside !== '') fail('TN inside a record');
      test = testOf(text.slice(3));
    } else if (text.startsWith('DA:')) unusualCount(text);
    else if (text !== '' && !text.startsWith('#')) {
      firstUnknown ||= number;
      report.warn('unknown_record', `line ${number}: ${text.slice(0, 60)}`);
    }
  }

  return {
    fail,
    /** Reads the line that starts at an offset and gives the offset of its end; -1, and nothing is read, where it has none yet. */
    line(bytes: Uint8Array, from: number): number {
      const plain = readCount(bytes, from, counted);
      const end = plain < 0 ? bytes.indexOf(newline, from) : plain;
      if (end < 0) return end;
      number += 1;
      if (plain >= 0) count(counted.line, counted.hit);
      else if (!skipped.has(nameOf(bytes, from))) other(decoder.decode(bytes.subarray(from, end)).trim());
      return end;
    },
    finish(): CoverageReport {
      if (inside !== '') fail(`it ends inside the record of ${JSON.stringify(inside)}`);
      if (records === 0 && firstUnknown > 0) fail('no record of LCOV', firstUnknown);
      return report.finish();
    },
  };
}

/** lcov marks the tests of a difference. */
function testOf(name: string): string | undefined {
  const bare = name.replace(/,diff$/, '').trim();
  return bare === '' ? undefined : bare;
}

interface PlainCount {
  line: number;
  hit: boolean;
}

/**
 * Reads `DA:<line>,<count>` with a line end at once, since nearly all lines are such, into `counted`; gives the offset of the line end,
 * or -1 for anything else, also where the bytes end before the line does.
 */
function readCount(bytes: Uint8Array, from: number, counted: PlainCount): number {
  if (bytes[from] !== 68 || bytes[from + 1] !== 65 || bytes[from + 2] !== 58) return -1;
  let at = from + 3;
  let line = 0;
  let byte = bytes[at] ?? newline;
  for (; isDigit(byte); byte = bytes[++at] ?? newline) line = line * 10 + byte - 48;
  if (line === 0 || at - from > 13 || byte !== comma) return -1;
  at += 1;
  const firstDigit = at;
  let hit = false;
  for (byte = bytes[at] ?? newline; isDigit(byte); byte = bytes[++at] ?? newline) hit ||= byte > 48;
  if (at === firstDigit) return -1;
  if (byte === carriageReturn) at += 1;
  if (bytes[at] !== newline) return -1;
  counted.line = line;
  counted.hit = hit;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

/** The name of a record, at most five characters before a colon; "" where there is none. */
function nameOf(bytes: Uint8Array, from: number): string {
  for (let at = from; at < from + 6; at += 1) {
    if (bytes[at] === colon) return String.fromCharCode(...bytes.subarray(from, at));
  }
  return '';
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
