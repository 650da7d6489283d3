import type { CoverageFormat, CoverageReport } from './coverage-report.ts';
import { decodeText } from './decode-text.ts';
import { unknownFormat } from './errors.ts';
import { readCobertura } from './readers/read-cobertura.ts';
import { type CoveragePyOptions, readCoveragePy } from './readers/read-coverage-py.ts';
import { readIstanbul } from './readers/read-istanbul.ts';
import { type JacocoOptions, readJacoco } from './readers/read-jacoco.ts';
import { readLcov } from './readers/read-lcov.ts';
import { readV8, type V8Options } from './readers/read-v8.ts';

export interface ReadCoverageOptions extends CoveragePyOptions, V8Options, JacocoOptions {
  /** Absent: told from the content. */
  readonly format?: CoverageFormat;
}

/** Reads a coverage file of any of the formats. Throws `unknown_format` and `malformed_coverage`. */
export function readCoverage(input: string | Uint8Array, options: ReadCoverageOptions = {}): CoverageReport {
  switch (options.format ?? formatOf(input)) {
    case 'coverage.py':
      return readCoveragePy(input, options);
    case 'lcov':
      return readLcov(input, options);
    case 'istanbul':
      return readIstanbul(input, options);
    case 'v8':
      return readV8(input, options);
    case 'jacoco':
      return readJacoco(input, options);
    case 'cobertura':
      return readCobertura(input, options);
  }
}

/** The format, told from the first few thousand characters; JSON that neither names a file format is Istanbul's. Throws `unknown_format`. */
function formatOf(input: string | Uint8Array): CoverageFormat {
  const start = decodeText(input.slice(0, 4096)).trimStart();
  if (start === '') throw unknownFormat('empty');
  if (/^(?:TN|SF|VER|#)/.test(start)) return 'lcov';
  if (start.startsWith('<')) return xmlFormatOf(start);
  if (
    /^\{\s*"(?:result"\s*:\s*\[|source-map-cache"|timestamp"\s*:\s*[\d.]+\s*,\s*"result")|^\[\s*\{\s*"(?:scriptId|url|functions|source)"/.test(
      start,
    )
  )
    return 'v8';
  if (!start.startsWith('{')) throw unknownFormat('neither JSON, XML nor LCOV');
  return /^\{\s*"(?:meta|files)"\s*:\s*\{\s*(?:"(?:format|version|timestamp|branch_coverage|show_contexts)"|"[^"]*"\s*:\s*\{\s*"executed_lines")/.test(
    start,
  )
    ? 'coverage.py'
    : 'istanbul';
}

function xmlFormatOf(start: string): CoverageFormat {
  if (/<coverage\b[^>]*\bclover=/.test(start)) throw unknownFormat('Clover XML');
  if (/<coverage\b/.test(start)) return 'cobertura';
  if (/<report\b/.test(start)) return 'jacoco';
  throw unknownFormat('XML without a <coverage> or <report>');
}
