// Reading one file over and over, in processor time: ours, and a peer that reads the same text in the same run.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import ts from 'typescript';
import { createParser, createSyntaxChecker } from '../src/index.ts';

const ROUNDS = 10;
const WARM_UP = 25;
const require = createRequire(import.meta.url);
const python = spawnSync('python3', ['-c', 'import argparse; print(argparse.__file__)'], {
  encoding: 'utf8',
}).stdout.trim();
const pythonText = readFileSync(python, 'utf8');
const folder = dirname(require.resolve('web-tree-sitter'));
const javascriptText = readFileSync(join(folder, 'web-tree-sitter.js'), 'utf8');
const typescriptText = readFileSync(join(folder, 'web-tree-sitter.d.ts'), 'utf8');

const started = cpuNow();
const parser = await createParser();
row('load tree-sitter and four grammars', cpuNow() - started, 0, undefined, undefined);
const checkerStarted = cpuNow();
const checker = await createSyntaxChecker(['python', 'javascript', 'typescript']);
row('load ruff and oxc', cpuNow() - checkerStarted, 0, undefined, undefined);

// Until the engines are compiled to the end, other threads of this process use processor time too.
for (let round = 0; round < WARM_UP; round++) {
  for (const [text, language] of [
    [pythonText, 'python'],
    [javascriptText, 'javascript'],
  ] as const) {
    parser.names(text, language);
    checker.check(text, language);
  }
}
const astParse = pythonAst();
compare(
  'outline',
  'python',
  pythonText,
  () => parser.outline(pythonText, 'python'),
  'ast.parse',
  () => astParse,
);
compare(
  'tokens',
  'python',
  pythonText,
  () => parser.tokens(pythonText, 'python'),
  'ast.parse',
  () => astParse,
);
compare(
  'names',
  'python',
  pythonText,
  () => parser.names(pythonText, 'python'),
  'ast.parse',
  () => astParse,
);
compare(
  'check',
  'python',
  pythonText,
  () => checker.check(pythonText, 'python'),
  'ast.parse',
  () => astParse,
);
for (const [language, text, lang] of [
  ['javascript', javascriptText, 'js'],
  ['typescript', typescriptText, 'dts'],
] as const) {
  const typescript = () =>
    ts.createSourceFile(`a.${language === 'javascript' ? 'js' : 'ts'}`, text, ts.ScriptTarget.Latest, true);
  const oxc = () => parseSync('a', text, { lang, sourceType: 'module', showSemanticErrors: true }).program;
  const path = language === 'typescript' ? 'a.d.ts' : 'a.mjs';
  compare('outline', language, text, () => parser.outline(text, language), 'typescript', timed(typescript));
  compare('tokens', language, text, () => parser.tokens(text, language), 'typescript', timed(typescript));
  compare('names', language, text, () => parser.names(text, language), 'typescript', timed(typescript));
  compare('check', language, text, () => checker.check(text, language, { path }), 'oxc', timed(oxc));
}

/** Processor time of this process in milliseconds: other work on the machine does not count. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The best of some rounds, after one to warm up; another text in between, since a parser keeps the last tree. */
function timed(run: () => unknown): () => number {
  return () => {
    run();
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      for (const language of parser.languages) parser.outline('', language);
      checker.check('', 'python');
      checker.check('', 'javascript');
      const start = cpuNow();
      run();
      best = Math.min(best, cpuNow() - start);
    }
    return best;
  };
}

function compare(
  work: string,
  language: string,
  text: string,
  ours: () => unknown,
  peer: string,
  peerMs: () => number,
): void {
  row(`${work} ${language}`, timed(ours)(), text.length, peer, peerMs());
}

function row(work: string, ms: number, characters: number, peer: string | undefined, peerMs: number | undefined): void {
  const round = (value: number) => Math.round(value * 10) / 10;
  const compared = peerMs === undefined ? {} : { peer, peer_ms: round(peerMs), ratio: round(ms / peerMs) };
  console.log(
    JSON.stringify({
      work,
      ...(characters > 0 ? { kb: Math.round(characters / 1024) } : {}),
      ours_ms: round(ms),
      ...compared,
    }),
  );
}

/** `ast.parse` in its own process, by its own clock. */
function pythonAst(): number {
  const code = `import ast, sys, time
text = open(sys.argv[1], encoding='utf-8').read()
best = 1e9
for _ in range(${ROUNDS + 1}):
    start = time.process_time(); ast.parse(text); best = min(best, time.process_time() - start)
print(best * 1000)`;
  return Number(spawnSync('python3', ['-c', code, python], { encoding: 'utf8' }).stdout);
}
