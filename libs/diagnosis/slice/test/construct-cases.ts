// One construct each, in both languages. A line that the value returned by `main` depends on ends with `@`; `?`: only once decisions not to run
// something are followed. Written by hand, before the slicer was asked.
import type { Language } from '../check/write-program.ts';

export const constructs: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  'locals and the last write': {
    python: 'def main(): @\n a = 1\n a = 2 @\n b = 3\n c = a + 1 @\n return c @',
    javascript: 'function main() { @\n let a = 1;\n a = 2; @\n let b = 3;\n const c = a + 1; @\n return c; @\n}',
  },
  'a statement over several lines': {
    python: 'def main(): @\n a = 1 @\n b = 2\n c = (a + @\n  1)\n return c @',
    javascript: 'function main() { @\n const a = 1; @\n const b = 2;\n const c = a + @\n  1;\n return c; @\n}',
  },
  'a closure': {
    python:
      'def main(): @\n n = 3 @\n m = 4\n def add(x): @\n  y = m\n  return x + n @\n r = add(1) @\n s = add(m)\n return r @',
    javascript:
      'function main() { @\n const n = 3; @\n const m = 4;\n const add = function (x) { @\n  const y = m;\n  return x + n; @\n };\n const r = add(1); @\n const s = add(m);\n return r; @\n}',
  },
  'a variable that an inner function writes': {
    python: 'def main(): @\n n = 3\n m = 4 @\n def put(x): @\n  nonlocal n\n  n = x @\n put(m) @\n return n @',
    javascript:
      'function main() { @\n let n = 3;\n const m = 4; @\n const put = function (x) { @\n  n = x; @\n };\n put(m); @\n return n; @\n}',
  },
  'a global': {
    python:
      'total = 0\ndef add(x): @\n global total\n total = x @\n y = x\ndef main(): @\n add(1)\n add(2) @\n return total @',
    javascript:
      'let total = 0;\nfunction add(x) { @\n total = x; @\n const y = x;\n}\nfunction main() { @\n add(1);\n add(2); @\n return total; @\n}',
  },
  'attributes, kept apart': {
    python:
      'class Box: pass\ndef main(): @\n o = Box() @\n o.a = 1 @\n o.b = 2\n o.a = o.a + 1 @\n o.b = o.a\n return o.a @',
    javascript:
      'class Box {}\nfunction main() { @\n const o = new Box(); @\n o.a = 1; @\n o.b = 2;\n o.a = o.a + 1; @\n o.b = o.a;\n return o.a; @\n}',
  },
  'an item': {
    python: 'def main(): @\n p = [1, 2] @\n q = [3]\n p[0] = 5 @\n q[0] = 6\n return p[0] @',
    javascript:
      'function main() { @\n const p = [1, 2]; @\n const q = [3];\n p[0] = 5; @\n q[0] = 6;\n return p[0]; @\n}',
  },
  'a container that grows': {
    python: 'def main(): @\n p = [] @\n q = []\n v = 3 @\n p.append(v) @\n q.append(v)\n w = len(q)\n return len(p) @',
    javascript:
      'function main() { @\n const p = []; @\n const q = [];\n const v = 3; @\n p.push(v); @\n q.push(v);\n const w = q.length;\n return p.length; @\n}',
  },
  'one object under two names': {
    python: 'def main(): @\n p = [1] @\n q = p @\n r = [1]\n q.append(2) @\n r.append(2)\n return sum(p) @',
    javascript:
      'function main() { @\n const p = [1]; @\n const q = p; @\n const r = [1];\n q.push(2); @\n r.push(2);\n return p.at(-1); @\n}',
  },
  'an argument that a function changes': {
    python:
      'def fill(p, v): @\n p.append(v) @\n u = v\ndef main(): @\n p = [] @\n q = []\n fill(p, 1) @\n fill(q, 2)\n return p[0] @',
    javascript:
      'function fill(p, v) { @\n p.push(v); @\n const u = v;\n}\nfunction main() { @\n const p = []; @\n const q = [];\n fill(p, 1); @\n fill(q, 2);\n return p[0]; @\n}',
  },
  'returns and frames of a recursion': {
    python:
      'def f(n): @\n k = n\n if n < 1: @\n  return 7 @\n return f(n - 1) @\ndef main(): @\n a = f(2) @\n b = f(1)\n return a @',
    javascript:
      'function f(n) { @\n const k = n;\n if (n < 1) { @\n  return 7; @\n }\n return f(n - 1); @\n}\nfunction main() { @\n const a = f(2); @\n const b = f(1);\n return a; @\n}',
  },
  'nesting decides': {
    python: 'def main(): @\n a = 1 @\n b = 5\n if a > 0: @\n  c = 2 @\n  b = 6\n else:\n  c = 3\n return c @',
    javascript:
      'function main() { @\n const a = 1; @\n let b = 5;\n let c;\n if (a > 0) { @\n  c = 2; @\n  b = 6;\n } else {\n  c = 3;\n }\n return c; @\n}',
  },
  'an exit decides': {
    python:
      'def main(): @\n a = 1 @\n d = 2\n c = 0\n for i in range(2): @\n  if i > a: @\n   break\n  c = 4 @\n return c @',
    javascript:
      'function main() { @\n const a = 1; @\n const d = 2;\n let c = 0;\n for (let i = 0; i < 2; i++) { @\n  if (i > a) { @\n   break;\n  }\n  c = 4; @\n }\n return c; @\n}',
  },
  'an exception of a function': {
    python:
      'def risky(x): @\n y = x\n if x > 0: @\n  raise ValueError(x) @\n return 1\ndef main(): @\n v = 3 @\n try:\n  a = risky(v) @\n except ValueError:\n  a = 5 @\n b = 6\n return a @',
    javascript:
      'function risky(x) { @\n const y = x;\n if (x > 0) { @\n  throw new Error(x); @\n }\n return 1;\n}\nfunction main() { @\n const v = 3; @\n let a;\n try {\n  a = risky(v); @\n } catch (error) {\n  a = 5; @\n }\n const b = 6;\n return a; @\n}',
  },
  'a generator that also returns, consumed by one statement': {
    python:
      'def gives(n): @\n k = n @\n u = 9\n yield k @\n return u\ndef main(): @\n a = list(gives(4)) @\n b = 2\n return a[0] @',
    javascript:
      'function* gives(n) { @\n const k = n; @\n const u = 9;\n yield k; @\n return u;\n}\nfunction main() { @\n const a = [...gives(4)]; @\n const b = 2;\n return a[0]; @\n}',
  },
  'a generator that a loop runs': {
    python:
      'def gives(n): @\n yield n @\n yield n + 1 @\ndef main(): @\n t = 0 @\n s = 0\n for v in gives(4): @\n  t = t + v @\n  s = s + 1\n return t @',
    javascript:
      'function* gives(n) { @\n yield n; @\n yield n + 1; @\n}\nfunction main() { @\n let t = 0; @\n let s = 0;\n for (const v of gives(4)) { @\n  t = t + v; @\n  s = s + 1;\n }\n return t; @\n}',
  },
  'a conditional expression': {
    python: 'def main(): @\n a = 1 @\n b = 2 @\n c = 3 @\n d = 4\n e = b if a else c @\n return e @',
    javascript:
      'function main() { @\n const a = 1; @\n const b = 2; @\n const c = 3; @\n const d = 4;\n const e = a ? b : c; @\n return e; @\n}',
  },
  'a comprehension or callback': {
    python:
      'def main(): @\n k = 2 @\n m = 3\n p = [1, 2] @\n q = [v * k for v in p] @\n r = [v * m for v in p]\n return q @',
    javascript:
      'function main() { @\n const k = 2; @\n const m = 3;\n const p = [1, 2]; @\n const q = p.map((v) => v * k); @\n const r = p.map((v) => v * m);\n return q; @\n}',
  },
  'and, or': {
    python: 'def main(): @\n a = 0 @\n b = 2 @\n d = 4\n c = a or b @\n e = a and d\n return c @',
    javascript:
      'function main() { @\n const a = 0; @\n const b = 2; @\n const d = 4;\n const c = a || b; @\n const e = a && d;\n return c; @\n}',
  },
  'a statement that should have run': {
    python:
      'def main(): @\n a = 1 ?\n b = 2\n c = 3 @\n if a > 5: ?\n  c = 4\n for i in range(2): ?\n  if i > 0:\n   b = 3\n return c @',
    javascript:
      'function main() { @\n const a = 1; ?\n let b = 2;\n let c = 3; @\n if (a > 5) { ?\n  c = 4;\n }\n for (let i = 0; i < 2; i++) { ?\n  if (i > 0) {\n   b = 3;\n  }\n }\n return c; @\n}',
  },
};
