import type { ApplyRejection } from '@h/contracts';
import {
  createGrammarChecker,
  createParser,
  createSyntaxChecker,
  type GrammarLanguage,
  grammarLanguageOf,
  type Language,
  languageOf,
  type SyntaxDiagnostic,
} from '@h/syntax';
import type { Gate, GateChange, GateVerdict } from '../apply-edits.ts';
import { unknownLanguage } from '../errors.ts';
import { javascriptNames } from './javascript-names.ts';
import { type FindNames, type NameFinding, newFindings } from './name-findings.ts';
import { pythonNames } from './python-names.ts';

/** `json` and the first four exactly, with names; the others by their tree-sitter grammar, syntax alone. */
export type GateLanguage = Language | 'json' | GrammarLanguage;

export interface GateOptions {
  /** Target version of Python, `3.7` to `3.14`; `3.13` when absent. */
  readonly pythonVersion?: `3.${number}`;
  /** WebAssembly bytes of grammars, in place of the installed packages `tree-sitter-go` and its like. */
  readonly grammars?: Partial<Record<GrammarLanguage, Uint8Array>>;
  readonly signal?: AbortSignal;
}

/** A gate with engines of its own. */
export interface OwnedGate extends Gate {
  readonly languages: readonly GateLanguage[];
  /** Frees the engines; later checks throw. */
  readonly dispose: () => void;
}

const GRAMMARS: readonly GrammarLanguage[] = ['bash', 'c', 'go', 'java', 'rust'];
const EXACT: readonly (Language | 'json')[] = ['python', 'javascript', 'typescript', 'tsx', 'json'];
const LANGUAGES: readonly GateLanguage[] = [...EXACT, ...GRAMMARS];
/** Texts that no engine gives a verdict on. */
const NO_VERDICT = new Set(['too-deep', 'too-large']);
const SHOWN = 20;
/** Files whose name says JSON and whose readers allow comments. */
const WITH_COMMENTS =
  /(?:^|\/)(?:[tj]sconfig[^/]*|\.eslintrc|\.babelrc|\.swcrc|devcontainer|language-configuration|(?:\.vscode|\.devcontainer)\/[^/]*)\.json$/;

/**
 * Loads the engines of the named languages and no others; checks are synchronous afterwards.
 *
 * Syntax is exact for the target version; by grammar it is refused only where the snapshot parsed, or is new. Names: an undefined name, and an import that nothing uses, are refused when the snapshot did
 * not have them; suppression comments change nothing. Throws `unknown_language`.
 */
export async function createGate(languages: readonly GateLanguage[], options: GateOptions = {}): Promise<OwnedGate> {
  const unknown = languages.find((language) => !LANGUAGES.includes(language));
  if (unknown !== undefined) throw unknownLanguage(unknown, LANGUAGES);
  const { pythonVersion, signal, grammars = {} } = options;
  const withSignal = signal === undefined ? {} : { signal };
  const exact = languages.filter((language) => EXACT.some((known) => known === language)) as (Language | 'json')[];
  const byGrammar = languages.filter((language) => GRAMMARS.some((known) => known === language)) as GrammarLanguage[];
  const checker = await createSyntaxChecker(exact, withSignal);
  const grammarChecker =
    byGrammar.length > 0 ? await createGrammarChecker(byGrammar, { grammars, ...withSignal }) : undefined;
  const scripts = exact.filter((language) => language !== 'json' && language !== 'python') as Language[];
  const parser = scripts.length > 0 ? await createParser({ languages: scripts, ...withSignal }) : undefined;
  const findNames: Partial<Record<GateLanguage, FindNames>> = {};
  if (languages.includes('python')) findNames.python = await pythonNames(pythonVersion);
  if (parser !== undefined)
    for (const language of scripts) findNames[language] = await javascriptNames(parser, language);
  const check = (text: string, language: Language | 'json', path: string) =>
    checker.check(text, language, { path, ...(pythonVersion === undefined ? {} : { pythonVersion }) });
  return {
    languages: [...languages],
    check(change) {
      const byItsGrammar = grammarLanguageOf(change.path);
      if (grammarChecker !== undefined && byItsGrammar !== undefined && byGrammar.includes(byItsGrammar))
        return checkGrammar(change, (text) => grammarChecker.check(text, byItsGrammar));
      const language = gateLanguageOf(change.path);
      if (language === undefined || !exact.includes(language)) return passed('not_run', 'not_run');
      const refused = checkSyntax(change, (text) => check(text, language, change.path));
      return refused ?? checkNames(change, findNames[language]);
    },
    dispose() {
      checker.dispose();
      grammarChecker?.dispose();
      parser?.dispose();
    },
  };
}

/** The language a file is judged in exactly; undefined where none is. */
function gateLanguageOf(path: string): Language | 'json' | undefined {
  if (path.endsWith('.json')) return WITH_COMMENTS.test(path) ? undefined : 'json';
  return languageOf(path);
}

function passed(syntax: 'passed' | 'not_run', lint: 'passed' | 'not_run'): GateVerdict {
  return { status: 'passed', syntax, lint };
}

/** Undefined when the new text parses. What does not parse is refused even where the snapshot did not parse either. */
function checkSyntax(
  { before, after }: GateChange,
  check: (text: string) => SyntaxDiagnostic[],
): GateVerdict | undefined {
  const found = check(after);
  if (found.length === 0) return undefined;
  if (found.every(({ code }) => NO_VERDICT.has(code))) return passed('not_run', 'not_run');
  const broken = before !== undefined && check(before).length > 0;
  return { ...refusal('parse', 'syntax_error', found), ...(broken ? { already_broken: true } : {}) };
}

/** A grammar is not the language: where it does not take the snapshot, it has no say on the edit. */
function checkGrammar({ before, after }: GateChange, check: (text: string) => SyntaxDiagnostic[]): GateVerdict {
  const found = check(after);
  if (found.length === 0) return passed('passed', 'not_run');
  const isJudged =
    found.some(({ code }) => !NO_VERDICT.has(code)) && (before === undefined || check(before).length === 0);
  return isJudged ? refusal('parse', 'syntax_error', found) : passed('not_run', 'not_run');
}

function checkNames({ path, before, after, lint }: GateChange, findNames: FindNames | undefined): GateVerdict {
  const found = lint ? findNames?.(after, path) : undefined;
  if (found === undefined) return passed('passed', 'not_run');
  const [first, ...rest] =
    found.length === 0 ? [] : newFindings(found, before === undefined ? [] : (findNames?.(before, path) ?? []));
  if (first === undefined) return passed('passed', 'passed');
  return refusal('lint', first.reason, [first, ...rest.filter(({ reason }) => reason === first.reason)]);
}

function refusal(
  stage: ApplyRejection['stage'],
  reason: ApplyRejection['reason'],
  found: readonly (SyntaxDiagnostic | NameFinding)[],
): Extract<GateVerdict, { status: 'refused' }> {
  const diagnostics = found.slice(0, SHOWN).map(({ line, column, code, message }) => ({ line, column, code, message }));
  return { status: 'refused', stage, reason, diagnostics };
}
