import { buildReport, type ReportBuilder } from '../build-report.ts';
import type { CoverageReport } from '../coverage-report.ts';
import { type Placed, type PlaceOptions, placeFile } from '../place-files.ts';
import { attributeOf, type Fail, numberOf, readXml } from '../read-xml.ts';

const format = 'jacoco';

export interface JacocoOptions extends PlaceOptions {
  /**
   * Folders of sources that packages start from, looked in in this order, relative to the root: "src/main/java". JaCoCo names a file by its
   * package alone. Absent: the usual ones of Maven and Gradle; with no `exists` to ask, the first of them that is given, or none.
   */
  readonly sourceFolders?: readonly string[];
}

const usualFolders = ['src/main/java', 'src/main/kotlin', 'src/main/scala', 'src/main/groovy', 'src', ''];

/**
 * Reads JaCoCo's XML report, in total. A line was executed if one of its instructions was, or a branch where it has no instruction counted;
 * lines without either are unknown. Throws `malformed_coverage`.
 */
export function readJacoco(input: string | Uint8Array, options: JacocoOptions = {}): CoverageReport {
  const report = buildReport(format, options);
  const path: string[] = [];
  let packageName = '';
  let file: Placed | undefined;
  readXml(format, 'report', input, (fail) => ({
    open(tag) {
      path.push(tag.name);
      if (tag.name === 'package') packageName = tag.attributes.name ?? '';
      if (tag.name === 'sourcefile') {
        const name = attributeOf(tag, 'name', fail);
        file = placeBelow(packageName === '' ? name : `${packageName}/${name}`, options);
        if (file.status !== 'placed') report.warn(file.status, file.path);
        report.file(file, undefined);
      }
      if (tag.name === 'line' && file !== undefined) addLine(report, file, (key) => numberOf(tag, key, fail), fail);
    },
    close(name) {
      path.pop();
      if (name === 'sourcefile') file = undefined;
      if (name === 'package') packageName = '';
    },
  }));
  return report.finish();
}

function addLine(report: ReportBuilder, file: Placed, count: (key: string) => number, fail: Fail): void {
  const [line, missed, executed] = [count('nr'), count('mi'), count('ci')];
  const [missedBranches, branches] = [count('mb'), count('cb')];
  if (!Number.isSafeInteger(line)) throw fail(`nr ${line} is no line`);
  const collector = report.file(file, undefined);
  if ([missed, executed, missedBranches, branches].some((number) => number < 0))
    report.warn('negative_count', `${file.path}:${line}`);
  if (line < 1) report.warn('invalid_line', `${file.path}: line ${line}`);
  else if (executed > 0 || branches > 0) collector?.executed.add(line);
  else if (missed > 0 || missedBranches > 0) collector?.missed.add(line);
}

function placeBelow(name: string, options: JacocoOptions): Placed {
  const folders = options.sourceFolders ?? (options.exists === undefined ? [''] : usualFolders);
  let first: Placed | undefined;
  for (const folder of folders) {
    const placed = placeFile(folder === '' ? name : `${folder}/${name}`, options);
    if (placed.status === 'placed') return placed;
    first ??= placed;
  }
  return first ?? placeFile(name, options);
}
