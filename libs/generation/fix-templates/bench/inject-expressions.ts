// Faults in whole expressions: parts of conditions, calls around values, fallbacks, literals, bounds. Put in on tokens.
import type { Token } from '@h/syntax';
import type { Change } from './inject-faults.ts';
import type { Source } from './inject-statements.ts';
import { pick } from './pick-item.ts';

/** `x is None`, `not x`, `!x`, `x === undefined`, `x`, `x == 0`. */
export const NONE_CHECK = /^(not |!)?[\w.]+$|^[\w.]+ (is|is not|===?|!==?) (None|null|undefined|0)$/;

/** Tokens of one operand on a side of a place, at the same depth; at most ten. */
function operandStart(tokens: readonly Token[], index: number): number | undefined {
  let depth = 0;
  for (let at = index - 1; at >= 0 && index - at < 14; at--) {
    const { text, kind } = tokens[at] as Token;
    if (/^[)\]}]$/.test(text)) depth += 1;
    if (/^[([{]$/.test(text)) depth -= 1;
    if (depth < 0) return text === '(' && /^(if|while)$/.test(tokens[at - 1]?.text ?? '') ? at + 1 : undefined;
    if (depth === 0 && (/^(if|elif|while|return|and|or|&&|\|\|)$/.test(text) || kind === 'newline')) return at + 1;
  }
  return undefined;
}

function operandEnd(tokens: readonly Token[], index: number): number | undefined {
  let depth = 0;
  for (let at = index + 1; at < tokens.length && at - index < 14; at++) {
    const { text, kind } = tokens[at] as Token;
    if (/^[([{]$/.test(text)) depth += 1;
    if (/^[)\]}]$/.test(text)) depth -= 1;
    if (depth < 0 || (depth === 0 && (/^(:|;|and|or|&&|\|\||\?)$/.test(text) || kind === 'newline'))) return at - 1;
  }
  return undefined;
}

/** `a and b` loses one of its sides. */
export function conditionChanges({ tokens, random, program }: Source, index: number): Change[] {
  const token = tokens[index] as Token;
  if (!/^(and|or|&&|\|\|)$/.test(token.text)) return [];
  const after = tokens[index + 1];
  const from = operandStart(tokens, index);
  const to = operandEnd(tokens, index);
  const [first, last] = [tokens[from ?? -1], tokens[to ?? -1]];
  if (!after || !first || !last) return [];
  const before = tokens[index - 1] as Token;
  const part = program.text.slice(first.start, before.end);
  if (NONE_CHECK.test(part)) return [{ kind: 'none-part-dropped', start: first.start, end: after.start, text: '' }];
  if (random() < 0.7) return [{ kind: 'condition-part-dropped', start: first.start, end: after.start, text: '' }];
  return [{ kind: 'condition-part-dropped', start: before.end, end: last.end, text: '' }];
}

const FUNCTIONS =
  /^(len|abs|int|str|float|sorted|list|set|tuple|sum|reversed|enumerate|round|bool|Number|String|Boolean|dict)$/;
const MATH = /^(abs|floor|ceil|round|trunc|keys|values|entries)$/;
const METHODS =
  /^(strip|lstrip|rstrip|lower|upper|copy|items|keys|values|split|trim|toLowerCase|toUpperCase|toString|slice|sort|reverse|entries)$/;

export function callChanges(source: Source, index: number): Change[] {
  const {
    tokens,
    program: { text },
    isPython,
    random,
  } = source;
  const token = tokens[index] as Token;
  const changes: Change[] = [];
  if (token.text === 'await' && tokens[index + 1]?.kind === 'name') {
    changes.push({ kind: 'await-dropped', start: token.start, end: tokens[index + 1]?.start ?? token.end, text: '' });
  }
  const open = tokens[index + 1];
  const isMember = tokens[index - 1]?.text === '.';
  const object = isMember ? tokens[index - 2] : undefined;
  if (open?.text === '(' && token.kind === 'name') {
    const close = closing(tokens, index + 1);
    const isPlain = !isMember && FUNCTIONS.test(token.text) && tokens[index - 1]?.text !== 'def';
    const isStatic = isMember && MATH.test(token.text) && /^(Math|Object)$/.test(object?.text ?? '');
    const bound = /^(min|max)$/.test(token.text) && (!isMember || object?.text === 'Math');
    if (close !== undefined && close > index + 2 && (isPlain || isStatic || bound)) {
      const inner = tokens.slice(index + 2, close);
      const comma = commaAt(inner);
      const [first, last] = [inner[0], inner.at(-1)];
      const start = isMember ? (object?.start ?? token.start) : token.start;
      const end = tokens[close]?.end ?? token.end;
      if (
        !bound &&
        comma < 0 &&
        first &&
        last &&
        !inner.some(({ text: word }) => word === 'for' || word === '...' || word === '*')
      ) {
        const isLoose = inner.some((one, at) => at > 0 && !/[.\w)\]([,]/.test(one.text));
        const value = text.slice(first.start, last.end);
        changes.push({
          kind: 'call-unwrapped',
          start,
          end,
          text: isLoose && !isAloneAt(tokens, index, close, isMember) ? `(${value})` : value,
        });
      }
      const right = inner[comma + 1];
      if (bound && comma === 1 && inner[0]?.kind === 'number' && right && last && commaAt(inner.slice(comma + 1)) < 0) {
        changes.push({ kind: 'call-unwrapped', start, end, text: `${text.slice(right.start, last.end)}` });
      }
    }
    if (isMember && METHODS.test(token.text) && tokens[index + 2]?.text === ')') {
      changes.push({
        kind: 'call-unwrapped',
        start: tokens[index - 1]?.start ?? 0,
        end: tokens[index + 2]?.end ?? 0,
        text: '',
      });
    }
  }
  if (token.text === 'length' && isMember && open?.text !== '(') {
    changes.push({ kind: 'call-unwrapped', start: tokens[index - 1]?.start ?? 0, end: token.end, text: '' });
  }
  if (
    token.text === '[' &&
    open?.text === '...' &&
    tokens[index + 2]?.kind === 'name' &&
    tokens[index + 3]?.text === ']'
  ) {
    changes.push({
      kind: 'call-unwrapped',
      start: token.start,
      end: tokens[index + 3]?.end ?? 0,
      text: tokens[index + 2]?.text ?? '',
    });
  }
  const before = tokens[index - 1]?.text ?? '';
  const after = tokens[index + 1]?.text ?? '';
  if (
    token.kind === 'name' &&
    /^(=|return|in|of|\(|,)$/.test(before) &&
    /^(\)|,|;|:|\n|)$/.test(after.trim()) &&
    !/^(def|function)$/.test(tokens[index - 2]?.text ?? '')
  ) {
    const wrappers = isPython
      ? ['len(@)', 'abs(@)', 'int(@)', 'str(@)', 'sorted(@)', 'list(@)', 'set(@)', '@.strip()', '@.lower()']
      : ['@.length', 'Math.abs(@)', 'Math.floor(@)', 'Number(@)', 'String(@)', '[...@]', '@.trim()', '@.toLowerCase()'];
    const wrapped = pick(wrappers, random)?.replace('@', token.text);
    if (wrapped) changes.push({ kind: 'call-wrapped', start: token.start, end: token.end, text: wrapped });
  }
  return changes;
}

function isAloneAt(tokens: readonly Token[], open: number, close: number, isMember: boolean): boolean {
  const before = tokens[open - (isMember ? 3 : 1)]?.text ?? '';
  const after = tokens[close + 1]?.text ?? '';
  return /^(=|return|\(|,|\[|:|\+=|-=|in|of)$/.test(before) && /^(\)|,|;|\]|:|\n|)$/.test(after.trim());
}

function closing(tokens: readonly Token[], open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < tokens.length && at - open < 60; at++) {
    const { text } = tokens[at] as Token;
    if (/^[([{]$/.test(text)) depth += 1;
    if (/^[)\]}]$/.test(text)) depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** The first comma at the same depth, or -1. */
function commaAt(tokens: readonly Token[]): number {
  let depth = 0;
  for (const [at, { text }] of tokens.entries()) {
    if (/^[([{]$/.test(text)) depth += 1;
    if (/^[)\]}]$/.test(text)) depth -= 1;
    if (depth === 0 && text === ',') return at;
  }
  return -1;
}

export function fallbackChanges({ tokens, isPython }: Source, index: number): Change[] {
  const token = tokens[index] as Token;
  const after = tokens[index + 1];
  if (token.text === '?.') {
    const text = after?.text === '[' || after?.text === '(' ? '' : '.';
    return [{ kind: 'optional-dropped', start: token.start, end: token.end, text }];
  }
  const isDefault = /^(\?\?|\|\||or)$/.test(token.text) && /^(0|''|""|\[|\{|null|None|\(|1)$/.test(after?.text ?? '');
  if (isDefault) {
    const close = /^[[{(]$/.test(after?.text ?? '') ? index + 2 : index + 1;
    const isEmpty = close === index + 1 || /^[\])}]$/.test(tokens[close]?.text ?? '');
    const start = tokens[index - 1]?.end ?? token.start;
    if (isEmpty) return [{ kind: 'default-dropped', start, end: tokens[close]?.end ?? token.end, text: '' }];
  }
  const isGet = isPython && token.text === 'get' && after?.text === '(' && tokens[index - 1]?.text === '.';
  const key = tokens[index + 2];
  if (!isGet || !key || !(key.kind === 'name' || key.kind === 'string')) return [];
  const dot = tokens[index - 1] as Token;
  const last = tokens[index + 3];
  if (last?.text === ')') return [{ kind: 'default-dropped', start: dot.start, end: last.end, text: `[${key.text}]` }];
  const close = tokens[index + 5];
  if (last?.text !== ',' || close?.text !== ')') return [];
  return [
    { kind: 'default-dropped', start: key.end, end: close.start, text: '' },
    { kind: 'default-dropped', start: dot.start, end: close.end, text: `[${key.text}]` },
  ];
}

export function literalChanges({ tokens, isPython, random }: Source, index: number): Change[] {
  const token = tokens[index] as Token;
  const before = tokens[index - 1]?.text ?? '';
  const changes: Change[] = [];
  const none = isPython ? 'None' : 'null';
  const isValue = /^(=|return|,|\(|:|\?\?|or|=>|\|\||\?|else)$/.test(before);
  const others = isPython
    ? ['None', '0', "''", '[]', 'False', 'True']
    : ['null', 'undefined', '0', "''", '[]', 'false', 'true'];
  const add = (kind: string, text: string | undefined, end = token.end) => {
    if (text !== undefined) changes.push({ kind, start: token.start, end, text });
  };
  if (isValue && /^(None|null|undefined)$/.test(token.text))
    add(
      'literal-kind',
      pick(
        others.filter((one) => one !== token.text),
        random,
      ),
    );
  if (isValue && /^(True|False|true|false)$/.test(token.text)) add('literal-kind', none);
  if (isValue && /^(''|"")$/.test(token.text)) add('literal-kind', none);
  if (isValue && token.text === '0' && before !== ',') add('literal-kind', none);
  const close = tokens[index + 1];
  if (isValue && /^[[{]$/.test(token.text) && /^[\]}]$/.test(close?.text ?? ''))
    add('literal-kind', random() < 0.5 ? none : token.text === '[' ? '{}' : '[]', close?.end);
  if (/^-?Infinity$/.test(token.text)) add('literal-kind', '0');
  const word = /^(["'])([A-Za-z][\w-]*)\1$/.exec(token.text);
  if (token.kind === 'string' && word) {
    const [, quote = '', inner = ''] = word;
    const cased = [inner.toUpperCase(), inner.toLowerCase(), inner[0]?.toUpperCase() + inner.slice(1)].filter(
      (one) => one !== inner,
    );
    add('text-spelling', `${quote}${pick(cased, random) ?? inner}${quote}`);
  }
  const blank = /^(["'])( *)([^\s\w"'\\]{1,2})( *)\1$/.exec(token.text);
  if (token.kind === 'string' && blank) {
    const [, quote = '', left = '', mark = '', right = ''] = blank;
    const spaced = [mark, `${mark} `, ` ${mark} `].filter((one) => one !== `${left}${mark}${right}`);
    add('text-spelling', `${quote}${pick(spaced, random) ?? mark}${quote}`);
  }
  return changes;
}

/** Ranges and slices lose, gain or exchange an end. */
export function boundChanges({ tokens, program: { text }, isPython, random }: Source, index: number): Change[] {
  const token = tokens[index] as Token;
  const open = tokens[index + 1];
  if (/^(range|slice)$/.test(token.text) && open?.text === '(') {
    const close = closing(tokens, index + 1);
    const inner = close === undefined ? [] : tokens.slice(index + 2, close);
    const [first, last] = [inner[0], inner.at(-1)];
    if (close === undefined || !first || !last) return [];
    const comma = commaAt(inner);
    const replace = (written: string): Change => ({
      kind: 'bounds-changed',
      start: first.start,
      end: last.end,
      text: written,
    });
    if (comma < 0) {
      const whole = text.slice(first.start, last.end);
      return token.text === 'range' ? [replace(`1, ${whole} + 1`)] : [replace(`0, ${whole}`)];
    }
    const rest = inner.slice(comma + 1);
    const second = commaAt(rest);
    const [left, right] = [inner[comma - 1], rest[0]];
    if (!left || !right) return [];
    const one = text.slice(first.start, left.end);
    const two = text.slice(right.start, (second < 0 ? last : (rest[second - 1] as Token)).end);
    if (!/^-?\d+$/.test(token.text === 'range' ? one : two)) return [];
    if (second >= 0) return [replace(`${one}, ${two}`)];
    return [replace(token.text === 'range' ? two : one)];
  }
  const before = tokens[index - 1];
  if (!isPython || token.text !== ':' || !before || !open) return [];
  const isOpenEnd = open.text === ']' && before.text !== '[' && tokens[index - 2]?.text === '[';
  const isOpenStart = before.text === '[' && open.text !== ']';
  if (isOpenEnd && before.kind === 'number')
    return [
      { kind: 'bounds-changed', start: before.start, end: token.end, text: random() < 0.5 ? ':' : `:${before.text}` },
    ];
  if (isOpenStart && open.kind === 'number' && tokens[index + 2]?.text === ']')
    return [{ kind: 'bounds-changed', start: open.start, end: open.end, text: '' }];
  if (isOpenStart && open.text === '-' && tokens[index + 3]?.text === ']')
    return [{ kind: 'bounds-changed', start: open.start, end: tokens[index + 2]?.end ?? open.end, text: '' }];
  return [];
}
