import { describe, expect, test } from 'vitest';
import { fallbacks } from '../../src/templates/fallbacks.ts';
import { resultsOf } from '../results-of.ts';

const python = (text: string) => resultsOf(fallbacks.name, `def f(a, d, k):\n    ${text}`);
const typescript = async (text: string) =>
  resultsOf(fallbacks.name, `function f(a, k) {\n  ${text}\n}`, { path: 'case.ts', line: 2 });

describe('fallbacks', () => {
  test('look-ups and calls that take a default', async () => {
    expect(await python('del d[k]')).toEqual([]);
    expect(await python('d[k] = 1')).toEqual([]);
    expect(await python('d[k] += 1')).toEqual([]);
    expect(await python('x = d[0]')).toEqual(["x = d[0] or ''", 'x = d[0] or 0', 'x = d[0] or []', 'x = d[0] or {}']);
    expect(await python('return d[k].z')).toEqual(
      expect.arrayContaining(["return d.get(k, '').z", 'return d.get(k).z', 'return d.get(k, 0).z']),
    );
    expect((await python('del next(a).b')).filter((text) => text.includes(','))).toEqual(
      ['del next(a, None).b', 'del next(a, 0).b', "del next(a, '').b", 'del next(a, []).b'].sort(),
    );
    expect(await python('x = max(a) < 1')).toEqual(expect.arrayContaining(['x = max(a, default=0) < 1']));
  });

  test('a value beside another when it is missing', async () => {
    expect(await python('return a')).toEqual(["return a or ''", 'return a or 0', 'return a or []', 'return a or {}']);
    expect(await python('for x in a: pass')).toEqual(['for x in a or []: pass']);
    expect(await python('for x in [1, 2]: pass')).toEqual([]);
    expect(await python('return a < 1')).toEqual(['return (a or 0) < 1']);
    expect(await python('return d[len(d)]')).not.toContain('return d.get(len(d))');
    expect(await typescript('return (a || k) && 1;')).toEqual([]);
    expect(await typescript('g(a);')).toEqual(
      ["g(a ?? '');", 'g(a ?? 0);', 'g(a ?? []);', 'g(a ?? {});', 'g(a) ?? 0;'].slice(0, 4),
    );
  });

  test('optional chains, never where they are assigned, constructed, tagged or there already', async () => {
    expect(await typescript('a.b[k](1);')).toEqual(
      ['a.b?.[k](1);', 'a.b[k]?.(1);', 'a?.b[k](1);'].filter((text) => !text.includes(']?.(')),
    );
    for (const idle of [
      'a.b = 1;',
      'a.b.c += 1;',
      'a.b++;',
      'new a.b();',
      'a.b`x`;',
      '[a.b] = k;',
      '({ c: a.b } = k);',
      'for (a.b of []) {}',
      'delete a?.b;',
      '(a.b as any).c = 1;',
    ]) {
      expect(
        (await typescript(idle)).filter((text) => text.includes('?.') && text !== idle),
        idle,
      ).toEqual([]);
    }
    expect(await typescript('a(1);')).toEqual(['a?.(1);']);
    expect(await typescript('a<string>(1);')).toEqual([]);
    expect(await typescript('super.x;')).toEqual([]);
  });

  test('not inside an interpolation that quotes would end', async () => {
    const found = await resultsOf(fallbacks.name, 'def f(a):\n    print(f"{a.b(a)}")');
    expect(found.every((text) => !text.includes("''"))).toBe(true);
  });
});
