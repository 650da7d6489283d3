import { parseLines } from '@h/contracts';
import type { CoverageReport, FileCoverage } from '../coverage-report.ts';
import { unwritableName } from '../errors.ts';
import { executableLines } from './lines-outside-tests.ts';

export interface CoberturaOptions {
  /** What paths are relative to, for tools that look for the sources: "/ci/app". "." when absent. */
  readonly source?: string;
  /** Milliseconds since 1970, which the document type demands; 0 when absent. */
  readonly timestamp?: number;
}

/**
 * A report as Cobertura XML (coverage-04.dtd), in total: a package a folder, a class a file, hits 1 or 0, no branches. Tests are lost: the
 * format knows none. Throws `unwritable_name`.
 */
export function writeCobertura(report: CoverageReport, { source = '.', timestamp = 0 }: CoberturaOptions = {}): string {
  const files = report.total.map(countFile);
  const folders = new Map<string, CountedFile[]>();
  for (const file of files) {
    const slash = file.path.lastIndexOf('/');
    const folder = slash < 0 ? '.' : file.path.slice(0, slash);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const packages = [...folders].map(([folder, inside]) =>
    [
      `    <package name="${xmlText(folder.replaceAll('/', '.'))}" ${ratesOf(inside)} complexity="0">`,
      '      <classes>',
      ...inside.map(writeClass),
      '      </classes>',
      '    </package>',
    ].join('\n'),
  );
  const [covered, valid] = [sum(files, 'covered'), sum(files, 'valid')];
  const totals = `lines-covered="${covered}" lines-valid="${valid}" branches-covered="0" branches-valid="0"`;
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">',
    `<coverage ${ratesOf(files)} ${totals} complexity="0" version="1" timestamp="${timestamp}">`,
    '  <sources>',
    `    <source>${xmlText(source)}</source>`,
    '  </sources>',
    '  <packages>',
    ...packages,
    '  </packages>',
    '</coverage>',
  ].join('\n')}\n`;
}

interface CountedFile {
  readonly path: string;
  readonly lines: readonly (readonly [line: number, hits: number])[];
  readonly covered: number;
  readonly valid: number;
}

function countFile(entry: FileCoverage): CountedFile {
  const hit = new Set(parseLines(entry.lines));
  const lines = executableLines(entry).map((line) => [line, hit.has(line) ? 1 : 0] as const);
  return { path: entry.file, lines, covered: hit.size, valid: lines.length };
}

function writeClass(file: CountedFile): string {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  const lines = file.lines.map(([line, hits]) => `            <line number="${line}" hits="${hits}"/>\n`).join('');
  return [
    `        <class name="${xmlText(name)}" filename="${xmlText(file.path)}" ${ratesOf([file])} complexity="0">`,
    '          <methods/>',
    '          <lines>',
    `${lines}          </lines>`,
    '        </class>',
  ].join('\n');
}

function ratesOf(files: readonly CountedFile[]): string {
  const valid = sum(files, 'valid');
  return `line-rate="${valid === 0 ? 1 : Number((sum(files, 'covered') / valid).toFixed(4))}" branch-rate="0"`;
}

function sum(files: readonly CountedFile[], key: 'covered' | 'valid'): number {
  return files.reduce((total, file) => total + file[key], 0);
}

const special: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text of an attribute. XML 1.0 has no form for other control characters, halves of surrogates, U+FFFE and U+FFFF. */
function xmlText(text: string): string {
  if (text === '' || /[^\P{Cc}\t\n\r\u007f-\u009f]|\p{Cs}|[\ufffe\uffff]/u.test(text))
    throw unwritableName('cobertura', text);
  return text.replace(/[&<>"\t\n\r]/g, (character) => special[character] ?? character);
}
