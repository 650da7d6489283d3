// Candidates that differ from a file of 100 lines in one statement. Each row is one JSON line in CPU milliseconds a candidate (the
// machine may be shared), with a peer or a physical limit in the same run.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '@h/contracts';
import { createParser, type Language } from '@h/syntax';
import { type DedupCandidate, deduplicate, type Rung } from '../src/index.ts';
import { normalizeSeed } from '../src/normalize-seed.ts';

const CANDIDATES = 40;
const PYTHON = join(homedir(), '.pyenv/versions/3.11.7/bin/python');

/** Ten lines of ordinary code, told apart by a number. */
const SOURCES: Record<string, (n: number) => string> = {
  'a.py': (n) => `def total_${n}(rows, limit=None):
    """Sums what is due."""
    total = 0
    for row in rows:
        if limit is not None and row.amount > limit:
            continue  # not due yet
        total += row.amount * ${n}
    return total


`,
  'a.ts': (n) => `export function total${n}(rows: readonly Row[], limit?: number): number {
  let total = 0;
  for (const row of rows) {
    if (limit !== undefined && row.amount > limit) continue; // not due yet
    total += row.amount * ${n};
  }
  return total;
}


`,
};

function textOf(path: string, lines: number): string {
  return Array.from({ length: lines / 10 }, (_, n) => SOURCES[path]?.(n)).join('');
}

function candidatesFor(path: string, lines: number): DedupCandidate[] {
  const text = textOf(path, lines);
  const places = [...text.matchAll(/amount \* /g)];
  return Array.from({ length: CANDIDATES }, (_, n) => {
    const at = (places[n % places.length]?.index ?? 0) + 'amount '.length;
    const after = `${text.slice(0, at)}${['+', '-', '/', '%'][n % 4]} (n + ${n}) ${text.slice(at)}`;
    return { candidate_id: sha256Hex(String(n)), files: [{ path, before: text, after }] };
  });
}

/** CPU milliseconds a candidate: the least of several rounds. */
function least(run: () => unknown, rounds = 7): number {
  for (let round = 0; round < 3; round++) run();
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times) / CANDIDATES;
}

const round = (value: number) => Number(value.toPrecision(3));

function print(work: string, ours: number, peer: string, theirs: number): void {
  console.log(
    JSON.stringify({ work, ours_ms: round(ours), peer, peer_ms: round(theirs), ratio: round(ours / theirs) }),
  );
}

const afterOf = ({ files: [file] }: DedupCandidate) => String(file?.after);
const parser = await createParser();
for (const [path, lines] of [
  ['a.py', 100],
  ['a.ts', 100],
  ['a.py', 1000],
] as const) {
  const candidates = candidatesFor(path, lines);
  const language: Language = path === 'a.py' ? 'python' : 'typescript';
  const hashing = least(() => candidates.map((one) => sha256Hex(afterOf(one))));
  const parsing = least(() => candidates.map((one) => parser.withTree(afterOf(one), language, () => 0)));
  const seed = least(() => candidates.map((one) => normalizeSeed(afterOf(one), language)));
  const at = (rung: Rung) => least(() => deduplicate(candidates, { parser, rung }), lines > 100 ? 2 : 7);
  const cold = least(() => candidates.map(alone).map((one) => deduplicate([one], { parser })), lines > 100 ? 2 : 7);
  const name = `${lines} lines, ${language}`;
  print(`tokens, only the changed statement lexed, ${name}`, at('tokens'), 'hashing the bytes', hashing);
  print(`tokens, lexed whole, ${name}`, cold, 'the parse of tree-sitter alone', parsing);
  if (lines > 100) continue;
  print(`tree, ${name}`, at('tree'), 'the parse of tree-sitter alone', parsing);
  print(`names, ${name}`, at('names'), 'the parse of tree-sitter alone', parsing);
  print(`the rule of the seed, ${name}`, seed, 'hashing the bytes', hashing);
  const cpython = path === 'a.py' ? dumpByPython(candidates.map(afterOf)) : undefined;
  if (cpython !== undefined) print(`tree, ${name}`, at('tree'), 'ast.dump(ast.parse()) of CPython 3.11', cpython);
}
parser.dispose();

/** A candidate without a snapshot to start from. */
function alone({ candidate_id, files: [file] }: DedupCandidate): DedupCandidate {
  return { candidate_id, files: [{ path: file?.path ?? '', after: String(file?.after) }] };
}

/** CPU milliseconds a text in a warm interpreter: the least of five rounds. */
function dumpByPython(texts: readonly string[]): number | undefined {
  if (!existsSync(PYTHON)) return undefined;
  const script = `import ast, json, sys, time
texts = json.load(sys.stdin)
rounds = []
for _ in range(5):
    start = time.process_time()
    for text in texts: hash(ast.dump(ast.parse(text)))
    rounds.append(time.process_time() - start)
print(min(rounds) * 1000 / len(texts))`;
  return Number(execFileSync(PYTHON, ['-c', script], { input: JSON.stringify(texts), encoding: 'utf8' }));
}
