import { injectStatements, NotInjectable } from './inject-statements.ts';
import { type InjectableLanguage, linesAt, loadProgramEditor } from './parse-program.ts';

export type { InjectableLanguage } from './parse-program.ts';

/** A program with a probe before each statement, on the same line. */
export interface InjectedProgram {
  readonly text: string;
  /** First line of each statement, 1-based; statement `index` has the number `firstId + index`. */
  readonly statements: readonly number[];
  /** Indexes of the statements that run while the module is loaded, outside every function. */
  readonly top: readonly number[];
}

export interface InjectOptions {
  /** Decides between module and script by its extension; appears nowhere in the result. */
  readonly path: string;
  /** Number of the first statement; default 0. */
  readonly firstId?: number;
}

export interface StatementInjector {
  /** Synchronous. A program that does not parse, before or after, is skipped with the reason: leave such a file as it is. */
  inject(text: string, language: InjectableLanguage, options: InjectOptions): InjectedProgram | { skipped: string };
}

/**
 * Loads the parser and gives an injector of `globalThis.__h?.(N);` before each statement of JavaScript and TypeScript.
 * Where `__h` is not defined, the program runs as before. Type-only declarations, imports, function declarations and
 * directives get no probe; a body without braces gets them; an arrow's expression `e` becomes `(globalThis.__h?.(N),e)`.
 */
export async function createStatementInjector(): Promise<StatementInjector> {
  const editor = await loadProgramEditor();
  return {
    inject(text, language, { path, firstId = 0 }) {
      return reasonsAsValues(() => {
        let found = { starts: [] as number[], top: [] as number[] };
        const result = editor.edit({ text, language, path }, (program, into) => {
          found = injectStatements(program.tree(), into, firstId);
        });
        if ('skipped' in result) return result;
        return { text: result.text, statements: linesAt(text, found.starts), top: found.top };
      });
    },
  };
}

/** A program that cannot be given probes is a value, not an exception. */
export function reasonsAsValues<T>(inject: () => T): T | { skipped: string } {
  try {
    return inject();
  } catch (error) {
    if (error instanceof NotInjectable) return { skipped: error.message };
    if (error instanceof RangeError) return { skipped: 'it is nested too deeply' };
    throw error;
  }
}
