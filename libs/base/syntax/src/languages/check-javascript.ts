// oxc decides; tree-sitter's tree guards it: oxc is native code that crashes the process when nesting exhausts the stack.
import type { CheckOptions, SyntaxDiagnostic } from '../check-syntax.ts';
import type { OxcModule } from '../engines.ts';
import { engineUnavailable } from '../errors.ts';
import { childInField, childrenOf, type FlatTree, textOf } from '../flat-tree.ts';
import { indexLines } from '../index-lines.ts';
import type { Language } from '../language-of.ts';
import type { TextParser } from '../parse-text.ts';
import { isTooDeep } from './depth-javascript.ts';

type SourceType = 'module' | 'script' | 'unambiguous';
type Problem = { offset: number; message: string; code: string };

/** Names that Node's CommonJS wrapper has already declared as parameters. */
const WRAPPER_NAMES = new Set(['exports', 'require', 'module', '__filename', '__dirname']);

export async function createJavascriptCheck(parser: TextParser, injected?: OxcModule) {
  const oxc = injected ?? (await loadOxc());
  return (text: string, language: Language, options: CheckOptions): SyntaxDiagnostic[] => {
    const tree = parser.read(text, language);
    if (!tree || isTooDeep(tree)) {
      return [{ line: 1, column: 0, message: 'Nested too deeply to be checked.', code: 'too-deep' }];
    }
    const lines = indexLines(text, language);
    return findProblems(oxc, tree, options).map(({ offset, message, code }) => {
      const line = lines.lineAt(offset);
      return { line, column: offset - lines.startOf(line), message, code };
    });
  };
}

async function loadOxc(): Promise<OxcModule> {
  try {
    return await import('oxc-parser');
  } catch (cause) {
    throw engineUnavailable('oxc-parser', cause);
  }
}

function findProblems(oxc: OxcModule, tree: FlatTree, options: CheckOptions): Problem[] {
  const type = options.sourceType ?? sourceTypeOf(options.path);
  if (type !== 'unambiguous') return problemsAs(oxc, tree, type, options.path);
  const asModule = problemsAs(oxc, tree, 'module', options.path);
  if (asModule.length === 0) return asModule;
  const asScript = problemsAs(oxc, tree, 'script', options.path);
  return asScript.length === 0 || !hasModuleSyntax(tree) ? asScript : asModule;
}

function sourceTypeOf(path = ''): SourceType {
  if (/\.m[jt]s$/.test(path)) return 'module';
  return /\.c[jt]s$/.test(path) ? 'script' : 'unambiguous';
}

function hasModuleSyntax(tree: FlatTree): boolean {
  return childrenOf(tree, 0).some((node) => ['import_statement', 'export_statement'].includes(tree.kind(node)));
}

function problemsAs(oxc: OxcModule, tree: FlatTree, type: 'module' | 'script', path = ''): Problem[] {
  const result = oxc.parseSync('file', tree.text, {
    lang: dialectOf(tree.language, path),
    sourceType: type === 'script' ? 'commonjs' : 'module',
    showSemanticErrors: true,
  });
  const problems: Problem[] = [];
  for (const { severity, message, labels } of result.errors) {
    if (severity === 'Error') problems.push({ offset: labels[0]?.start ?? 0, message, code: 'invalid-syntax' });
  }
  if (problems.length > 0) return problems;
  problems.push(...(tree.partial ? regexpsOfProgram(result.program) : regexpsOfTree(tree)));
  if (type === 'script') problems.push(...wrapperClashes(tree));
  return problems;
}

function dialectOf(language: Language, path: string): 'js' | 'jsx' | 'ts' | 'tsx' | 'dts' {
  if (language === 'tsx') return 'tsx';
  if (language === 'typescript') return /\.d\.[cm]?ts$/.test(path) ? 'dts' : 'ts';
  return /\.[cm]js$/.test(path) ? 'js' : 'jsx';
}

function regexpsOfTree(tree: FlatTree): Problem[] {
  const problems: Problem[] = [];
  for (let node = 0; node < tree.count; node++) {
    if (tree.kind(node) !== 'regex') continue;
    const pattern = childInField(tree, node, 'pattern');
    const flags = childInField(tree, node, 'flags');
    const message = regexpError(pattern < 0 ? '' : textOf(tree, pattern), flags < 0 ? '' : textOf(tree, flags));
    if (message !== undefined) problems.push({ offset: tree.start(node), message, code: 'invalid-regexp' });
  }
  return problems;
}

/** tree-sitter did not understand the text; oxc did. */
function regexpsOfProgram(program: unknown): Problem[] {
  const problems: Problem[] = [];
  const rest: unknown[] = [program];
  while (rest.length > 0) {
    const node = rest.pop();
    if (typeof node !== 'object' || node === null || node instanceof RegExp) continue;
    const { regex, start } = node as { regex?: { pattern: string; flags: string }; start?: number };
    const message = regex && regexpError(regex.pattern, regex.flags);
    if (message !== undefined) problems.push({ offset: start ?? 0, message, code: 'invalid-regexp' });
    rest.push(...Object.values(node));
  }
  return problems;
}

function regexpError(pattern: string, flags: string): string | undefined {
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function wrapperClashes(tree: FlatTree): Problem[] {
  const problems: Problem[] = [];
  for (const statement of childrenOf(tree, 0)) {
    const kind = tree.kind(statement);
    if (kind !== 'lexical_declaration' && kind !== 'class_declaration') continue;
    const targets = kind === 'class_declaration' ? [statement] : childrenOf(tree, statement);
    for (const target of targets) {
      const name = childInField(tree, target, 'name');
      if (name < 0 || !WRAPPER_NAMES.has(textOf(tree, name))) continue;
      const message = `Identifier '${textOf(tree, name)}' has already been declared by the CommonJS wrapper`;
      problems.push({ offset: tree.start(name), message, code: 'invalid-syntax' });
    }
  }
  return problems;
}
