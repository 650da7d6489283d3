// Random programs of every construct the slicer promises to follow, one tree printed as Python and as JavaScript.

/** The same code in both languages. */
export interface Code {
  readonly python: string;
  readonly javascript: string;
}

export type Language = keyof Code;

/** A value, and a plausible mistake in its place. */
export interface Value extends Code {
  readonly mistake: Code;
}

export type Statement =
  /** A statement that computes one value: what stands before it, the value, what stands behind it. */
  | { readonly kind: 'write'; readonly before: Code; readonly value: Value; readonly after: Code }
  | { readonly kind: 'plain'; readonly code: Code }
  | { readonly kind: 'block'; readonly parts: readonly Part[] };

/** `if …:` or `} else {` with what it holds; a decision where it has a value. */
export interface Part {
  readonly before: Code;
  readonly value?: Value;
  readonly after: Code;
  readonly body: readonly Statement[];
}

export interface Program {
  readonly statements: readonly Statement[];
}

export interface PrintOptions {
  /** Number of the value that is mistaken, in the order of the text. */
  readonly mistaken?: number;
  /** Values go through `_r(_b(line), …)`, so that one can be replaced as it is written, decisions through `_d(line, …)`, which notes them. */
  readonly isReplaceable?: boolean;
}

export interface PrintedProgram {
  readonly text: string;
  /** Line of each value that can be mistaken, from 1. */
  readonly lines: readonly number[];
  /** Lines whose values can be replaced. */
  readonly written: ReadonlySet<number>;
}

export function printProgram(
  { statements }: Program,
  language: Language,
  { mistaken = -1, isReplaceable = false }: PrintOptions = {},
): PrintedProgram {
  const out: string[] = [];
  const lines: number[] = [];
  const written = new Set<number>();
  const end = language === 'javascript' ? ';' : '';
  const textOf = (value: Value): string => {
    lines.push(out.length + 1);
    return (lines.length - 1 === mistaken ? value.mistake : value)[language];
  };
  const print = (list: readonly Statement[], indent: string): void => {
    for (const statement of list) {
      if (statement.kind === 'plain') {
        if (statement.code[language] !== '') out.push(indent + statement.code[language] + end);
      } else if (statement.kind === 'write') {
        const line = out.length + 1;
        const text = textOf(statement.value);
        written.add(line);
        const value = isReplaceable ? `_r(_b(${line}), ${text})` : text;
        out.push(indent + statement.before[language] + value + statement.after[language] + end);
      } else printBlock(statement.parts, indent);
    }
  };
  const printBlock = (parts: readonly Part[], indent: string): void => {
    for (const part of parts) {
      const line = out.length + 1;
      const value = part.value === undefined ? '' : textOf(part.value);
      const decided = isReplaceable && value !== '' ? `_d(${line}, ${value})` : value;
      out.push(indent + part.before[language] + decided + part.after[language]);
      print(part.body, `${indent}    `);
      if (language === 'python' && part.body.length === 0) out.push(`${indent}    pass`);
    }
    if (language === 'javascript') out.push(`${indent}}`);
  };
  print(statements, '');
  return { text: `${out.join('\n')}\n`, lines, written };
}

export function code(python: string, javascript = python): Code {
  return { python, javascript };
}
