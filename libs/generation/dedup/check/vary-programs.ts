// Candidates as a generator makes them, and the same ones written otherwise.
import { applyEdits, openSnapshot } from '@h/edit-apply';
import { proposeEdits } from '@h/fix-templates';
import type { Language, Parser } from '@h/syntax';

/** Texts that templates propose for any statement of a file, at most `limit`, spread over the file. */
export function proposedTexts(path: string, text: string, parser: Parser, language: Language, limit: number): string[] {
  const { statements } = parser.outline(text, language);
  const targets = statements.map(({ first, last }) => ({ file: path, first, last, score: 1 }));
  const snapshot = openSnapshot({ [path]: text });
  const batches = [...proposeEdits({ files: [{ path, text }], targets, parser })].map(({ candidates }) => candidates);
  const texts: string[] = [];
  for (let round = 0; texts.length < limit && batches.some((batch) => batch.length > round); round++) {
    for (const batch of batches) {
      const proposal = batch[round];
      if (proposal === undefined || texts.length >= limit) continue;
      const result = applyEdits(snapshot, proposal, {});
      if (result.status === 'applied') texts.push(new TextDecoder().decode(result.files[0]?.after));
    }
  }
  return texts;
}

/** The text written otherwise in one way; which way and where follows from `n`. Mostly the same program; the oracle says. */
export function variantOf(text: string, language: Language, parser: Parser, n: number): string {
  const ways = [commented, parenthesized, requoted, renamed, reindented, spaced, shuffled];
  return (ways[n % ways.length] as (typeof ways)[number])(text, n, language, parser);
}

const pick = <T>(items: readonly T[], n: number): T | undefined => items[(n * 7919) % Math.max(1, items.length)];

function replaceOne(text: string, pattern: RegExp, n: number, by: (found: RegExpMatchArray) => string): string {
  const found = pick([...text.matchAll(pattern)], n);
  return found === undefined
    ? text
    : text.slice(0, found.index) + by(found) + text.slice(found.index + found[0].length);
}

const commented = (text: string, n: number, language: Language) =>
  replaceOne(text, /\n/g, n, () => (language === 'python' ? '  # note\n' : ' // note\n'));
const parenthesized = (text: string, n: number) =>
  replaceOne(text, /(return|=) ([^\n;'"`#{(]+)(?=;?\n)/g, n, ([, word, value]) => `${word} (${value})`);
const requoted = (text: string, n: number) => replaceOne(text, /'([\w ]*)'/g, n, ([, inner]) => `"${inner}"`);
const reindented = (text: string, n: number) => replaceOne(text, /\n {4}(?=\S)/g, n, () => '\n        ');
const spaced = (text: string, n: number) => replaceOne(text, / /g, n, () => '  ');
/** Mostly another program: two neighbouring lines change places. */
const shuffled = (text: string, n: number) =>
  replaceOne(text, /\n([^\n]+)\n([^\n]+)(?=\n)/g, n, ([, one, other]) => `\n${other}\n${one}`);

function renamed(text: string, n: number, language: Language, parser: Parser): string {
  const { definitions, uses, scopes } = parser.names(text, language);
  const inner = definitions.filter(
    ({ scope, kind }) => scopes[scope]?.kind !== 'module' && /variable|param/.test(kind),
  );
  const chosen = pick(inner, n);
  if (chosen === undefined) return text;
  const other = n % 3 === 0 ? (pick(inner, n + 1)?.name ?? 'other') : `${chosen.name}_2`;
  const places = [
    ...definitions.filter(({ name, scope }) => name === chosen.name && scope === chosen.scope),
    ...uses.filter(({ definition }) => definition !== undefined && isSame(definitions[definition], chosen)),
  ];
  let next = text;
  for (const start of [...new Set(places.map((place) => place.start))].sort((a, b) => b - a)) {
    next = next.slice(0, start) + other + next.slice(start + chosen.name.length);
  }
  return next;
}

function isSame(one: { name: string; scope: number } | undefined, other: { name: string; scope: number }): boolean {
  return one?.name === other.name && one.scope === other.scope;
}
