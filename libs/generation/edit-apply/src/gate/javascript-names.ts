import type { Language, NameTable, NameUse, Parser } from '@h/syntax';
import type { FindNames, NameFinding } from './name-findings.ts';

/** Environments whose globals count as defined: a name too many is a miss, a name too few would refuse a right edit. */
const ENVIRONMENTS = [
  'builtin',
  'node',
  'commonjs',
  'browser',
  'worker',
  'serviceworker',
  'jest',
  'vitest',
  'mocha',
  'jasmine',
] as const;

/** Names by the scopes of `@h/syntax` and the `globals` package. Declaration files and texts that tree-sitter does not read get no verdict. */
export async function javascriptNames(parser: Parser, language: Language): Promise<FindNames> {
  const { default: globals } = await import('globals');
  const known = new Set(ENVIRONMENTS.flatMap((environment) => Object.keys(globals[environment])));
  return (text, path) => {
    if (/\.d\.[cm]?ts$/.test(path)) return undefined;
    const table = parser.names(text, language);
    if (table.partial) return undefined;
    return [...undefinedNames(table, text, known), ...unusedImports(table, text)];
  };
}

function undefinedNames(table: NameTable, text: string, known: ReadonlySet<string>): NameFinding[] {
  return table.uses
    .filter((use) => use.definition === undefined && use.type_only !== true && !known.has(use.name))
    .filter((use) => !isProbed(text, use) && !isOpen(table, use))
    .map((use) => findingAt(text, use, 'undefined_name', `'${use.name}' is not defined`));
}

/** `typeof name` asks whether it is defined. */
function isProbed(text: string, { start }: NameUse): boolean {
  return /\btypeof\s*\(?\s*$/.test(text.slice(Math.max(0, start - 40), start));
}

/** Inside `with`, names may come from anywhere. */
function isOpen({ scopes }: NameTable, use: NameUse): boolean {
  for (let at: number | undefined = use.scope; at !== undefined; at = scopes[at]?.parent) {
    if (scopes[at]?.open === true) return true;
  }
  return false;
}

/** JSX that is compiled to calls uses these names without a trace in the text. */
const JSX_FACTORIES = new Set(['React', 'h', 'Fragment', 'jsx', 'createElement']);

function unusedImports({ definitions, uses }: NameTable, text: string): NameFinding[] {
  const used = new Set(uses.map(({ definition }) => definition));
  const hasJsx = /<\/|\/>/.test(text);
  return definitions
    .map((definition, index) => ({ definition, index }))
    .filter(({ definition, index }) => definition.kind === 'import' && !used.has(index))
    .filter(({ definition: { name } }) => !(hasJsx && JSX_FACTORIES.has(name)))
    .map(({ definition }) =>
      findingAt(text, definition, 'unused_import', `'${definition.name}' is imported and never used`),
    );
}

function findingAt(
  text: string,
  { name, line, start }: { name: string; line: number; start: number },
  reason: NameFinding['reason'],
  message: string,
): NameFinding {
  const lineStart = Math.max(text.lastIndexOf('\n', start - 1), text.lastIndexOf('\r', start - 1)) + 1;
  return { reason, name, line, column: start - lineStart, code: reason, message };
}
