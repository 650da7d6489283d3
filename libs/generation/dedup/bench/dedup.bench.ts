// Candidates that differ from a file in one statement. Each row is one JSON line in CPU milliseconds a candidate (the machine may be
// shared), with hashing the bytes alone in the same run.
import { sha256Hex } from '@h/contracts';
import { createParser, type Parser } from '@h/syntax';
import { type DedupCandidate, deduplicate } from '../src/index.ts';

const CANDIDATES = 40;

const SOURCES: Record<string, (i: number) => string> = {
  'a.py': (i) =>
    i % 5 === 0 ? `def function_${i}(value, limit):` : `    total_${i} = value[${i}] + limit * ${i}  # ${i}`,
  'a.ts': (i) =>
    i % 5 === 0
      ? `function f${i}(value: number[], limit: number) {`
      : i % 5 === 4
        ? '}'
        : `  limit = value[${i}] + limit; // ${i}`,
};

function candidatesFor(path: string, lines: number): DedupCandidate[] {
  const text = Array.from({ length: lines }, (_, i) => SOURCES[path]?.(i)).join('\n');
  return Array.from({ length: CANDIDATES }, (_, i) => ({
    candidate_id: sha256Hex(String(i)),
    files: [{ path, before: text, after: text.replace(/limit;|limit \* 1/, `limit + ${i % 120}`) }],
  }));
}

/** CPU milliseconds a candidate: the least of several rounds. */
function least(run: () => unknown, rounds = 4): number {
  run();
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times) / CANDIDATES;
}

const round = (value: number) => Number(value.toPrecision(3));

function measure(path: string, lines: number, profile: 'tokens' | 'seed', parser: Parser): void {
  const candidates = candidatesFor(path, lines);
  const ours = least(() => deduplicate(candidates, { parser, profile }));
  const hashing = least(() => candidates.map(({ files: [file] }) => sha256Hex(file?.after ?? '')));
  const { kept } = deduplicate(candidates, { parser, profile });
  const work = `${profile}, ${lines} lines of ${path}, ${CANDIDATES} candidates, ${kept.length} kept`;
  console.log(
    JSON.stringify({ work, ours_ms: round(ours), hashing_alone_ms: round(hashing), ratio: round(ours / hashing) }),
  );
}

const parser = await createParser();
for (const path of Object.keys(SOURCES)) measure(path, 100, 'tokens', parser);
measure('a.py', 1000, 'tokens', parser);
measure('a.py', 100, 'seed', parser);
parser.dispose();
