// Real code to compare on: the standard library of the host's Python and TypeScript and JavaScript from node_modules.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Language, languageOf } from '../src/index.ts';

const MOST_BYTES = 80_000;

export interface CorpusFile {
  path: string;
  text: string;
  language: Language;
}

/** About `count` files spread evenly over a folder, in a stable order. */
function sample(folder: string, count: number, accepts: (path: string) => boolean): CorpusFile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => languageOf(path) !== undefined && accepts(path))
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile() && statSync(path).size < MOST_BYTES)
    .sort((a, b) => (a < b ? -1 : 1));
  const step = Math.max(1, Math.floor(paths.length / count));
  return paths
    .filter((_, index) => index % step === 0)
    .flatMap((path) => {
      const language = languageOf(path);
      const text = readFileSync(path, 'utf8');
      return language && !text.includes('\ufffd') ? [{ path, text, language }] : [];
    });
}

export function pythonCorpus(count: number): CorpusFile[] {
  const { stdout } = spawnSync('python3', ['-c', 'import os; print(os.path.dirname(os.__file__))'], {
    encoding: 'utf8',
  });
  return sample(
    stdout.trim(),
    count,
    (path) => path.endsWith('.py') && !/lib2to3|bad|site-packages|dist-packages/.test(path),
  );
}

export function javascriptCorpus(count: number): CorpusFile[] {
  const require = createRequire(import.meta.url);
  const folders = ['zod/package.json', 'oxc-parser/src-js/index.js', 'execa'].map((name) =>
    dirname(require.resolve(name)),
  );
  return folders.flatMap((folder) => sample(folder, count / folders.length, (path) => !path.includes('node_modules')));
}
