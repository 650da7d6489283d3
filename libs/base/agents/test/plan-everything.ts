// A probe table that asks for every statement, branch, return and entry of a program, and for every name each of them holds.
import { parseSync } from 'oxc-parser';
import type { InjectableLanguage, ProbeSpec, ProbeTable } from '../src/index.ts';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export function languageOf(path: string): InjectableLanguage {
  return path.endsWith('.tsx') ? 'tsx' : /\.[cm]?ts$/.test(path) ? 'typescript' : 'javascript';
}

export function planEverything(text: string, path: string, firstProbe = 0): ProbeSpec[] {
  const language = languageOf(path);
  const lang = language === 'javascript' ? 'jsx' : language === 'tsx' ? 'tsx' : 'ts';
  const sourceType = path.endsWith('.mjs') ? 'module' : path.endsWith('.cjs') ? 'commonjs' : 'unambiguous';
  const { program } = parseSync(path, text, { lang, sourceType, astType: 'ts' });
  const found: Omit<ProbeSpec, 'n'>[] = [];
  walk(program as unknown as Node, (node) => {
    const role = roleOf(node);
    if (role === undefined) return;
    const names = [...namesIn(node), 'this', 'notBoundAnywhere'].sort();
    const line = text.slice(0, node.start).split(/\r\n|[\n\r\u2028\u2029]/).length;
    if (role !== 'entry' && node.type === 'ArrowFunctionExpression') {
      const { start } = node.body as Node;
      if ((node.body as Node).type !== 'BlockStatement')
        found.push({ line, role: 'return', before: names, after: names, start });
    } else found.push({ line, role, before: names, after: names, start: node.start });
    if (node.type === 'ArrowFunctionExpression')
      found.push({ line, role: 'entry', before: [], after: names, start: node.start });
  });
  return found.map((spec, index) => ({ n: firstProbe + index, ...spec }));
}

export function tableOf(file: string, probes: readonly ProbeSpec[], limits: Partial<ProbeTable> = {}): ProbeTable {
  return { protocol: 1, max_bytes: 1 << 26, max_events: 100_000, files: [{ file, probes }], ...limits };
}

function roleOf({ type }: Node): ProbeSpec['role'] | undefined {
  if (type === 'FunctionDeclaration' || type === 'FunctionExpression') return 'entry';
  if (type === 'ReturnStatement' || type === 'ArrowFunctionExpression') return 'return';
  if (/^(?:If|Switch|For\w*|While|DoWhile)Statement$/.test(type)) return 'branch';
  if (/^(?:Block|Empty|Labeled)Statement$/.test(type)) return undefined;
  return /Statement$|^(?:Variable|Class|Export\w+|TSEnum)Declaration$/.test(type) ? 'statement' : undefined;
}

function namesIn(node: Node): Set<string> {
  const names = new Set<string>();
  walk(node, ({ type, name }) => {
    if (type === 'Identifier' && typeof name === 'string') names.add(name);
  });
  return names;
}

function walk(node: Node, onNode: (node: Node) => void): void {
  onNode(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === 'object' && child !== null && typeof child.type === 'string') walk(child as Node, onNode);
}
