import { buildReport, type ReportBuilder } from '../build-report.ts';
import type { CoverageReport } from '../coverage-report.ts';
import { isAbsolutePath, type Placed, type PlaceOptions, placeFile } from '../place-files.ts';
import { attributeOf, numberOf, readXml } from '../read-xml.ts';

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
  const sources: string[] = [];
  const path: string[] = [];
  let open: OpenClass | undefined;
  let text = '';
  readXml(format, 'coverage', input, (fail) => ({
    open(tag) {
      path.push(tag.name);
      text = '';
      if (tag.name === 'class') open = { filename: attributeOf(tag, 'filename', fail), own: [], ofMethods: [] };
      if (tag.name !== 'line' || open === undefined) return;
      const number = numberOf(tag, 'number', fail);
      if (!Number.isSafeInteger(number)) throw fail(`number "${number}" is no number of a line`);
      const lines = path.includes('method') ? open.ofMethods : open.own;
      lines.push([number, numberOf(tag, 'hits', fail)]);
    },
    text(more) {
      text += more;
    },
    close(name) {
      path.pop();
      if (name === 'source') sources.push(text.trim());
      if (name !== 'class' || open === undefined) return;
      addClass(report, open, placeBelow(sources, open.filename, options));
      open = undefined;
    },
  }));
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
