// What an operator of Python or JavaScript makes of two values.
import type { Operator } from './languages/operators.ts';
import { holds, isSame, number, type Speech, truth, type Value } from './seen-value.ts';

/** `undefined` where the result depends on code of the program, is an error, or an operand is not known and matters. */
export function combine(
  operator: Operator,
  left: Value | undefined,
  right: Value | undefined,
  speech: Speech,
): Value | undefined {
  if (operator.family === 'boolean') return joined(operator, left, right, speech);
  if (left === undefined || right === undefined) return undefined;
  if (operator.family === 'comparison') {
    const result = compared(operator, left, right, speech);
    return result === undefined ? undefined : truth(result);
  }
  return calculated(operator.text, left, right, speech);
}

function joined(
  { group }: Operator,
  left: Value | undefined,
  right: Value | undefined,
  speech: Speech,
): Value | undefined {
  if (left === undefined) return undefined;
  if (group === 'nullish') return left.kind === 'none' ? right : left;
  const held = holds(left, speech);
  if (held === undefined) return undefined;
  return held === (group === 'and') ? right : left;
}

function compared({ group, relation, text }: Operator, left: Value, right: Value, speech: Speech): boolean | undefined {
  if (group === 'membership') {
    if (left.kind !== 'text' || right.kind !== 'text') return undefined;
    return right.value.includes(left.value) === (text === 'in');
  }
  if (group === 'order') return ordered(relation, left, right, speech);
  const same = equal(group, left, right, speech);
  return same === undefined ? undefined : same === (relation === 2);
}

function ordered(relation: number, left: Value, right: Value, speech: Speech): boolean | undefined {
  const [a, b] = [plain(left), plain(right)];
  if (a === undefined || b === undefined || typeof a !== typeof b) return undefined;
  // Python compares code points, JavaScript UTF-16 units.
  if (speech === 'python' && typeof a === 'string' && /[\ud800-\udfff]/.test(`${a}${b as string}`)) return undefined;
  const order = a < b ? 1 : a === b ? 2 : 4;
  return (relation & order) !== 0;
}

/** Numbers and truth values as numbers, texts as they are. */
function plain(value: Value): number | string | undefined {
  if (value.kind === 'number' || value.kind === 'text') return value.value;
  return value.kind === 'truth' ? Number(value.value) : undefined;
}

function equal(group: string, left: Value, right: Value, speech: Speech): boolean | undefined {
  if (left.kind === 'object' || right.kind === 'object') return equalObjects(group, left, right, speech);
  if (left.kind === 'none' || right.kind === 'none') {
    if (left.kind !== right.kind) return false;
    return group === 'loose' || isSame(left, right);
  }
  if (left.kind === right.kind) {
    if (group === 'identity' && left.kind !== 'truth') return undefined;
    return plain(left) === plain(right);
  }
  if (group === 'identity' || left.kind === 'text' || right.kind === 'text')
    return group === 'loose' ? undefined : false;
  return speech === 'python' || group === 'loose' ? plain(left) === plain(right) : false;
}

function equalObjects(group: string, left: Value, right: Value, speech: Speech): boolean | undefined {
  if (left.kind !== 'object' || right.kind !== 'object') {
    const other = left.kind === 'object' ? right : left;
    if (group === 'identity' || speech === 'javascript')
      return group === 'loose' && other.kind !== 'none' ? undefined : false;
    // `__eq__` of a class of the program could say anything.
    return undefined;
  }
  if (left.ref === undefined || right.ref === undefined) return undefined;
  if (left.ref === right.ref) return group === 'identity' || speech === 'javascript' ? true : undefined;
  return group === 'identity' || speech === 'javascript' ? false : undefined;
}

function calculated(operator: string, left: Value, right: Value, speech: Speech): Value | undefined {
  if (left.kind === 'text' && right.kind === 'text') {
    return operator === '+' ? { kind: 'text', value: left.value + right.value } : undefined;
  }
  const [a, b] = [plain(left), plain(right)];
  if (typeof a !== 'number' || typeof b !== 'number') return undefined;
  const isFloat = [left, right].some((one) => one.kind === 'number' && one.isFloat);
  if (speech === 'python' && left.kind === 'truth' && right.kind === 'truth' && /^[&|^]$/.test(operator))
    return truth(operator === '&' ? a + b === 2 : operator === '|' ? a + b > 0 : a !== b);
  return speech === 'python' ? inPython(operator, a, b, isFloat) : inJavascript(operator, a, b);
}

function inPython(operator: string, a: number, b: number, isFloat: boolean): Value | undefined {
  // Python's whole numbers know no negative zero.
  const given = (value: number) => number(isFloat ? value : value + 0, isFloat);
  switch (operator) {
    case '+':
      return given(a + b);
    case '-':
      return given(a - b);
    case '*':
      return given(a * b);
    case '/':
      return b === 0 ? undefined : number(a / b, true);
    case '//':
      return b === 0 || isFloat ? undefined : given((a - modulo(a, b)) / b);
    case '%':
      return b === 0 || isFloat ? undefined : given(modulo(a, b));
    case '**':
      return isFloat ? undefined : power(a, b);
    default:
      return isFloat ? undefined : bitwise(operator, a, b);
  }
}

/** With the sign of the divisor; exact for whole numbers. */
function modulo(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

/** By whole steps: `Math.pow` may be off by the last digit. */
function power(base: number, exponent: number): Value | undefined {
  if (exponent < 0 || exponent > 64) return undefined;
  let value = 1;
  for (let step = 0; step < exponent; step++) value *= base;
  return number(value);
}

function inJavascript(operator: string, a: number, b: number): Value | undefined {
  switch (operator) {
    case '+':
      return number(a + b);
    case '-':
      return number(a - b);
    case '*':
      return number(a * b);
    case '/':
      return number(a / b);
    case '%':
      return number(a % b);
    case '**':
      return number(a ** b);
    default:
      return bitwise(operator, a, b);
  }
}

const SMALL = 2 ** 30;

/** Small whole numbers alone: there both languages agree. */
function bitwise(operator: string, a: number, b: number): Value | undefined {
  if (![a, b].every((one) => Number.isInteger(one) && one >= 0 && one < SMALL)) return undefined;
  if (operator === '&') return number(a & b);
  if (operator === '|') return number(a | b);
  if (operator === '^') return number(a ^ b);
  if (operator === '<<' && b < 20 && a < 2 ** 20) return number(a * 2 ** b);
  return operator === '>>' && b < 30 ? number(a >> b) : undefined;
}
