import { describe, expect, it } from 'vitest';
import { readStackFrames } from '../src/read-stack-frames.ts';

const paths = ['repro.py', 'src/a.py', 'json/decoder.py', 'lib/b.mjs', 'b.mjs'];

function check(text: string, frames: string[], root?: string, more: { cwd?: string; script?: string } = {}) {
  expect(readStackFrames(text, { cwd: '', paths, ...more })).toEqual({
    frames,
    ...(root === undefined ? {} : { root }),
  });
}

describe('readStackFrames', () => {
  it('reads the last traceback of Python', () =>
    check(
      `Traceback (most recent call last):
  File "/w/x/src/a.py", line 1, in a
KeyError: 1

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/w/x/repro.py", line 7, in <module>
    go()
  File "/usr/lib/python3.11/json/decoder.py", line 9, in decode
  File "/usr/lib/python3/dist-packages/src/a.py", line 9, in decode
  File "<frozen runpy>", line 8, in f
  File "/w/x/src/a.py", line 12, in go
    raise ValueError
ValueError
`,
      ['src/a.py:12', 'repro.py:7'],
      '/w/x/',
      { script: 'repro.py' },
    ));

  it('reads relative paths from the folder, and syntax errors', () =>
    check('  File "a.py", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n', ['src/a.py:3'], undefined, {
      cwd: 'src',
    }));

  it('reads a stack of Node', () =>
    check(
      `/w/lib/b.mjs:2
  throw new Error('x');
        ^

Error: x
    at inner (file:///w/lib/b.mjs:2:9)
    at async Promise.all (index 0)
    at Object.<anonymous> (/w/node_modules/p/index.js:1:1)
    at async file:///w/b.mjs:5:1
    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)

Node.js v20.20.2
`,
      ['lib/b.mjs:2', 'b.mjs:5'],
      '/w/',
    ));

  it('reads the head of an error of Node without a stack', () =>
    check(
      'file:///w/lib/b.mjs:4\nlet {\n    ^\n\nSyntaxError: Unexpected end\n    at compileSourceTextModule (node:internal/modules/esm/utils:344:16)\n',
      ['lib/b.mjs:4'],
      '/w/',
    ));

  it('finds nothing where nothing is', () => {
    check('', []);
    check('plain words: at 12:30\n', []);
    check('Traceback (most recent call last):\n  File "/elsewhere/z.py", line 1, in z\nE\n', []);
  });
});
