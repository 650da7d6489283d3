import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { CoverageFormat } from './coverage-report.ts';
import { decodeText } from './decode-text.ts';
import { type CoverageError, malformed } from './errors.ts';

export type Fail = (why: string) => CoverageError;

export interface XmlVisitor {
  open(tag: SaxesTagPlain): void;
  close(name: string): void;
  text?(text: string): void;
}

/** Deeper elements are no coverage. */
const deepest = 256;

/**
 * Reads XML, strict, tag by tag. Entities that a document type declares are not expanded, and nothing it names is fetched. Throws
 * `malformed_coverage` with the line.
 */
export function readXml(
  format: CoverageFormat,
  root: string,
  input: string | Uint8Array,
  visitorOf: (fail: Fail) => XmlVisitor,
): void {
  const parser = new SaxesParser({ xmlns: false, position: true });
  const fail: Fail = (why) => malformed(format, why, { line: parser.line, offset: parser.position });
  const visitor = visitorOf(fail);
  let depth = 0;
  parser.on('error', ({ message }) => {
    throw fail(message.replace(/^.*?\d+:\d+: /, '').replace(/\.$/, ''));
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    if (depth === 1 && tag.name !== root) throw fail(`<${root}> was expected, not <${tag.name}>`);
    if (depth > deepest) throw fail(`more than ${deepest} elements inside each other`);
    visitor.open(tag);
  });
  parser.on('text', (text) => visitor.text?.(text));
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    visitor.close(name);
  });
  parser.write(decodeText(input)).close();
}

export function attributeOf({ name, attributes }: SaxesTagPlain, key: string, fail: Fail): string {
  const value = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  if (value === undefined || value === '') throw fail(`<${name}> has no ${key}`);
  return value;
}

/** A number as tools write one: whole, with a fraction or an exponent. */
export function numberOf(tag: SaxesTagPlain, key: string, fail: Fail): number {
  const value = attributeOf(tag, key, fail);
  const number = /^-?\d{1,300}(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw fail(`${key} ${JSON.stringify(value.slice(0, 60))} is no number`);
  return number;
}
