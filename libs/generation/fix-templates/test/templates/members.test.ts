import { describe, expect, test } from 'vitest';
import { members } from '../../src/templates/members.ts';
import { resultsOf, textsOf } from '../results-of.ts';

describe('members', () => {
  test('attributes of the same class', async () => {
    const text = [
      'class A:',
      '    def __init__(self):',
      '        self.low = 1',
      '        self.high = 2',
      'class B:',
      '    def f(self):',
      '        self.middle = self.highest',
    ].join('\n');
    expect(await resultsOf(members.name, text, { line: 3 })).toEqual(['self.high = 1']);
    expect(await resultsOf(members.name, text, { line: 7 })).toEqual(['self.middle = self.high']);
  });

  test('one that is assigned and read nowhere comes first, whatever its spelling', async () => {
    const text =
      'class A:\n    def __init__(self):\n        self.items = 1\n        self.strip = 2\n    def f(self):\n        g(self.items)\n        return self.item';
    const [first] = (await textsOf(members.name, text))['attribute-own-unread'] ?? [];
    expect(first).toContain('return self.strip');
  });

  test('methods for methods', async () => {
    const text = 'class A {\n  one() {}\n  two() { return this.size; }\n  three() { return this.one() }\n}';
    expect(await resultsOf(members.name, text, { path: 'case.ts', line: 4 })).toEqual([
      'three() { return this.three() }',
      'three() { return this.two() }',
    ]);
  });

  test('properties that the file uses of the object, and sibling keys', async () => {
    const text = 'const a = { one: 1, two: 2 };\nf(a.first, a.second);\ng(b.one);';
    expect(await resultsOf(members.name, text, { path: 'case.js', line: 2 })).toEqual([
      'f(a.first, a.first);',
      'f(a.second, a.second);',
    ]);
    expect(await resultsOf(members.name, text, { path: 'case.js' })).toEqual(['g(b.two);']);
  });

  test('a local for an attribute of its name and back', async () => {
    const text =
      'class A:\n    def f(self, total):\n        self.total = 1\n        x = total\n        return self.total';
    expect(await resultsOf(members.name, text, { line: 4 })).toEqual(['x = self.total']);
    expect(await resultsOf(members.name, text)).toEqual(['return total']);
    expect(await resultsOf(members.name, 'def f(total):\n    return total')).toEqual([]);
  });

  test('private names stay in their class', async () => {
    const text =
      'class A {\n  #a = 1;\n  #b = 2;\n  f() { return this.#a; }\n  g() { return this.#b + other.count; }\n}';
    expect(await resultsOf(members.name, text, { path: 'case.ts', line: 4 })).toEqual(['f() { return this.#b; }']);
    expect(await resultsOf(members.name, text, { path: 'case.ts', line: 5 })).toEqual([
      'g() { return this.#a + other.count; }',
    ]);
  });

  test('keeps optional chains and calls', async () => {
    const text = 'f(a?.first?.[0], a?.second);';
    expect(await resultsOf(members.name, text, { path: 'case.ts' })).toEqual([
      'f(a?.first?.[0], a?.first);',
      'f(a?.second?.[0], a?.second);',
    ]);
  });
});
