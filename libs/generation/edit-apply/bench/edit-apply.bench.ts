// One 20-line block in files of 5,000 and 100,000 lines. Each row is one JSON line in CPU milliseconds (the machine may be shared), with
// peers in the same run.
import { sha256Hex } from '@h/contracts';
import { applyPatch, createTwoFilesPatch, parsePatch } from 'diff';
import { applyEdits, createGate, type Gate, openSnapshot } from '../src/index.ts';

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

function measure(lines: number, rounds: number, gate?: Gate): void {
  const source = fileOf(lines);
  const at = Math.floor(lines * 0.6);
  const block = source.slice(at, at + 20);
  const changed = block.map((line, i) => (i === 7 ? `${line} + 1` : line));
  const text = `${source.join('\n')}\n`;
  const after = text.replace(block.join('\n'), () => changed.join('\n'));
  const bytes = new TextEncoder().encode(text);
  const [search, replace] = [block.join('\n'), changed.join('\n')];
  const edit = { file: 'a.py', blocks: [{ search, replace }] };
  const damaged = { file: 'a.py', blocks: [{ search: search.replace('limit *', 'limits *'), replace }] };
  const patch = createTwoFilesPatch('a.py', 'a.py', text, after);
  const missing = patch.replace('limit *', 'limits *');
  const opened = openSnapshot({ 'a.py': bytes });
  applyEdits(opened, edit);
  const indexOf = (wanted: string) => {
    const found = text.indexOf(wanted);
    return found < 0 ? undefined : text.slice(0, found) + replace + text.slice(found + wanted.length);
  };
  const jsdiff = (patchText: string) => applyPatch(text, parsePatch(patchText)[0] ?? patchText);
  const hash = () => [sha256Hex(bytes), sha256Hex(bytes)];
  const peers = (wanted: string, patchText: string) => ({
    jsdiff: least(() => jsdiff(patchText), rounds),
    index_of: least(() => indexOf(wanted), rounds),
  });
  const title = (what: string) => `${what}, 20 lines in ${lines.toLocaleString('en')}`;
  report(
    title('exact hit with record, no gate'),
    least(() => applyEdits({ 'a.py': bytes }, edit), rounds),
    {
      ...peers(search, patch),
      both_hashes_alone: least(hash, rounds),
    },
  );
  report(
    title('exact hit with record, no gate, snapshot opened before'),
    least(() => applyEdits(opened, edit), rounds),
    {
      one_hash_alone: least(() => sha256Hex(bytes), rounds),
    },
  );
  report(
    title('miss with the nearest place'),
    least(() => applyEdits(opened, damaged), rounds),
    peers('limits *', missing),
  );
  if (gate === undefined) return;
  report(
    title('exact hit with record and gate'),
    least(() => applyEdits(opened, edit, { gate }), 3),
    {
      gate_alone: least(() => gate.check({ path: 'a.py', before: text, after, lint: true }), 3),
    },
  );
}

/** Twice the size should cost twice the time. */
function growth(what: string, draw: (size: number) => [text: string, search: string], size: number): void {
  const [small, large] = [size, 2 * size].map((length) => {
    const [text, search] = draw(length);
    const bytes = new TextEncoder().encode(text);
    const edit = { file: 'a.txt', blocks: [{ search, replace: 'x' }], candidate_id: '0'.repeat(64) };
    return least(() => applyEdits({ 'a.txt': bytes }, edit), 4);
  });
  const factor = (large ?? 0) / (small ?? 1);
  console.log(
    JSON.stringify({
      work: `${what}, ${size} against ${2 * size} bytes`,
      ours_ms: round(large ?? 0),
      factor: round(factor),
    }),
  );
}

const gate = await createGate(['python']);
measure(5_000, 8, gate);
measure(100_000, 4);
const almost = `${'a'.repeat(2000)}b`;
growth('a refusal in aaaa…', (size) => ['a'.repeat(size), almost], 1_000_000);
growth('an ambiguous match in aaaa…', (size) => ['a'.repeat(size), 'aa'], 1_000_000);
growth(
  'a miss in one long line',
  (size) => ['word = value + 1; '.repeat(size / 18), 'word = value + 2; word = 3'],
  1_000_000,
);
gate.dispose();
