// Scopes and bindings against CPython's symtable and @typescript-eslint/scope-manager on real code.
import { spawnSync } from 'node:child_process';
import { analyze } from '@typescript-eslint/scope-manager';
import { visitorKeys } from '@typescript-eslint/visitor-keys';
import { parseSync } from 'oxc-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParser, type NameTable, type Parser } from '../src/index.ts';
import { type CorpusFile, javascriptCorpus, pythonCorpus } from './corpus.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

const SYMTABLE = `
import json, symtable, sys
def dump(table, found, mangler):
    if table.get_type() == 'class': mangler = '_' + table.get_name().lstrip('_')
    names = [s.get_name() for s in table.get_symbols() if s.is_parameter() or s.is_local()]
    plain = [n[len(mangler):] if mangler and n.startswith(mangler + '__') else n for n in names]
    found.append(table.get_type() + ' ' + ' '.join(sorted(n for n in plain if n[0] != '.' and n != '__class__')))
    for child in table.get_children(): dump(child, found, mangler)
    return found
print(json.dumps([sys.version_info[1], [sorted(dump(symtable.symtable(open(p, encoding='utf-8-sig').read(), p, 'exec'), [], '')[1:]) for p in sys.argv[1:]]]))
`;

/** One line a scope: its type and the names bound in it, as symtable groups them. */
function scopeLines({ scopes, definitions }: NameTable): string[] {
  const names = scopes.map(() => new Set<string>());
  for (const { scope, name } of definitions) if (name !== '__class__') names[scope]?.add(name);
  return scopes
    .map(
      ({ kind }, index) => `${kind === 'class' ? 'class' : 'function'} ${[...(names[index] ?? [])].sort().join(' ')}`,
    )
    .slice(1)
    .sort();
}

describe('names against symtable', () => {
  it('finds the scopes of the standard library and what each binds', () => {
    const corpus = pythonCorpus(45);
    const { stdout } = spawnSync('python3', ['-W', 'ignore', '-c', SYMTABLE, ...corpus.map((file) => file.path)], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    const [minor, expected] = JSON.parse(stdout) as [number, string[][]];
    expect(corpus.length).toBeGreaterThan(30);
    for (const [index, { path, text }] of corpus.entries()) {
      const table = parser.names(text, 'python');
      if (table.partial) continue;
      const ours = scopeLines(table);
      const theirs = expected[index] ?? [];
      // From 3.12 on symtable merges comprehensions into the scope around (PEP 709): compare the classes alone there.
      const compared = (lines: string[]) => (minor < 12 ? lines : lines.filter((line) => line.startsWith('class')));
      expect([path, compared(ours)]).toEqual([path, compared(theirs)]);
    }
  });
});

type Node = { type: string; range: [number, number]; parent?: Node; [key: string]: unknown };
type Manager = ReturnType<typeof analyze>;

function analyzeWithOxc({ text, language }: CorpusFile): Manager | undefined {
  const lang = language === 'javascript' ? 'jsx' : language === 'tsx' ? 'tsx' : 'ts';
  const options = { lang, astType: 'ts', range: true, preserveParens: false, sourceType: 'module' } as const;
  const { program, errors } = parseSync('file', text, options);
  if (errors.length > 0) return undefined;
  linkParents(program as unknown as Node);
  const root = program as unknown as Parameters<typeof analyze>[0];
  return analyze(root, { sourceType: 'module', lib: [], childVisitorKeys: visitorKeys });
}

function linkParents(root: Node): void {
  const rest: Node[] = [root];
  for (let node = rest.pop(); node; node = rest.pop()) {
    for (const [key, value] of Object.entries(node)) {
      if (key === 'parent') continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child !== 'object' || child === null || typeof child.type !== 'string') continue;
        child.parent = node;
        rest.push(child as Node);
      }
    }
  }
}

/** What scope-manager says of every read: the places that define the name, or null. */
function expectedUses(manager: Manager): Map<number, Set<number> | null> {
  const uses = new Map<number, Set<number> | null>();
  for (const { references } of manager.scopes) {
    for (const reference of references) {
      const { identifier, resolved } = reference;
      if (identifier.type === 'JSXIdentifier' && /^[a-z]/.test(identifier.name)) continue;
      if (!reference.isRead() && !reference.isTypeReference) continue;
      const places = resolved?.defs.map((definition) => definition.name.range[0]) ?? [];
      uses.set(identifier.range[0], places.length > 0 ? new Set(places) : null);
    }
  }
  return uses;
}

function differences(table: NameTable, text: string, expected: Map<number, Set<number> | null>): string[] {
  const ours = new Map(table.uses.map((use) => [use.start, use]));
  const found: string[] = [];
  const around = (offset: number) => text.slice(Math.max(0, offset - 20), offset + 20).replace(/\s+/g, ' ');
  for (const [offset, places] of expected) {
    if (/^(undefined|const)\b/.test(text.slice(offset, offset + 10))) continue;
    const use = ours.get(offset);
    if (!use) {
      found.push(`not found: ${around(offset)}`);
      continue;
    }
    const place = use.definition === undefined ? undefined : table.definitions[use.definition]?.start;
    if (places === null ? place !== undefined : place === undefined || !places.has(place)) {
      found.push(`resolved differently: ${around(offset)}`);
    }
  }
  for (const { start } of table.uses) if (!expected.has(start)) found.push(`too many: ${around(start)}`);
  return found;
}

describe('names against scope-manager', () => {
  it('resolves the names of real JavaScript and TypeScript to the same places', () => {
    let compared = 0;
    for (const file of javascriptCorpus(60)) {
      const table = parser.names(file.text, file.language);
      const manager = analyzeWithOxc(file);
      if (!manager || table.partial) continue;
      compared += table.uses.length;
      expect([file.path, differences(table, file.text, expectedUses(manager))]).toEqual([file.path, []]);
    }
    expect(compared).toBeGreaterThan(3000);
  });
});
