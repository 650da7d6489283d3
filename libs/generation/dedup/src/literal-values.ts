// Literals by their value, where the value is certain; anything doubtful stays as it is spelt.

/** What one escape stands for; absent: unknown to the language, so that the literal is left alone. */
const PYTHON_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const JAVASCRIPT_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Text (`s`) or bytes (`b`) of a Python string without fields; undefined where it is not plain ASCII in source and value. */
export function pythonString(literal: string): string | undefined {
  const match = /^(r|b|br|rb|)('''|"""|'|")([\s\S]*)\2$/i.exec(literal.replace(/\r\n?/g, '\n'));
  if (match === null) return undefined;
  const [, prefix = '', , body = ''] = match;
  const isRaw = /r/i.test(prefix);
  const value = isRaw ? body : unescaped(body, PYTHON_ESCAPES, /^(?:x([0-9a-f]{2})|([0-7]{1,3}))/i);
  return value === undefined || !isAscii(value) ? undefined : `${/b/i.test(prefix) ? 'b' : 's'}:${value}`;
}

/** Text of a JavaScript string in quotes; undefined where it is not plain ASCII in source and value. */
export function javascriptString(literal: string): string | undefined {
  const match = /^('|")([\s\S]*)\1$/.exec(literal.replace(/\r\n?/g, '\n'));
  if (match === null) return undefined;
  const value = unescaped(match[2] ?? '', JAVASCRIPT_ESCAPES, /^(?:x([0-9a-f]{2})|(0)(?![0-9]))/i);
  return value === undefined || !isAscii(value) ? undefined : `s:${value}`;
}

/** Replaces escapes; `code` reads a hexadecimal (first group) or octal (second) one. */
function unescaped(body: string, known: Readonly<Record<string, string>>, code: RegExp): string | undefined {
  if (!body.includes('\\')) return body;
  let value = '';
  for (let at = 0; at < body.length; at++) {
    const character = body[at] as string;
    if (character !== '\\') {
      value += character;
      continue;
    }
    const numeric = code.exec(body.slice(at + 1, at + 5));
    const simple = known[body[at + 1] ?? ''];
    if (numeric !== null) {
      const [all, hexadecimal, octal = ''] = numeric;
      value += String.fromCharCode(
        hexadecimal === undefined ? Number.parseInt(octal, 8) : Number.parseInt(hexadecimal, 16),
      );
      at += all.length;
    } else if (simple !== undefined) {
      value += simple;
      at += 1;
    } else return undefined;
  }
  return value;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7e) return false;
  return true;
}

/** Kind and value of a Python number: `i` whole, `f` floating, `j` imaginary. */
export function pythonNumber(literal: string): string | undefined {
  const digits = literal.replaceAll('_', '').toLowerCase();
  if (/^(?:0[xob][0-9a-f]+|0+|[1-9][0-9]*)$/.test(digits)) return `i:${BigInt(digits)}`;
  const match = /^((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(j?)$/.exec(digits);
  return match === null || /^0\d+$/.test(digits) ? undefined : `${match[2] === 'j' ? 'j' : 'f'}:${Number(match[1])}`;
}

/** Kind and value of a JavaScript number: `n` a number, `i` a bigint; an octal with a leading zero stays as it is spelt. */
export function javascriptNumber(literal: string): string | undefined {
  const digits = literal.replaceAll('_', '').toLowerCase();
  if (/^0\d/.test(digits)) return undefined;
  if (/^(?:0[xob][0-9a-f]+|\d+)n$/.test(digits)) return `i:${BigInt(digits.slice(0, -1))}`;
  const value = Number(digits);
  return Number.isNaN(value) ? undefined : `n:${value}`;
}
