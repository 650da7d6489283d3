// One way to read and write a program for both injectors: oxc's tree, magic-string's edits, the same reasons to leave a file.
import type { EsNode, Insertions } from './inject-statements.ts';

export type InjectableLanguage = 'javascript' | 'typescript' | 'tsx';

/** A program that was read; `why` says why it does not parse. */
export interface ParsedProgram {
  readonly why: string | undefined;
  /** It has an import or export, or its extension says so. */
  readonly isModule: boolean;
  /** Made when it is asked for, and costs as much as parsing. */
  tree(): EsNode;
}

/** What the injectors share. */
export interface ProgramEditor {
  parse(text: string, language: InjectableLanguage, path: string): ParsedProgram;
  /** Makes the insertions `edit` asks for; gives the text, or why the file is to be left as it is. */
  edit(
    program: { text: string; language: InjectableLanguage; path: string },
    edit: (parsed: ParsedProgram, into: Insertions) => void,
  ): { text: string } | { skipped: string };
}

const GENERATED_LINE = 5000;

/** Loads the parser. */
export async function loadProgramEditor(): Promise<ProgramEditor> {
  const [{ parseSync }, { default: MagicString }] = await Promise.all([import('oxc-parser'), import('magic-string')]);

  const parse = (text: string, language: InjectableLanguage, path: string): ParsedProgram => {
    const lang = language === 'javascript' ? 'jsx' : language === 'tsx' ? 'tsx' : 'ts';
    const parseAs = (sourceType: SourceType) => {
      const result = parseSync(path, text, { lang, sourceType, astType: 'ts' });
      const why = result.errors.find(({ severity }) => severity === 'Error')?.message;
      const isModule = sourceType === 'module' || result.module.hasModuleSyntax;
      return { why, isModule, tree: () => result.program as unknown as EsNode };
    };
    const first = parseAs(sourceTypeOf(path));
    if (first.why === undefined || sourceTypeOf(path) !== 'unambiguous') return first;
    // no module by its text, it may still be CommonJS, with a `return` outside functions
    const second = parseAs('commonjs');
    return second.why === undefined ? second : first;
  };

  return {
    parse,
    edit({ text, language, path }, edit) {
      const generated = text.split('\n').some((line) => line.length > GENERATED_LINE);
      if (generated) return { skipped: `it looks generated: a line has more than ${GENERATED_LINE} characters` };
      const program = parse(text, language, path);
      if (program.why !== undefined) return { skipped: `it does not parse: ${program.why}` };
      const changed = new MagicString(text);
      edit(program, {
        open: (offset, part) => void changed.appendRight(offset, part),
        close: (offset, part) => void changed.appendLeft(offset, part),
      });
      const result = changed.toString();
      const again = parse(result, language, path).why;
      return again === undefined ? { text: result } : { skipped: `with probes it would not parse: ${again}` };
    },
  };
}

type SourceType = 'module' | 'commonjs' | 'unambiguous';

function sourceTypeOf(path: string): SourceType {
  if (/\.(?:mjs|mts)$/.test(path)) return 'module';
  return /\.(?:cjs|cts)$/.test(path) ? 'commonjs' : 'unambiguous';
}

/** 1-based lines of offsets; LF, CR, CRLF, LS and PS end a line, as ECMAScript has it. */
export function linesAt(text: string, offsets: readonly number[]): number[] {
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
