// Which texts are the same program, said by compilers and not by this library.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Language } from '@h/syntax';
import { transformSync } from 'esbuild';
import { analyze } from 'eslint-scope';
import { parseSync } from 'oxc-parser';

/** `strict`: the same tree or code object. `alpha`: the same but for the names of locals. */
export interface Verdict {
  readonly strict: string;
  readonly alpha: string;
}

export const PYTHON = join(homedir(), '.pyenv/versions/3.11.7/bin/python');

/** One verdict a text, undefined where no compiler takes it. */
export function judge(texts: readonly string[], language: Language, path: string): (Verdict | undefined)[] {
  if (language !== 'python') return texts.map((text) => judgeScript(text, path));
  const input = JSON.stringify(Object.fromEntries(texts.map((text, n) => [n, text])));
  const script = join(import.meta.dirname, 'compile-digests.py');
  const output = execFileSync(PYTHON, ['-I', script], { input, maxBuffer: 2 ** 30, encoding: 'utf8' });
  const read = JSON.parse(output) as Record<string, [string, string] | null>;
  return texts.map((_, n) => {
    const found = read[n];
    return found ? { strict: hash(found[0]), alpha: hash(found[1]) } : undefined;
  });
}

function judgeScript(text: string, path: string): Verdict | undefined {
  const { program, errors } = parseSync(path, text, { preserveParens: false, showSemanticErrors: true });
  if (errors.length > 0) return undefined;
  const strict = hash(JSON.stringify(program, withoutPlaces));
  try {
    return { strict, alpha: hash(alphaForm(text, path)) };
  } catch {
    return { strict, alpha: strict }; // what oxc takes and esbuild does not: a constant assigned to
  }
}

/** The tree of the JavaScript that a text is, with a number for each local that names no function. */
function alphaForm(text: string, path: string): string {
  const loader = path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'jsx';
  const script = transformSync(text, { loader, logLevel: 'silent', target: 'esnext', tsconfigRaw: '{}' }).code;
  const { program } = parseSync('a.jsx', script, { preserveParens: false, range: true });
  const labels = new Map<unknown, string>();
  const { scopes } = analyze(program as never, {
    ecmaVersion: 2022,
    sourceType: 'module',
    childVisitorKeys: visitorKeys(program),
  });
  for (const scope of scopes) {
    if (scope.type === 'global' || scope.type === 'module') continue;
    for (const { defs, identifiers, references } of scope.variables) {
      const isNaming = references.some(({ writeExpr }) => /^(?:Arrow)?Function|^Class/.test(writeExpr?.type ?? ''));
      if (isNaming || defs.some(({ type }) => type === 'FunctionName' || type === 'ClassName')) continue;
      const label = `$${labels.size}`;
      for (const node of [...identifiers, ...references.map(({ identifier }) => identifier)]) labels.set(node, label);
    }
  }
  const numbers = new Map<string, number>();
  return JSON.stringify(program, function (this: unknown, key, value) {
    const label = key === 'name' ? labels.get(this) : undefined;
    if (label === undefined) return withoutPlaces.call(this, key, value);
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return `$${numbers.get(label)}`;
  });
}

/** Every field that holds nodes, by the type of the node: the oracle must not pass over one. */
function visitorKeys(program: unknown): Record<string, string[]> {
  const keys: Record<string, Set<string>> = {};
  JSON.stringify(program, function (this: unknown, key, value) {
    const parent = this as { type?: string };
    const isNode = (one: unknown) => typeof (one as { type?: unknown } | null)?.type === 'string';
    if (typeof parent.type === 'string' && (isNode(value) || (Array.isArray(value) && value.some(isNode)))) {
      keys[parent.type] = (keys[parent.type] ?? new Set()).add(key);
    }
    return typeof value === 'bigint' ? String(value) : value;
  });
  return Object.fromEntries(Object.entries(keys).map(([type, fields]) => [type, [...fields]]));
}

/** Where a node stands and how a literal is spelt is no part of the tree; a directive is one by its spelling. */
function withoutPlaces(this: unknown, key: string, value: unknown): unknown {
  if (key === 'start' || key === 'end' || key === 'range' || key === 'loc') return undefined;
  const { type } = this as { type?: string };
  if (key === 'raw' && type === 'Literal') return undefined;
  return typeof value === 'bigint' ? String(value) : value;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
