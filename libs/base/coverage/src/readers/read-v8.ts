import { buildReport, type FileCollector, type ReportBuilder } from '../build-report.ts';
import type { CoverageReport } from '../coverage-report.ts';
import { malformed } from '../errors.ts';
import { type PlaceOptions, placeFile } from '../place-files.ts';
import { type JsonObject, listAt, objectAt, readJson } from '../read-json.ts';
import { type CountAt, countOffsets } from '../v8/count-offsets.ts';
import { firstTokens, indexLineLengths, indexText, type TextIndex } from '../v8/index-text.ts';
import { type MappedPlace, mapSources } from '../v8/map-lines.ts';

const format = 'v8';

/** The text that V8 ran, and its source map (JSON text or the parsed object) where it was generated from another. */
export interface V8Script {
  readonly text: string;
  readonly map?: unknown;
}

export interface V8Options extends PlaceOptions {
  /**
   * The text of a script by its URL, and of an original source by what its map calls it; undefined: not at hand. Not asked where the file has
   * it (`source` of an entry, Node's `source-map-cache`, `sourcesContent` of a map).
   */
  readonly sourceOf?: (url: string) => V8Script | undefined;
  /** Offsets (UTF-16) where the statements of a file begin; undefined, as when absent: lines that begin with code are taken. */
  readonly statementsOf?: (path: string, text: string) => Iterable<number> | undefined;
}

/**
 * Reads V8's own block coverage: files of `NODE_V8_COVERAGE`, `{ result }` of the inspector, or a list of its entries; in total. Generated
 * text is taken to its source through source maps. Throws `malformed_coverage`.
 *
 * A line (or statement) was executed if the code it begins with was. What no range counts, and what no mapping names, is unknown: neither
 * executed nor executable. V8 counts a function from its first token, so a line that begins a declaration says whether it was called.
 */
export function readV8(input: string | Uint8Array, options: V8Options = {}): CoverageReport {
  const top = readJson(format, input);
  const body: JsonObject = Array.isArray(top) ? { result: top } : objectAt(format, top, 'the top');
  const cache = objectAt(format, body['source-map-cache'] ?? {}, '["source-map-cache"]');
  const report = buildReport(format, options);
  for (const [index, value] of listAt(format, body.result, 'result').entries()) {
    const at = `result[${index}]`;
    const entry = objectAt(format, value, at);
    const { url } = entry;
    if (typeof url !== 'string') throw malformed(format, 'a URL was expected', { at: `${at}.url` });
    const { countAt, negative } = countOffsets(listAt(format, entry.functions, `${at}.functions`), at);
    if (!isFile(url)) continue;
    const cached = Object.hasOwn(cache, url)
      ? objectAt(format, cache[url], `["source-map-cache"][${JSON.stringify(url)}]`)
      : {};
    const collect = { report, options, countAt };
    if (negative > 0) report.warn('negative_count', url);
    readScript(collect, url, entry, cached);
  }
  return report.finish();
}

interface Collect {
  readonly report: ReportBuilder;
  readonly options: V8Options;
  readonly countAt: CountAt;
}

