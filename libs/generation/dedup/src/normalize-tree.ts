import type { FlatTree } from '@h/syntax';
import { javascriptNumber, javascriptString, pythonNumber, pythonString } from './literal-values.ts';
import type { NormalForm } from './normalize-tokens.ts';
import { droppedInJavaScript, droppedInPython } from './redundant-tokens.ts';

/**
 * The syntax tree as words: the tokens with the nesting of their nodes, literals by value, and without what the nesting already says
 * (parentheses, trailing commas, semicolons, Python's layout). `labels` stand for the names that begin at their offsets.
 */
export function normalizeTree(
  tree: FlatTree,
  form: NormalForm,
  labels: ReadonlyMap<number, string> = new Map(),
): string[] {
  const { nodes, tokens } = tree.language === 'python' ? droppedInPython(tree) : droppedInJavaScript(tree);
  const values = literalValues(tree);
  const words: string[] = [];
  let next = 0;
  const flush = (until: number) => {
    for (; next < form.words.length && (form.starts[next] as number) < until; next++) {
      const [word, start] = [form.words[next] as string, form.starts[next] as number];
      if (word === 'N' || word === 'I' || word === 'D') continue;
      const value = values.get(start);
      // A string token may be the source of a self-naming field, which begins where another node does.
      if (word.startsWith('.') && tokens.has(start)) continue;
      const label = word.startsWith('.') ? labels.get(start) : undefined;
      words.push(label ?? (value?.word === word ? value.value : word));
    }
  };
  const open: number[] = [];
  const close = (until: number) => {
    while (open.length > 0 && tree.next(open[open.length - 1] as number) <= until) {
      flush(tree.end(open.pop() as number));
      words.push(')');
    }
  };
  for (let node = 0; node < tree.count; node++) {
    close(node);
    const isLiteral = tree.kind(node) === 'string' && values.has(tree.start(node));
    if (isLiteral) node = tree.next(node) - 1;
    if (isLiteral || tree.next(node) === node + 1 || tree.kind(node).startsWith(':') || nodes.has(node)) continue;
    flush(tree.start(node));
    words.push(`(${tree.kind(node)}`);
    open.push(node);
  }
  close(tree.count);
  flush(Number.POSITIVE_INFINITY);
  return words;
}

const NUMBERS = new Set(['integer', 'float', 'number']);

/** By the offset of a literal: its word among the tokens, and what takes its place. */
function literalValues(tree: FlatTree): Map<number, { readonly word: string; readonly value: string }> {
  const values = new Map<number, { word: string; value: string }>();
  const isPython = tree.language === 'python';
  const [numberOf, stringOf] = isPython ? [pythonNumber, pythonString] : [javascriptNumber, javascriptString];
  for (let node = 0; node < tree.count; node++) {
    const kind = tree.kind(node);
    const isNumber = NUMBERS.has(kind);
    if (!isNumber && kind !== 'string') continue;
    const text = tree.text.slice(tree.start(node), tree.end(node));
    const value = isNumber ? numberOf(text) : isSpelling(tree, node, text) ? undefined : stringOf(text);
    const word = isNumber ? `.${text}` : `"${text.replace(/\r\n?/g, '\n')}`;
    if (value !== undefined) values.set(tree.start(node), { word, value: `=${value}` });
  }
  return values;
}

/**
 * Where the spelling of a string counts: a directive is one only without escapes, JSX knows none, and within a formatted string CPython
 * before 3.12 takes neither an escape nor the quotes of the string around.
 */
function isSpelling(tree: FlatTree, node: number, text: string): boolean {
  if (tree.language === 'python') return isInField(tree, node);
  const parent = tree.kind(tree.parent(node));
  return parent === 'jsx_attribute' || (parent === 'expression_statement' && text.includes('\\'));
}

function isInField(tree: FlatTree, node: number): boolean {
  for (let at = tree.parent(node); at >= 0; at = tree.parent(at)) if (tree.kind(at) === 'interpolation') return true;
  return false;
}
