import type { Token } from '@h/syntax';

interface Indentation {
  /** Column with tab stops of 8, and with tabs of one column: where the two disagree, CPython refuses the text. */
  readonly column: number;
  readonly alternative: number;
}

/**
 * Whether CPython's tokenizer takes the indentation of a text: a deeper line after each `:` that ends a line and nowhere else, every
 * dedent back to a column in use, tabs and blanks never in doubt. The grammar is more lenient, and would read a block where there is none.
 */
export function hasSoundLayout(text: string, tokens: readonly Token[]): boolean {
  const open: Indentation[] = [{ column: 0, alternative: 0 }];
  let isFresh = true;
  let opensBlock = false;
  let last: Token | undefined;
  for (const token of tokens) {
    if (token.kind === 'newline') {
      opensBlock = last?.text === ':' && last.kind === 'punctuation';
      isFresh = true;
    } else if (token.kind !== 'comment' && token.kind !== 'indent' && token.kind !== 'dedent') {
      if (isFresh && !stepTo(open, indentationOf(text, token.start), opensBlock)) return false;
      [isFresh, opensBlock, last] = [false, false, token];
    }
  }
  return !opensBlock;
}

function stepTo(open: Indentation[], { column, alternative }: Indentation, opensBlock: boolean): boolean {
  const top = open[open.length - 1] as Indentation;
  if (column > top.column) {
    open.push({ column, alternative });
    return opensBlock && alternative > top.alternative;
  }
  while (column < (open[open.length - 1] as Indentation).column) open.pop();
  const found = open[open.length - 1] as Indentation;
  return !opensBlock && column === found.column && alternative === found.alternative;
}

function indentationOf(text: string, offset: number): Indentation {
  let start = offset;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start--;
  let [column, alternative] = [0, 0];
  for (let at = start; at < offset; at++) {
    const character = text[at];
    if (character === '\t') [column, alternative] = [(Math.floor(column / 8) + 1) * 8, alternative + 1];
    else if (character === '\f') [column, alternative] = [0, 0];
    else if (character !== '\ufeff') [column, alternative] = [column + 1, alternative + 1];
  }
  return { column, alternative };
}
