import { expect, test } from 'vitest';
import { parseLoc } from '../src/index.ts';

test.each([
  ['src/a.py:12', 'src/a.py', 12],
  ['odd:name.py:3', 'odd:name.py', 3],
  ['a.py:none', 'a.py', 0],
])('parseLoc(%j)', (location, file, line) => expect(parseLoc(location)).toEqual({ file, line }));
