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
  /** Holds the probe's function in a variable of the module, `__covh`: for runners whose modules live in a realm of `node:vm`, such as jest. */
  readonly isHeld?: boolean;
  /** The module takes part in the coverage of `node:worker_threads`: where `__h` is not defined it is made from what the parent thread left. */
  readonly inThreads?: boolean;
}

export interface StatementInjector {
  /** Synchronous. A program that does not parse, before or after, is skipped with the reason: leave such a file as it is. */
  inject(text: string, language: InjectableLanguage, options: InjectOptions): InjectedProgram | { skipped: string };
}

/**
 * Loads the parser and gives an injector of `globalThis.__h?.(N);` before each statement of JavaScript and TypeScript.
 * Where `__h` is not defined, the program runs as before. In TypeScript the probe is `void (globalThis as any).__h?.(N);`, which
 * type checkers take. Type-only declarations, imports, function declarations and
 * directives get no probe; a body without braces gets them; an arrow's expression `e` becomes `(globalThis.__h?.(N),e)`.
 */
export async function createStatementInjector(): Promise<StatementInjector> {
  const editor = await loadProgramEditor();
  return {
    inject(text, language, { path, firstId = 0, isHeld = false, inThreads = false }) {
      return reasonsAsValues(() => {
        let found = { starts: [] as number[], top: [] as number[] };
        const result = editor.edit({ text, language, path }, (program, into) => {
          const style = { firstId, isHeld, inThreads, isTyped: language !== 'javascript' };
          found = injectStatements(program.tree(), into, style);
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
