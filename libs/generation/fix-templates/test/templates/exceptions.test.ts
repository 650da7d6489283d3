import { describe, expect, test } from 'vitest';
import { exceptions } from '../../src/templates/exceptions.ts';
import { type Case, textsOf } from '../results-of.ts';

const of = (text: string, options: Case = {}) => textsOf(exceptions.name, text, options);
const TRY = 'def f(a):\n    try:\n        return a[0]\n    except KeyError:\n        return None\n';

describe('exceptions', () => {
  test('what is caught: another class, one more, everything, one of several', async () => {
    const found = await of(TRY, { line: 4 });
    expect(found['caught-other']).toContain(TRY.replace('KeyError', 'IndexError'));
    expect(found['caught-more']).toContain(TRY.replace('KeyError', '(KeyError, IndexError)'));
    expect(found['caught-all']).toEqual([TRY.replace('KeyError', 'Exception')]);
    const two = TRY.replace('KeyError', '(KeyError, TypeError) as e');
    expect((await of(two, { line: 4 }))['caught-one']).toContain(TRY.replace('KeyError', 'KeyError as e'));
  });

  test('what is raised', async () => {
    expect((await of('def f(a):\n    raise ValueError(a)\n', { line: 2 }))['raised-other']).toEqual([
      'def f(a):\n    raise TypeError(a)\n',
    ]);
    const text = 'function f(a) {\n  throw new Error(a);\n}\n';
    expect((await of(text, { path: 'a.js', line: 2 }))['raised-other']).toContain(text.replace('Error', 'TypeError'));
  });

  test('a statement in a try of its own', async () => {
    const found = await of('def f(a):\n    a.close()\n    return 1\n', { line: 2 });
    expect(found['wrapped-pass']).toEqual([
      'def f(a):\n    try:\n        a.close()\n    except Exception:\n        pass\n    return 1\n',
    ]);
    const text = 'function f(a) {\n  a.close();\n  return 1;\n}\n';
    expect((await of(text, { path: 'a.ts', line: 2 }))['wrapped-pass']).toEqual([
      'function f(a) {\n  try {\n    a.close();\n  } catch {\n  }\n  return 1;\n}\n',
    ]);
  });

  test('the body of a try in its place', async () => {
    expect((await of(TRY, { line: 2 })).unwrapped).toEqual(['def f(a):\n    return a[0]\n']);
  });

  test('no declaration is wrapped, no handler without a class changed', async () => {
    expect(await of('function f(a) {\n  const b = a.c;\n}\n', { path: 'a.js', line: 2 })).toEqual({});
    expect(await of('try:\n    f()\nexcept:\n    g()\n', { line: 3 })).toEqual({});
  });
});
