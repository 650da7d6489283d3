// One 20-line block in files of 5,000 and 100,000 lines. Each row is one JSON line in CPU milliseconds (the machine may be shared), with
// peers in the same run.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '@h/contracts';
import { applyPatch, createTwoFilesPatch, parsePatch } from 'diff';
import DiffMatchPatch from 'diff-match-patch';
import { applyEdits, createGate, type FileEdit, type Gate, openSnapshot } from '../src/index.ts';

function fileOf(lines: number): string[] {
  return Array.from({ length: lines }, (_, i) =>
    i % 5 === 0 ? `def function_${i}(value, limit):` : `    total_${i} = value[${i % 97}] + limit * ${i % 13}`,
  );
}

/** CPU milliseconds of one call: the least of several rounds, each long enough to be measured. */
function least(run: () => unknown, rounds: number): number {
  const calls = Math.max(1, Math.ceil(5 / cpuMs(run, 8)));
  return Math.min(...Array.from({ length: rounds }, () => cpuMs(run, calls)));
}

function cpuMs(run: () => unknown, calls: number): number {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

const round = (value: number) => Number(value.toPrecision(3));
function report(work: string, ours: number, peers: Record<string, number>): void {
  const [first = 0] = Object.values(peers);
  const shown = Object.fromEntries(Object.entries(peers).map(([name, ms]) => [`${name}_ms`, round(ms)]));
  console.log(JSON.stringify({ work, ours_ms: round(ours), ...shown, ratio: round(ours / first) }));
}

interface Case {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly edit: FileEdit;
  readonly damaged: FileEdit;
  readonly after: string;
  readonly patch: string;
}

function caseOf(lines: number): Case {
  const source = fileOf(lines);
  const at = Math.floor(lines * 0.6);
  const block = source.slice(at, at + 20);
  const changed = block.map((line, i) => (i === 7 ? `${line} + 1` : line));
  const text = `${source.join('\n')}\n`;
  const after = text.replace(block.join('\n'), () => changed.join('\n'));
  const [search, replace] = [block.join('\n'), changed.join('\n')];
  return {
    text,
    bytes: new TextEncoder().encode(text),
    edit: { file: 'a.py', blocks: [{ search, replace }] },
    damaged: { file: 'a.py', blocks: [{ search: search.replace('limit *', 'limits *'), replace }] },
    after,
    patch: createTwoFilesPatch('a.py', 'a.py', text, after, undefined, undefined, { context: 10 }),
  };
}

function measure(lines: number, rounds: number, gate?: Gate): void {
  const { text, bytes, edit, damaged, after, patch } = caseOf(lines);
  const title = (what: string) => `${what}, 20 lines in ${lines.toLocaleString('en')}`;
  const hash = (of: Uint8Array) => createHash('sha256').update(of).digest('hex');
  const bytesAfter = new TextEncoder().encode(after);
  const missing = patch.replace('limit *', 'limits *');
  const record = (options = {}) => {
    const result = applyEdits({ 'a.py': bytes }, edit, options);
    return result.status === 'applied' ? result.record : undefined;
  };
  report(
    title('exact hit: the new bytes'),
    least(() => applyEdits({ 'a.py': bytes }, edit), rounds),
    peers(text, patch, edit, rounds),
  );
  const opened = openSnapshot({ 'a.py': bytes });
  report(
    title('exact hit: the new bytes, snapshot opened before'),
    least(() => applyEdits(opened, edit), rounds),
    {
      jsdiff: least(() => applyPatch(text, parsePatch(patch)[0] ?? patch), rounds),
    },
  );
  report(
    title('exact hit with record'),
    least(() => record(), rounds),
    {
      both_hashes_alone: least(() => [sha256Hex(bytes), sha256Hex(bytesAfter)], rounds),
    },
  );
  report(
    title('exact hit with record, Node hashes'),
    least(() => record({ sha256: hash }), rounds),
    {
      both_hashes_alone: least(() => [hash(bytes), hash(bytesAfter)], rounds),
    },
  );
  report(
    title('miss with the nearest place'),
    least(() => applyEdits({ 'a.py': bytes }, damaged), rounds),
    {
      jsdiff: least(() => applyPatch(text, parsePatch(missing)[0] ?? missing), rounds),
    },
  );
  if (gate === undefined) return;
  report(
    title('exact hit with gate'),
    least(() => applyEdits(opened, edit, { gate }), 3),
    {
      gate_alone: least(() => gate.check({ path: 'a.py', before: text, after, lint: true }), 3),
    },
  );
}

function peers(text: string, patch: string, { blocks = [] }: FileEdit, rounds: number): Record<string, number> {
  const [{ search, replace } = { search: '', replace: '' }] = blocks;
  const dmp = new DiffMatchPatch();
  const dmpPatches = dmp.patch_make(
    text,
    text.replace(search, () => replace),
  );
  return {
    jsdiff: least(() => applyPatch(text, parsePatch(patch)[0] ?? patch), rounds),
    diff_match_patch: least(() => dmp.patch_apply(dmpPatches, text), Math.min(rounds, 3)),
    index_of: least(() => {
      const found = text.indexOf(search);
      return text.slice(0, found) + replace + text.slice(found + search.length);
    }, rounds),
    ...processes(text, patch),
  };
}

/** Wall milliseconds of the tools, process start included: the best of five. */
function processes(text: string, patch: string): Record<string, number> {
  const folder = mkdtempSync(join(tmpdir(), 'h-bench-'));
  writeFileSync(join(folder, 'a.diff'), patch);
  const run = (...command: [string, ...string[]]): number => {
    const [program, ...args] = command;
    const times = Array.from({ length: 5 }, () => {
      writeFileSync(join(folder, 'a.py'), text);
      const before = performance.now();
      const { status } = spawnSync(program, args, { cwd: folder });
      return status === 0 ? performance.now() - before : Number.NaN;
    });
    return Math.min(...times);
  };
  try {
    return {
      git_apply_process: run('git', 'apply', '-p0', 'a.diff'),
      patch_process: run('patch', '-p0', '--silent', '-i', 'a.diff'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Twice the size should cost twice the time. Small and large take turns, so that load weighs on both. */
function growth(what: string, draw: (size: number) => [text: string, search: string], size: number): void {
  const runs = [size, 2 * size].map((length) => {
    const [text, search] = draw(length);
    const bytes = new TextEncoder().encode(text);
    return () => applyEdits({ 'a.txt': bytes }, { file: 'a.txt', blocks: [{ search, replace: 'x' }] });
  });
  const [small, large] = [0, 1].map(() => Number.POSITIVE_INFINITY) as [number, number];
  const best = [small, large];
  for (let turn = 0; turn < 5; turn++)
    for (const [i, run] of runs.entries()) best[i] = Math.min(best[i] ?? 0, cpuMs(run, 4));
  const work = `${what}, ${size} against ${2 * size} bytes`;
  console.log(JSON.stringify({ work, ours_ms: round(best[1] ?? 0), factor: round((best[1] ?? 0) / (best[0] ?? 1)) }));
}

const gate = await createGate(['python']);
measure(5_000, 8, gate);
measure(100_000, 8);
const almost = `${'a'.repeat(2000)}b`;
growth('a refusal in aaaa…', (size) => ['a'.repeat(size), almost], 1_000_000);
growth('an ambiguous match in aaaa…', (size) => ['a'.repeat(size), 'aa'], 1_000_000);
growth(
  'a miss in one long line',
  (size) => ['word = value + 1; '.repeat(size / 18), 'word = value + 2; word = 3'],
  1_000_000,
);
gate.dispose();
