// npm run check:dedup [-- --limit n]: deduplicates generated candidates of the fixtures and the adversarial pairs on every rung and
// asks compilers about each merge. Last line: {"pairs", "merges", "false_merges"}; exit 1 for a false merge.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { memoryArtifacts } from '@h/contracts';
import { createSandbox, defaultPolicy, discoverPython } from '@h/sandbox';
import { createParser, type Language, languageOf } from '@h/syntax';
import { type CompiledForms, compilePython, type DedupCandidate, deduplicate } from '../src/index.ts';
import { lexWhole } from '../src/read-program.ts';
import { relexChange } from '../src/relex-change.ts';
import { JAVASCRIPT } from '../test/adversarial/javascript.ts';
import { JAVASCRIPT_NAMES, TSX, TYPESCRIPT } from '../test/adversarial/javascript-names.ts';
import { PYTHON as PYTHON_PAIRS } from '../test/adversarial/python.ts';
import { PYTHON_VALUES } from '../test/adversarial/python-values.ts';
import { candidate } from '../test/candidates.ts';
import { judge, PYTHON } from './judge-programs.ts';
import { proposedTexts, variantOf } from './vary-programs.ts';

const root = join(import.meta.dirname, '../../../..');
const at = process.argv.indexOf('--limit');
const limit = at < 0 ? 25 : Number(process.argv[at + 1]);
const parser = await createParser();
const artifacts = memoryArtifacts();
const sandbox = await openSandbox();
const count = { pairs: 0, merges: 0, false_merges: 0 };
const rungs: Record<string, number> = {};
const recall = { equal: 0, merged: 0, relexed: 0, whole: 0, differ: 0 };

for (const path of sourceFiles()) await checkFile(path);
await checkAdversarial();
await sandbox.close();
parser.dispose();
process.stderr.write(`${JSON.stringify({ rungs, recall })}\n`);
console.log(JSON.stringify(count));
process.exitCode = count.false_merges > 0 || recall.differ > 0 || count.merges === 0 ? 1 : 0;

function sourceFiles(): string[] {
  const all = readdirSync(join(root, 'fixtures'), { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile() && languageOf(entry.name) !== undefined)
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .filter((path) => path.includes('/repo/') && !/node_modules|\.d\.ts$|__init__/.test(path))
    .sort();
}

async function checkFile(path: string): Promise<void> {
  const text = readFileSync(join(root, path), 'utf8');
  const language = languageOf(path) as Language;
  const proposed = proposedTexts(path, text, parser, language, limit);
  const varied = proposed.flatMap((one, n) => [
    one,
    variantOf(one, language, parser, n),
    variantOf(text, language, parser, n),
  ]);
  const texts = [...new Set(varied)];
  const candidates = texts.map((one) => candidate(one, path, text, one));
  checkRelexing(text, texts, language);
  const verdicts = judge([...texts, text], language, path);
  const compiled = language === 'python' ? await compile(candidates) : undefined;
  const result = deduplicate(candidates, {
    parser,
    rung: compiled ? 'compiler' : 'names',
    ...(compiled && { compiled }),
  });
  const indexOf = new Map(candidates.map(({ candidate_id }, n) => [candidate_id, n]));
  const merges = [
    ...result.collapsed.map(
      ({ kept, dropped, rung }) => [indexOf.get(kept) ?? -1, indexOf.get(dropped) ?? -1, rung] as const,
    ),
    ...result.no_ops.map(({ candidate_id, rung }) => [texts.length, indexOf.get(candidate_id) ?? -1, rung] as const),
  ];
  count.pairs += (texts.length * (texts.length + 1)) / 2;
  for (const [kept, dropped, rung] of merges) {
    const level =
      rung === 'names' || (rung === 'compiler' && merges.some((one) => one[2] === 'names')) ? 'alpha' : 'strict';
    const [one, other] = [verdicts[kept], verdicts[dropped]];
    rungs[rung] = (rungs[rung] ?? 0) + 1;
    count.merges += 1;
    if (one === undefined || other === undefined ? rung !== 'bytes' && one !== other : one[level] !== other[level]) {
      count.false_merges += 1;
      process.stderr.write(`FALSE ${rung} ${path}\n${firstDifference(texts[kept] ?? text, texts[dropped] ?? '')}\n`);
    }
  }
  countRecall(
    verdicts.map((verdict) => verdict?.alpha),
    result.kept,
    indexOf,
  );
  process.stderr.write(`${path}: ${texts.length} texts, ${merges.length} merges\n`);
}

/** How many texts are, but for the names of locals, the snapshot or an earlier one, and how many were found to be. */
function countRecall(
  digests: readonly (string | undefined)[],
  kept: readonly DedupCandidate[],
  indexOf: ReadonlyMap<string, number>,
): void {
  const valid = digests.filter((digest) => digest !== undefined);
  const keptValid = kept.filter(({ candidate_id }) => digests[indexOf.get(candidate_id) ?? -1] !== undefined);
  recall.equal += valid.length - new Set(valid).size;
  recall.merged += valid.length - 1 - keptValid.length;
}

function checkRelexing(text: string, texts: readonly string[], language: Language): void {
  const base = lexWhole(text, language, parser);
  if (typeof base === 'string') return;
  for (const one of texts) {
    const changed = relexChange(base, one, parser);
    const whole = changed === undefined ? undefined : lexWhole(one, language, parser);
    if (changed === undefined) recall.whole += 1;
    else recall.relexed += 1;
    if (whole !== undefined && typeof whole !== 'string' && changed?.join('\n') !== whole.form.words.join('\n')) {
      recall.differ += 1;
      process.stderr.write(`RELEXED OTHERWISE\n${firstDifference(text, one)}\n`);
    }
  }
}

async function checkAdversarial(): Promise<void> {
  const families = [
    ['f.py', { ...PYTHON_PAIRS, ...PYTHON_VALUES }],
    ['f.js', { ...JAVASCRIPT, ...JAVASCRIPT_NAMES }],
    ['f.tsx', TSX],
    ['f.ts', TYPESCRIPT],
  ] as const;
  for (const [path, ofLanguage] of families) {
    for (const [a, b] of Object.values(ofLanguage).flat()) {
      const pair = [a, b].map((one) => candidate(one, path, 'zz', one.replaceAll('§', '$')));
      const compiled = path === 'f.py' ? await compile(pair) : undefined;
      const { collapsed } = deduplicate(pair, {
        parser,
        rung: compiled ? 'compiler' : 'names',
        ...(compiled && { compiled }),
      });
      count.pairs += 1;
      count.merges += collapsed.length;
      count.false_merges += collapsed.length;
      if (collapsed.length > 0) process.stderr.write(`FALSE ${collapsed[0]?.rung} ${JSON.stringify([a, b])}\n`);
    }
  }
}

function compile(candidates: readonly DedupCandidate[]): Promise<CompiledForms> {
  return compilePython(candidates, { executor: sandbox, artifacts, policy: defaultPolicy(), interpreter: PYTHON });
}

async function openSandbox() {
  const found = await discoverPython([PYTHON]);
  if (!('executable' in found)) throw new Error('this check needs CPython 3.11.7 of pyenv');
  return createSandbox(defaultPolicy(), {
    artifacts,
    readOnlyPaths: [found.prefix, found.base_prefix],
    concurrency: 1,
  });
}

function firstDifference(one: string, other: string): string {
  const [a, b] = [one.split('\n'), other.split('\n')];
  const line = a.findIndex((text, n) => text !== b[n]);
  return `- ${a.slice(line, line + 4).join('\n- ')}\n+ ${b.slice(line, line + 4).join('\n+ ')}`;
}
