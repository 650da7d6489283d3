import { type EsNode, injectStatements, NotInjectable } from './inject-statements.ts';

/** A program with a probe before each statement, on the same line. */
export interface InjectedProgram {
  readonly text: string;
  /** First line of each statement, 1-based; statement `index` has the number `firstId + index`. */
  readonly statements: readonly number[];
  /** Indexes of the statements that run while the module is loaded, outside every function. */
  readonly top: readonly number[];
}

export type InjectableLanguage = 'javascript' | 'typescript' | 'tsx';

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

const GENERATED_LINE = 5000;

/**
 * Loads the parser and gives an injector of `globalThis.__h?.(N);` before each statement of JavaScript and TypeScript.
 * Where `__h` is not defined, the program runs as before. Type-only declarations, imports, function declarations and
 * directives get no probe; a body without braces gets them; an arrow's expression `e` becomes `(globalThis.__h?.(N),e)`.
 */
export async function createStatementInjector(): Promise<StatementInjector> {
  const [{ parseSync }, { default: MagicString }] = await Promise.all([import('oxc-parser'), import('magic-string')]);

  const parse = (text: string, language: InjectableLanguage, path: string) => {
    const lang = language === 'javascript' ? 'jsx' : language === 'tsx' ? 'tsx' : 'ts';
    const parseAs = (sourceType: SourceType) => {
      const result = parseSync(path, text, { lang, sourceType, astType: 'ts' });
      const why = result.errors.find(({ severity }) => severity === 'Error')?.message;
      // the tree is made when it is asked for, and costs as much as parsing
      return { why, tree: () => result.program as unknown as EsNode };
    };
    const first = parseAs(sourceTypeOf(path));
    if (first.why === undefined || sourceTypeOf(path) !== 'unambiguous') return first;
    // no module by its text, it may still be CommonJS, with a `return` outside functions
    const second = parseAs('commonjs');
    return second.why === undefined ? second : first;
  };

  const inject = (text: string, language: InjectableLanguage, { path, firstId = 0 }: InjectOptions) => {
    const generated = text.split('\n').some((line) => line.length > GENERATED_LINE);
    if (generated) return { skipped: `it looks generated: a line has more than ${GENERATED_LINE} characters` };
    const program = parse(text, language, path);
    if (program.why !== undefined) return { skipped: `it does not parse: ${program.why}` };
    const changed = new MagicString(text);
    const insertions = {
      open: (offset: number, part: string) => void changed.appendRight(offset, part),
      close: (offset: number, part: string) => void changed.appendLeft(offset, part),
    };
    const { starts, top } = injectStatements(program.tree(), insertions, firstId);
    const result = changed.toString();
    const again = parse(result, language, path).why;
    if (again !== undefined) return { skipped: `with probes it would not parse: ${again}` };
    return { text: result, statements: linesAt(text, starts), top };
  };

  return {
    inject(text, language, options) {
      try {
        return inject(text, language, options);
      } catch (error) {
        if (error instanceof NotInjectable) return { skipped: error.message };
        if (error instanceof RangeError) return { skipped: 'it is nested too deeply' };
        throw error;
      }
    },
  };
}

type SourceType = 'module' | 'commonjs' | 'unambiguous';

function sourceTypeOf(path: string): SourceType {
  if (/\.(?:mjs|mts)$/.test(path)) return 'module';
  return /\.(?:cjs|cts)$/.test(path) ? 'commonjs' : 'unambiguous';
}

/** 1-based lines of offsets; LF, CR, CRLF, LS and PS end a line, as ECMAScript has it. */
function linesAt(text: string, offsets: readonly number[]): number[] {
  const ends: number[] = [];
  for (const match of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) ends.push(match.index + match[0].length);
  return offsets.map((offset) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  });
}