/** Node's own modules and what was evaluated from a string have no file. */
function isFile(url: string): boolean {
  return url !== '' && !/^(?:node|data|blob|wasm|evalmachine|internal|chrome-extension):|^evalmachine\.|^\[/.test(url);
}

function readScript({ report, options, countAt }: Collect, url: string, entry: JsonObject, cached: JsonObject): void {
  const path = pathOf(url);
  const inline = typeof entry.source === 'string' ? { text: entry.source } : undefined;
  const noted = typeof cached.data === 'object' && cached.data !== null ? cached.data : undefined;
  // Files outside the root need no source: asking for that of each dependency would be the larger part of the work.
  if (noted === undefined && placeFile(path, options).status !== 'placed') {
    report.file(path, undefined);
    return;
  }
  const script: V8Script | undefined = inline ?? options.sourceOf?.(url);
  const map = script?.map ?? noted ?? (script === undefined ? undefined : inlineMap(script.text, url));
  const index = script === undefined ? lineLengthsOf(cached, url) : indexText(script.text);
  if (index === undefined) {
    report.warn('no_source', url);
    return;
  }
  if (map !== undefined) readMapped({ report, options, countAt }, url, map, index);
  else if (script !== undefined) readPlain({ report, options, countAt }, path, script.text);
  else report.warn('no_source', url);
}

function lineLengthsOf({ lineLengths }: JsonObject, url: string): TextIndex | undefined {
  if (lineLengths === undefined) return undefined;
  const at = `["source-map-cache"][${JSON.stringify(url)}].lineLengths`;
  const lengths = listAt(format, lineLengths, at);
  if (!lengths.every((length) => Number.isSafeInteger(length)))
    throw malformed(format, 'lengths were expected', { at });
  return indexLineLengths(lengths as number[]);
}

/** The map that a text holds in its last lines; undefined where it holds none. */
function inlineMap(text: string, url: string): unknown {
  const [, encoded] =
    /^\/\/[#@] sourceMappingURL=data:application\/json;(?:charset=[^;,]+;)?base64,([A-Za-z0-9+/=]+)\s*$/m.exec(
      text.slice(text.lastIndexOf('\n//')),
    ) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(encoded), (unit) => unit.charCodeAt(0))));
  } catch (cause) {
    throw malformed(format, `the source map inside ${url} is none`, {}, cause);
  }
}

/** The URL of a page's script, or what a bundler calls a source, as a path. */
function pathOf(url: string): string {
  return url
    .replace(/^webpack:\/\/[^/]*\/|^https?:\/\/[^/]*\//, '')
    .replace(/[?#].*$/s, (tail) => (url.startsWith('file:') || /^https?:|^webpack:/.test(url) ? '' : tail));
}

function readPlain({ report, options, countAt }: Collect, path: string, text: string): void {
  const collector = report.file(path, undefined);
  if (collector === undefined) return;
  if (/^\/\/[#@] sourceMappingURL=/m.test(text)) report.warn('source_mapped', path);
  const { placeOf } = indexText(text);
  for (const offset of beginnings(options, path, text) ?? []) add(collector, placeOf(offset).line, countAt(offset));
}

function add({ executed, missed }: FileCollector, line: number, count: number | undefined): void {
  if (count === undefined) return;
  if (count > 0) executed.add(line);
  else missed.add(line);
}

/** Offsets where statements begin, else where lines begin with code. */
function beginnings({ statementsOf }: V8Options, path: string, text: string): Iterable<number> {
  return statementsOf?.(placeFile(path).path, text) ?? firstTokens(text).values();
}

function readMapped({ report, options, countAt }: Collect, url: string, map: unknown, generated: TextIndex): void {
  for (const { source, text, places } of mapSources(map, url, generated, countAt)) {
    const path = pathOf(source);
    const collector = report.file(path, undefined);
    if (collector === undefined) continue;
    const original = text ?? options.sourceOf?.(source)?.text;
    const byLine = placesByLine(places);
    if (original === undefined) {
      for (const [line, ofLine] of byLine) addFirst(collector, line, ofLine, 0);
      continue;
    }
    const { placeOf } = indexText(original);
    for (const offset of beginnings(options, path, original)) {
      const { line, column } = placeOf(offset);
      addFirst(collector, line, byLine.get(line) ?? [], column);
    }
  }
}

function placesByLine(places: readonly MappedPlace[]): Map<number, MappedPlace[]> {
  const lines = new Map<number, MappedPlace[]>();
  for (const place of places) {
    const held = lines.get(place.line) ?? [];
    if (held.length === 0) lines.set(place.line, held);
    held.push(place);
  }
  return lines;
}

/** The first mapped place of a line at or after a column says; the same place may come from several pieces of generated code. */
function addFirst(collector: FileCollector, line: number, places: readonly MappedPlace[], from: number): void {
  const after = places.filter(({ column }) => column >= from);
  if (after.length === 0) return;
  const first = after.reduce((least, { column }) => Math.min(least, column), Number.POSITIVE_INFINITY);
  add(collector, line, after.some(({ column, executed }) => column === first && executed) ? 1 : 0);
}
