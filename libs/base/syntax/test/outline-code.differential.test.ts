// Where statements start, against CPython's ast and oxc's tree on real code. Starts processes; the library never does.
import { spawnSync } from 'node:child_process';
import { parseSync } from 'oxc-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParser, type Parser, type StatementSpan } from '../src/index.ts';
import { javascriptCorpus, pythonCorpus } from './corpus.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

const AST = `
import ast, json, sys
def first(node):
    return min([node.lineno] + [d.lineno for d in getattr(node, 'decorator_list', [])])
found = []
for path in sys.argv[1:]:
    tree = ast.parse(open(path, 'rb').read())
    found.append(sorted(first(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)))
print(json.dumps(found))
`;
/** Clauses are entities of ours; they are no statements of Python. */
const CLAUSES = new Set(['except_clause', 'case_clause']);

describe('outline against ast.walk', () => {
  it('finds the statements of the standard library', () => {
    const corpus = pythonCorpus(45);
    const paths = corpus.map((file) => file.path);
    const { stdout } = spawnSync('python3', ['-W', 'ignore', '-c', AST, ...paths], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    const expected = JSON.parse(stdout) as number[][];
    const partial: string[] = [];
    for (const [index, file] of corpus.entries()) {
      const outline = parser.outline(file.text, 'python');
      if (outline.partial) partial.push(file.path);
      else expect([file.path, firstLines(outline.statements)]).toEqual([file.path, expected[index]]);
    }
    expect(corpus.length - partial.length).toBeGreaterThan(30);
    // A bracketed line that starts further left than its block is beyond the grammar (test_compile.py).
    expect(partial.length).toBeLessThanOrEqual(1);
  });
});

function firstLines(statements: readonly StatementSpan[]): number[] {
  return statements
    .filter(({ node }) => !CLAUSES.has(node))
    .map(({ first }) => first)
    .sort((a, b) => a - b);
}

type Node = { type: string; start: number; [key: string]: unknown };
/** Statements that are blocks, or part of the entity around them. */
const NO_ENTITY = new Set(['BlockStatement', 'EmptyStatement', 'LabeledStatement']);
const WRAPPERS = new Set(['ExportNamedDeclaration', 'ExportDefaultDeclaration']);
const MEMBERS = new Set(['MethodDefinition', 'PropertyDefinition', 'SwitchCase']);
/** Type-level declarations and members without a body: compared nowhere, since oxc and tree-sitter cut them differently. */
const TYPE_LEVEL = /^TS|^Import|^Export/;

function isEntity(node: Node, parent: Node | undefined, field: string): boolean {
  if (MEMBERS.has(node.type)) return node.type !== 'SwitchCase' || node.test !== null;
  if (!/(Statement|Declaration)$/.test(node.type) || NO_ENTITY.has(node.type) || TYPE_LEVEL.test(node.type))
    return false;
  if (parent && WRAPPERS.has(parent.type)) return false;
  return !(node.type === 'VariableDeclaration' && (field === 'init' || field === 'left'));
}

function startsOf(program: unknown): number[] {
  const starts: number[] = [];
  const rest: { node: unknown; parent: Node | undefined; field: string }[] = [
    { node: program, parent: undefined, field: '' },
  ];
  for (let item = rest.pop(); item; item = rest.pop()) {
    const { node, parent, field } = item;
    if (typeof node !== 'object' || node === null) continue;
    if (Array.isArray(node)) {
      for (const child of node) rest.push({ node: child, parent, field });
      continue;
    }
    const own = typeof (node as Node).type === 'string' ? (node as Node) : undefined;
    if (own?.declare === true) continue;
    if (own && isEntity(own, parent, field)) starts.push(own.start);
    for (const [key, child] of Object.entries(node)) rest.push({ node: child, parent: own ?? parent, field: key });
  }
  return starts.sort((a, b) => a - b);
}

describe('outline against oxc', () => {
  it('finds the statements of real JavaScript and TypeScript', () => {
    const corpus = javascriptCorpus(45).filter(({ path }) => !path.includes('.d.'));
    expect(corpus.length).toBeGreaterThan(30);
    for (const { path, text, language } of corpus) {
      const lang = language === 'javascript' ? 'jsx' : language === 'tsx' ? 'tsx' : 'ts';
      const { program, errors } = parseSync('file', text, { lang, astType: 'ts' });
      const { statements, partial } = parser.outline(text, language);
      if (errors.length > 0 || partial) continue;
      const ours = new Set(statements.map((statement) => statement.start));
      const theirs = startsOf(program);
      expect([path, theirs.filter((start) => !ours.has(start)).map((start) => text.slice(start, start + 60))]).toEqual([
        path,
        [],
      ]);
      expect(theirs.length).toBeLessThanOrEqual(statements.length);
    }
  });
});
