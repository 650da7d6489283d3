import type { TreeNode } from '../copy-tree.ts';
import { put } from '../place-expression.ts';
import type { Replacement, Site, Template } from '../template.ts';

const WORD = /^(["'])([A-Za-z][\w-]*)\1$/;
const SPACED = /^(["'])( *)([^\s"'\\]{1,3})( *)\1$/;
const MAX_NUMBER = 20;

/** A literal of another kind or another spelling: nothing for zero, case of a word, blanks of a separator, a float for an integer. */
export const literals: Template = {
  name: 'literal',
  prior: 0.03,
  *propose(site) {
    if (site.isDefinition) return;
    for (const node of site.nodes) {
      switch (site.grammar.literal(node, site.source)) {
        case 'null':
          yield* others(site, node, 'none', noneLike(site));
          break;
        case 'boolean':
          yield* others(site, node, 'truth', [site.grammar.phrases.none[0] ?? 'null']);
          break;
        case 'string':
          yield* wantedText(site, node);
          yield* otherText(site, node);
          break;
        case 'number':
          yield* wantedNumber(site, node);
          yield* otherNumber(site, node);
          break;
        case 'collection':
          yield* otherCollection(site, node);
          break;
        default:
      }
    }
  },
};

function noneLike({ grammar }: Site): string[] {
  const { phrases, booleans } = grammar;
  return [...phrases.none, '0', booleans[1], "''", '[]', booleans[0]];
}

function* others(site: Site, node: TreeNode, from: string, texts: readonly string[]): Iterable<Replacement> {
  if (!isValue(node)) return;
  for (const text of texts) {
    if (text !== site.text(node)) yield* put(site, node, text, { variant: `${from}-${nameOf(text)}` });
  }
}

/** Not compared by identity with, no pattern, no key. */
function isValue({ parent, field, type }: TreeNode): boolean {
  if (!parent || /pattern|^case|_type$|enum|^raise/.test(parent.type) || field === 'key' || field === 'name')
    return false;
  if (parent.type === 'expression_statement' || parent.type === 'concatenated_string') return false;
  return !(/comparison/.test(parent.type) && /none|null/.test(type));
}

const NAMES: Readonly<Record<string, string>> = { "''": 'text', '[]': 'list', '{}': 'map', '""': 'text' };

function nameOf(text: string): string {
  return NAMES[text] ?? (/^\d/.test(text) ? 'zero' : text.toLowerCase());
}

/** A text that holds what came gets what was wanted. */
function* wantedText(site: Site, node: TreeNode): Iterable<Replacement> {
  const text = site.text(node);
  const [, quote = '', own = ''] = /^(["'])([^"'\\\r\n]*)\1$/.exec(text) ?? [];
  if (quote === '' || !site.grammar.isPlainString(node) || !isValue(node)) return;
  for (const { came, wanted } of site.wanted) {
    const at = own.indexOf(came);
    if (at < 0 || /["'\\\p{Cc}]/u.test(wanted)) continue;
    const changed = `${own.slice(0, at)}${wanted}${own.slice(at + came.length)}`;
    yield { start: node.start, end: node.end, text: `${quote}${changed}${quote}`, variant: 'wanted-text' };
  }
}

/** What came becomes what was wanted, or the number is off by as much. */
function* wantedNumber(site: Site, node: TreeNode): Iterable<Replacement> {
  const text = site.text(node);
  if (!/^(0|[1-9]\d{0,8})$/.test(text) || !isValue(node)) return;
  for (const { came, wanted } of site.wanted) {
    if (![came, wanted].every((one) => /^-?\d{1,9}$/.test(one))) continue;
    if (came === text && !wanted.startsWith('-'))
      yield { start: node.start, end: node.end, text: wanted, variant: 'wanted-number' };
    const moved = Number(text) + Number(wanted) - Number(came);
    if (moved >= 0 && Math.abs(moved - Number(text)) > 1)
      yield { start: node.start, end: node.end, text: String(moved), variant: 'wanted-step' };
  }
}

function* otherText(site: Site, node: TreeNode): Iterable<Replacement> {
  const text = site.text(node);
  if (!site.grammar.isPlainString(node) || !isValue(node)) return;
  if (/^(["'])\1$/.test(text)) {
    const [none = 'null'] = site.grammar.phrases.none;
    yield* put(site, node, none, { variant: 'text-none' });
  }
  const [, quote, word = ''] = WORD.exec(text) ?? [];
  if (quote) {
    const cased = [
      word.toLowerCase(),
      word.toUpperCase(),
      word[0]?.toUpperCase() + word.slice(1),
      word[0]?.toLowerCase() + word.slice(1),
    ];
    for (const one of new Set(cased)) {
      if (one !== word) yield { start: node.start, end: node.end, text: `${quote}${one}${quote}`, variant: 'case' };
    }
  }
  const [, mark, before = '', separator, after = ''] = SPACED.exec(text) ?? [];
  if (!mark || /\w/.test(separator ?? '')) return;
  const spaced = [separator, `${separator} `, ` ${separator} `];
  for (const one of spaced) {
    if (one !== `${before}${separator}${after}`)
      yield { start: node.start, end: node.end, text: `${mark}${one}${mark}`, variant: 'spacing' };
  }
}

function* otherNumber(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar } = site;
  const text = site.text(node);
  if (!isValue(node) || node.end - node.start > MAX_NUMBER) return;
  const isSigned = node.parent !== undefined && grammar.negative(node.parent) !== undefined;
  const isPython = grammar.phrases.language === 'python';
  if (isPython && /^\d+$/.test(text) && (text === '0' || !text.startsWith('0'))) {
    yield* put(site, node, `${text}.0`, { variant: 'float' });
  }
  if (/^\d+\.0$/.test(text) && /^[1-9]|^0\./.test(text))
    yield* put(site, node, text.slice(0, -2), { variant: 'integer' });
  if (/^\d*\.\d*[1-9]$/.test(text)) {
    yield* put(site, node, '0', { variant: 'fraction-zero' });
    yield* put(site, node, '1', { variant: 'fraction-one' });
  }
  if (text !== '0' || isSigned) return;
  const isStart = grammar.isAssigned(node) || grammar.isReturned(node);
  if (!isStart) return;
  const [none = 'null'] = grammar.phrases.none;
  yield* put(site, node, none, { variant: 'zero-none' });
  const infinite = isPython ? "float('inf')" : 'Infinity';
  yield* put(site, node, infinite, { variant: 'zero-infinite' });
  yield* put(site, node, `-${infinite}`, { tightness: grammar.signTightness, variant: 'zero-infinite' });
}

function* otherCollection(site: Site, node: TreeNode): Iterable<Replacement> {
  const text = site.text(node);
  if (!/^(\[\s*\]|\{\s*\}|\(\s*\))$/.test(text) || !isValue(node) || /function|arrow/.test(node.type)) return;
  const [none = 'null'] = site.grammar.phrases.none;
  for (const other of ['[]', '{}', none]) {
    if (other !== text) yield* put(site, node, other, { variant: `collection-${nameOf(other)}` });
  }
}
