// ruff decides what the grammar and its rules know; compile-python.ts adds what only CPython's compiler refuses.
import type { CheckOptions, SyntaxDiagnostic } from '../check-syntax.ts';
import type { RuffDiagnostic, RuffModule, RuffWorkspace } from '../engines.ts';
import { engineUnavailable, pythonVersionUnknown } from '../errors.ts';
import type { Language } from '../language-of.ts';
import type { TextParser } from '../parse-text.ts';
import { compileErrors } from './compile-python.ts';
import { loneStars } from './star-python.ts';
import { mayFailToCompile } from './suspect-python.ts';

/** Of the rules F4 F5 F6 F7 F8 PLE E9 those that mirror an error of `compile()`. */
const RULES = [
  'E9',
  'F404',
  'F406',
  'F407',
  'F621',
  'F622',
  'F701',
  'F702',
  'F704',
  'F706',
  'F707',
  'PLE0115',
  'PLE0117',
  'PLE0118',
  'PLE1132',
  'PLE1142',
  'PLE1700',
  'PLE2514',
];
/** Ours is exact: ruff's misses bindings further down. */
const NONLOCAL_RULE = 'nonlocal-without-binding';
const DEFAULT_VERSION = '3.13';
const OLDEST = 7;
const NEWEST = 14;

export async function createPythonCheck(parser: TextParser, injected?: RuffModule) {
  const ruff = injected ?? (await loadRuff());
  const workspaces = new Map<string, RuffWorkspace>();
  return (text: string, language: Language, { pythonVersion = DEFAULT_VERSION }: CheckOptions): SyntaxDiagnostic[] => {
    const minor = minorOf(pythonVersion);
    const found = runRuff(workspaceFor(ruff, workspaces, minor), text);
    if (found.some(({ code }) => code === 'too-deep' || code === 'invalid-syntax')) return found;
    if (!mayFailToCompile(text)) return found;
    const tree = parser.read(text, language);
    if (!tree) return found;
    const stars = loneStars(tree);
    if (tree.partial) return [...found, ...stars];
    return [...found.filter(({ code }) => code !== NONLOCAL_RULE), ...stars, ...compileErrors(tree, minor)];
  };
}

async function loadRuff(): Promise<RuffModule> {
  try {
    return await import('@astral-sh/ruff-wasm-nodejs');
  } catch (cause) {
    throw engineUnavailable('@astral-sh/ruff-wasm-nodejs', cause);
  }
}

function minorOf(version: string): number {
  const minor = Number(/^3\.(\d{1,2})$/.exec(version)?.[1]);
  if (!(minor >= OLDEST && minor <= NEWEST)) throw pythonVersionUnknown(version, `3.${OLDEST}`, `3.${NEWEST}`);
  return minor;
}

function workspaceFor(ruff: RuffModule, known: Map<string, RuffWorkspace>, minor: number): RuffWorkspace {
  const version = `py3${minor}`;
  let workspace = known.get(version);
  if (!workspace) {
    const settings = { preview: true, 'target-version': version, lint: { preview: true, select: RULES } };
    workspace = new ruff.Workspace(settings, ruff.PositionEncoding.Utf16);
    known.set(version, workspace);
  }
  return workspace;
}

function runRuff(workspace: RuffWorkspace, text: string): SyntaxDiagnostic[] {
  try {
    const found = workspace.check(withoutSuppressions(text)) as RuffDiagnostic[];
    return found.map(({ code, message, start_location: { row, column } }) => ({
      line: row,
      column: column - 1,
      message,
      code: code ?? 'invalid-syntax',
    }));
  } catch (cause) {
    return [{ line: 1, column: 0, message: `Nested too deeply to be checked (${String(cause)}).`, code: 'too-deep' }];
  }
}

/** `# noqa` and its like would hide errors: their words are blotted out, character for character. */
function withoutSuppressions(text: string): string {
  return text.replace(/#[^\r\n]*/g, (comment) =>
    comment.replace(/noqa|ruff|flake8/gi, (word) => 'x'.repeat(word.length)),
  );
}
