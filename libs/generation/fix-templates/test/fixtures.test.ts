// Every candidate of every statement of the fixtures: programs of ours, and files that hold every form of the languages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSyntaxChecker, type Language, languageOf } from '@h/syntax';
import { describe, expect, test } from 'vitest';
import { type ProposedEdit, proposeEdits } from '../src/index.ts';
import { appliedTo, sharedParser } from './results-of.ts';

/** Every so many candidates are checked exactly each time, a prime: no kind is always left out. */
const SAMPLED = 11;
const FIXTURES = join(import.meta.dirname, 'fixtures');
const FILES = ['programs', 'edges'].flatMap((folder) =>
  readdirSync(join(FIXTURES, folder)).flatMap((name) => {
    const language = languageOf(name);
    return language ? [{ path: `${folder}/${name}`, language }] : [];
  }),
);
const parser = await sharedParser();
const checker = await createSyntaxChecker(['python', 'javascript', 'typescript', 'tsx']);

function candidatesIn(path: string, text: string, language: Language): ProposedEdit[] {
  const { statements } = parser.outline(text, language);
  const targets = statements.map(({ first, last }) => ({ file: path, first, last, score: 1 }));
  return [...proposeEdits({ files: [{ path, text }], targets, parser })].flatMap(({ candidates }) => candidates);
}

describe.each(FILES)('$path', ({ path, language }) => {
  const text = readFileSync(join(FIXTURES, path), 'utf8');
  const candidates = candidatesIn(path, text, language);

  test('parses itself', () => {
    expect(checker.check(text, language, { path })).toEqual([]);
  });

  test('each block is in its span exactly once and gives a text of its own', { timeout: 300_000 }, () => {
    const results = candidates.map((candidate) => appliedTo(text, candidate));
    expect(candidates.length).toBeGreaterThan(100);
    expect(new Set([text, ...results]).size).toBe(results.length + 1);
  });

  test('each result parses exactly', { timeout: 300_000 }, () => {
    const sample = candidates.filter((_, index) => index % SAMPLED === 0);
    const refused = sample.flatMap((candidate) => {
      const [diagnostic] = checker.check(appliedTo(text, candidate), language, { path });
      return diagnostic ? [`${candidate.provenance}: ${diagnostic.message}`] : [];
    });
    expect(refused).toEqual([]);
  });

  const variants: [string, string][] = [['CRLF', text.replaceAll('\n', '\r\n')]];
  if (path.startsWith('edges')) variants.push(['a byte order mark', `\ufeff${text}`]);
  test.each(variants)('gives the same with %s', { timeout: 300_000 }, (_, variant) => {
    const others = candidatesIn(path, variant, language);
    const pick = ({ span, blocks, template, score }: ProposedEdit) => ({ span, blocks, template, score });
    expect(others.map(pick)).toEqual(candidates.map(pick));
    for (const candidate of others) appliedTo(variant, candidate);
  });
});
