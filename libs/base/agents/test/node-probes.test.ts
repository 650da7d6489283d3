// What the probes of a program record: frames, callers, branches, exceptions, limits. Each program runs in its own process.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createProbeInjector, nodeAgent, type ProbeEvent, type ProbeTable, readProbeEvents } from '../src/index.ts';
import { planEverything, tableOf } from './plan-everything.ts';

const injector = await createProbeInjector();
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Only these functions are probed (by a part of their text), or all. */
interface Options {
  readonly limits?: Partial<ProbeTable>;
  readonly test?: string | undefined;
  readonly name?: string;
  readonly start?: string;
}

function lay(text: string, { limits, test = 'the test', name = 'a.mjs', start }: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'h-agents-probes-'));
  folders.push(folder);
  mkdirSync(join(folder, '.h-agent'));
  for (const file of nodeAgent()) writeFileSync(join(folder, file.path), file.text);
  const probes = planEverything(text, name).filter(({ start: at = 0 }) => !isUnplanned(text, at));
  const result = injector.inject(text, 'javascript', { path: name, probes });
  if ('skipped' in result) throw new Error(result.skipped);
  writeFileSync(join(folder, name), result.text);
  writeFileSync(join(folder, '.h-agent/probe-table.json'), JSON.stringify(tableOf(name, probes, limits)));
  const started = `import { startProbes } from './.h-agent/node-probes.mjs'
const probes = startProbes(new URL('./.h-agent', import.meta.url).pathname)
probes.test(${JSON.stringify(test)})
globalThis.probes = probes\n`;
  writeFileSync(join(folder, 'start.mjs'), start ?? started);
  return { folder, probes, events: join(folder, '.h-agent/probe-events.ndjson') };
}

/** Statements whose line ends with `// unplanned` get no probe. */
function isUnplanned(text: string, at: number): boolean {
  const end = text.indexOf('\n', at);
  return text.slice(at, end === -1 ? text.length : end).endsWith('// unplanned');
}

function record(text: string, options: Options = {}) {
  const { folder, probes, events: path } = lay(text, options);
  const args = ['--import', './start.mjs', options.name ?? 'a.mjs'];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 20_000,
  });
  const reading = readProbeEvents(existsSync(path) ? readFileSync(path, 'utf8') : '');
  const sources = new Map(
    probes.map(({ n, start = 0, role }) => [n, { role, source: text.slice(start, start + 40).split('\n')[0] ?? '' }]),
  );
  const at = (part: string, role?: string) =>
    reading.events.filter(({ n }) => {
      const spec = sources.get(n);
      return spec?.source.startsWith(part) === true && (role === undefined || spec.role === role);
    });
  const callerOf = (event: ProbeEvent | undefined) =>
    event?.caller === undefined ? undefined : sources.get(reading.events[event.caller]?.n ?? -1)?.source;
  return { ...reading, at, callerOf, status, signal, stdout, stderr };
}

const texts = (values: ProbeEvent['before']) =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, { text }]) => [name, text]));

describe('frames', () => {
  it('has one per activation, also of a recursion, and knows the calling statement', () => {
    const { at, callerOf, events } = record(`function fact(n) {
  if (n < 2) return 1
  const rest = fact(n - 1)
  return n * rest
}
function start() { return fact(4) }
start()
`);
    const entries = at('function fact', 'entry');
    expect(entries.map(({ after }) => after?.n?.text)).toEqual(['4', '3', '2', '1']);
    expect(new Set(entries.map(({ frame }) => frame)).size).toBe(4);
    expect(entries.map(callerOf)).toEqual(['return fact(4) }', ...Array(3).fill('const rest = fact(n - 1)')]);
    expect(entries.map(({ caller }) => events[caller ?? -1]?.frame).slice(1)).toEqual(
      entries.map(({ frame }) => frame).slice(0, 3),
    );
    expect(at('return n * rest').map(({ returned }) => returned?.text)).toEqual(['2', '6', '24']);
  });

  it('knows the caller through functions without probes, and none where an exception left some', () => {
    const { at, callerOf } = record(`function leaf(x) { if (x) throw new Error('leaf'); return 1 }
function middle() { leaf(true) }
function plain() { try { middle() } catch { } return leaf(false) } // unplanned
function top() { const a = plain(); return [1].map(() => leaf(false)) }
top()
`);
    expect(at('function leaf', 'entry').map(callerOf)).toEqual(
      ['leaf(true) }', 'const a = plain(); return [1].map(() => l', 'leaf(false)) }'].map((text) => text.slice(0, 40)),
    );
  });

  it('keeps the frame of a generator, and gives no caller to its entry', () => {
    const { at, callerOf } = record(`function leaf(x) { return x }
function* gen(n) { for (let i = 0; i < n; i++) { const got = leaf(i); yield got } }
function use() { const g = gen(2); const first = g.next(); const other = leaf('between'); return [first, other, g.next(), g.next()] }
use()
`);
    const entry = at('function* gen', 'entry');
    expect(entry.map(({ caller }) => caller)).toEqual([undefined]);
    const inside = at('const got');
    expect(inside.map(({ frame }) => frame)).toEqual([entry[0]?.frame, entry[0]?.frame]);
    expect(at('function leaf', 'entry').map(callerOf)).toEqual(
      [
        'const got = leaf(i); yield got } }',
        "const other = leaf('between'); return [f",
        'const got = leaf(i); yield got } }',
      ].map((text) => text.slice(0, 40)),
    );
  });

  it('keeps interleaved async activations apart, and never takes one that waits for a caller', () => {
    const { at, callerOf } = record(`function leaf(x) { return x }
async function work(name) { const a = leaf(name + 1); await null; const b = leaf(name + 2); return [a, b] }
async function both() { const all = await Promise.all([work('A'), work('B')]); return all }
await both(); setTimeout(() => leaf('timer'))
queueMicrotask(() => { leaf('microtask') }); process.nextTick(leaf, 'tick') // unplanned
`);
    const works = at('async function work', 'entry');
    expect(works.map(callerOf)).toEqual(
      Array(2).fill('const all = await Promise.all([work('.padEnd(40, "'A'), work").slice(0, 40)),
    );
    const leaves = at('function leaf', 'entry');
    const byArgument = Object.fromEntries(leaves.map((event) => [event.after?.x?.text, callerOf(event)?.slice(0, 7)]));
    expect(byArgument).toEqual({
      '"A1"': 'const a',
      '"B1"': 'const a',
      '"A2"': 'const b',
      '"B2"': 'const b',
      '"timer"': "leaf('t",
      '"microtask"': undefined,
      '"tick"': undefined,
    });
    const frames = at('const b').map(({ frame }) => frame);
    expect(frames).toEqual(works.map(({ frame }) => frame));
  });

  it('does not guess through what it cannot see: for await, yield*, a rejected await', () => {
    const { at, callerOf } = record(`function leaf(x) { return x }
async function* items() { yield 1 }
async function loop() { for await (const x of items()) { const seen = leaf('loop') } }
function caller() { const p = loop(); const after = leaf('sync'); return p }
await caller()
async function rejected() { try { await Promise.reject(1) } catch { const c = leaf('caught') } finally { leaf('finally') } }
await rejected()
`);
    const byArgument = Object.fromEntries(
      at('function leaf', 'entry').map((event) => [event.after?.x?.text, callerOf(event)?.slice(0, 11)]),
    );
    expect(byArgument).toEqual({
      '"loop"': undefined,
      '"sync"': 'const after',
      '"caught"': 'const c = l',
      '"finally"': "leaf('final",
    });
  });
});

describe('events', () => {
  it('tells each evaluation of a header, and what it decided', () => {
    const { at } = record(`let n = 0
for (let i = 0; i < 2; i++) n += i
for (const x of [5, 6, 7]) { if (x === 5) continue; if (x === 6) break }
while (n < 2) n++
do { n-- } while (n > 0)
switch (n) { case 1: n = 8; case 0: n = 9; default: n = 10 }
switch (n) { case 1: n = 0 }
for (const k in {}) n = k
`);
    const branches = (part: string) => at(part).map(({ branch, completed }) => (completed ? branch : 'not completed'));
    expect(branches('for (let i')).toEqual(['iteration', 'iteration', 'done']);
    expect(at('for (let i').map(({ after }) => after?.i?.text)).toEqual(['0', '1', undefined]);
    expect(branches('for (const x')).toEqual(['iteration', 'iteration']);
    expect(branches('if (x === 5')).toEqual(['true', 'false']);
    expect(branches('while (n < 2')).toEqual(['iteration', 'done']);
    expect(branches('do {')).toEqual(['iteration', 'iteration', 'done']);
    expect(branches('switch (n) { case 1: n = 8')).toEqual(['case 2']);
    expect(branches('switch (n) { case 1: n = 0')).toEqual(['none']);
    expect(branches('for (const k')).toEqual(['done']);
  });

  it('has the values before and after, and nothing for a name that is not initialised', () => {
    const { at } = record(`function f(a) { let b = a + 1; b += a; return later }
let result
try { f(2) } catch (e) { result = e.name }
let later = 5
f(2)
`);
    expect(at('let b').map(({ before, after }) => [texts(before), texts(after)])).toEqual(
      Array(2).fill([
        { a: '2', this: 'undefined' },
        { a: '2', b: '3', this: 'undefined' },
      ]),
    );
    expect(at('b += a').map(({ before, after }) => [texts(before).b, texts(after).b])).toEqual([
      ['3', '5'],
      ['3', '5'],
    ]);
    expect(
      at('return later').map(({ completed, returned, before }) => [completed, returned?.text, texts(before)]),
    ).toEqual([
      [false, undefined, { this: 'undefined' }],
      [true, '5', { later: '5', this: 'undefined' }],
    ]);
    expect(at('result = e.name')[0]?.before?.e?.text).toBe(
      'ReferenceError("Cannot access \'later\' before initialization")',
    );
  });

  it('says what was raised where it is seen', () => {
    const { at, stderr, status } = record(`function thrower(x) { throw { x } }
function caught() { try { thrower(1); never() } catch (e) { return e.x } }
function unseen() { thrower(2) }
caught(); unseen()
`);
    expect(at('throw {').map(({ raised, completed }) => [raised?.text, completed])).toEqual([
      ['{x: 1}', false],
      ['{x: 2}', false],
    ]);
    expect(at('thrower(1)').map(({ raised, completed }) => [raised?.text, completed])).toEqual([['{x: 1}', false]]);
    expect(at('thrower(2)').map(({ raised, completed }) => [raised?.text, completed])).toEqual([[undefined, false]]);
    expect(at('return e.x')[0]?.returned?.text).toBe('1');
    expect([status, stderr.includes('{ x: 2 }')]).toEqual([1, true]);
  });

  it('shows values of that moment, with one serial for an object', () => {
    const { at } = record(`const list = [1]
const same = list
list.push(2)
`);
    const seen = at('const same')[0];
    expect(texts(seen?.after)).toMatchObject({ list: '[1]', same: '[1]' });
    expect(seen?.after?.list?.ref).toBe(seen?.after?.same?.ref);
    expect(at('list.push')[0]?.after?.list).toMatchObject({ text: '[1, 2]', ref: seen?.after?.list?.ref });
  });

  it('carries the test under way', () => {
    const { events } = record('globalThis.probes.test("one")\nlet a = 1\nprobes.test(undefined)\nlet b = 2\n');
    expect(events.map(({ test }) => test)).toEqual(['the test', 'one', 'one', undefined]);
  });
});

describe('the events file', () => {
  it.each([
    ['process.exit', 'function f() { process.exit(3) }\nf()', 3],
    ['an uncaught exception', 'function f() { throw new Error() }\nf()', 1],
    ['abort', 'function f() { process.abort() }\nf()', null],
    ['a signal', 'function f() { process.kill(process.pid, "SIGKILL") }\nf()', null],
    [
      'fs replaced by the target',
      'import fs from "node:fs"\nfs.writeSync = fs.appendFileSync = () => { throw 1 }\nfunction f() { process.exit(3) }\nf()',
      3,
    ],
  ])('survives %s', (_, text, status) => {
    const run = record(text);
    expect(run.status).toBe(status);
    expect(run.at('f()').map(({ completed }) => completed)).toEqual([false]);
    expect(run.at('function f', 'entry')).toHaveLength(1);
    expect(run.notes).toEqual([]);
  });

  it('keeps the first events of many, and says that it is cut', () => {
    const text = 'let sum = 0\nfor (let i = 0; i < 5000; i++) sum += i\nconsole.log(sum)\n';
    const some = record(text, { limits: { max_events: 100 } });
    expect([some.events.length, some.truncated, some.stdout]).toEqual([100, true, '12497500\n']);
    const { folder, events } = lay(text, { limits: { max_bytes: 5000 } });
    execFileSync(process.execPath, ['--import', './start.mjs', 'a.mjs'], { cwd: folder });
    const written = readFileSync(events);
    expect(written.length).toBeLessThanOrEqual(5000);
    expect(written.length).toBeGreaterThan(4800);
    expect(readProbeEvents(written.toString())).toMatchObject({ truncated: true, notes: [] });
    expect(record(text).truncated).toBe(false);
  });

  it('keeps the first and the last hits of each probe beyond the limit, and says what is missing', () => {
    const text =
      'let sum = 0\nlet late\nfor (let i = 0; i < 5000; i++) {\n  sum += i\n  if (i === 4990) late = i\n}\nconsole.log(sum, late)\n';
    const { events, thinned, truncated, notes, stdout, at } = record(text, {
      limits: { max_events: 50, keep: { first: 3, last: 10 } },
    });
    expect([stdout, truncated, notes]).toEqual(['12497500 4990\n', true, []]);
    const sums = at('sum += i').map(({ before }) => Number(before?.i?.text));
    expect(sums.slice(-4)).toEqual([4996, 4997, 4998, 4999]);
    expect(sums.length).toBeGreaterThan(10);
    expect(at('late = i').map(({ before }) => before?.i?.text)).toEqual(['4990']);
    const hits = thinned?.map(({ n, missing }) => missing + events.filter((event) => event.n === n).length);
    expect(hits?.sort()).toEqual([5000, 5000, 5001]);
    expect(events.filter(({ gap }) => gap).length).toBeGreaterThan(0);
    expect(events.every(({ completed }) => completed)).toBe(true);
  });

  it('thins what fills the file, and stays within it', () => {
    const text =
      'let text = "x".repeat(150)\nfor (let i = 0; i < 9000; i++) text = text.slice(1) + "y"\nconsole.log(text.length)\n';
    const { folder, events: path } = lay(text, { limits: { max_bytes: 100_000, keep: { first: 5, last: 20 } } });
    expect(execFileSync(process.execPath, ['--import', './start.mjs', 'a.mjs'], { cwd: folder }).toString()).toBe(
      '150\n',
    );
    const written = readFileSync(path);
    expect(written.length).toBeLessThanOrEqual(100_000);
    const reading = readProbeEvents(written.toString());
    expect(reading).toMatchObject({ truncated: true, notes: [] });
    const last = reading.events
      .filter(({ before }) => before?.i !== undefined)
      .map(({ before }) => Number(before?.i?.text));
    expect(Math.max(...last)).toBeGreaterThanOrEqual(8999);
  });

  it.each([[100_000], [100_160]])('loses no end of a statement where %d bytes are full', (max_bytes) => {
    const text =
      'let text = "x".repeat(150), sum = 0\nfor (let i = 0; i < 3000; i++) {\n  text = text.slice(1) + "y"\n  sum += i\n}\n';
    const { events, thinned, notes } = record(text, { limits: { max_bytes, keep: { first: 5, last: 20 } } });
    expect([notes, events.filter(({ completed }) => !completed)]).toEqual([[], []]);
    const hits = thinned?.map(({ n, missing }) => missing + events.filter((event) => event.n === n).length);
    expect(hits?.sort()).toEqual([3000, 3000, 3001]);
  });

  it('keeps the last hits also where the first ones have no room', () => {
    const text =
      'let text = "x".repeat(150)\nfor (let i = 0; i < 3000; i++) text = text.slice(1) + "y"\nfor (let k = 0; k < 3; k++) text += k\n';
    const { events, thinned, notes, at } = record(text, {
      limits: { max_bytes: 100_000, keep: { first: 1000, last: 5 } },
    });
    expect([notes, events.filter(({ completed }) => !completed)]).toEqual([[], []]);
    expect(events.findLast(({ before }) => before?.i !== undefined)?.before?.i?.text).toMatch(/^(?:2999|3000)$/);
    expect(at('text += k')).toHaveLength(3);
    const hits = thinned?.map(({ n, missing }) => missing + events.filter((event) => event.n === n).length);
    expect(hits?.sort()).toEqual([3000, 3001]);
  });

  it('keeps the end of a hit also where a value has no room among the last ones, and where they were written before', () => {
    const wide =
      'function wide(i) {\n  return Array(20).fill("x".repeat(190) + i)\n}\nfor (let i = 0; i < 400; i++) wide(i)\n';
    const limits = { max_events: 50, max_bytes: 200_000, keep: { first: 3, last: 10 } };
    const { at, events } = record(wide, { limits });
    expect(at('return', 'return').at(-1)?.returned?.text).toMatch(/x399"/);
    expect(events.filter(({ completed }) => !completed)).toEqual([]);
    const text =
      'let sum = 0\nfor (let i = 0; i < 400; i++) {\n  sum += i === 399 ? (globalThis.probes.test(), i) : i\n}\n';
    const late = record(text, { limits });
    expect(late.notes).toEqual([]);
    expect(late.at('sum +=').at(-1)).toMatchObject({ completed: true, after: { sum: { text: '79800' } } });
  });

  it('is written by one process, and says where another one ran tests too', () => {
    const { folder, events } = lay('let a = 1\nawait new Promise((done) => setTimeout(done, 1500))\n');
    const run = () =>
      new Promise<void>((done) => {
        const { spawn } = process.getBuiltinModule('node:child_process');
        spawn(process.execPath, ['--import', './start.mjs', 'a.mjs'], { cwd: folder }).on('exit', () => done());
      });
    return Promise.all([run(), run()]).then(() => {
      const reading = readProbeEvents(readFileSync(events, 'utf8'));
      expect(reading.events).toHaveLength(4);
      expect(reading.notes).toEqual(['a second process ran tests at the same time: its statements are not recorded']);
    });
  });

  it('goes on in a later process', () => {
    const { folder, events } = lay('let a = 1\n');
    for (const _ of [1, 2]) execFileSync(process.execPath, ['--import', './start.mjs', 'a.mjs'], { cwd: folder });
    const reading = readProbeEvents(readFileSync(events, 'utf8'));
    expect(reading.events.map(({ frame }) => frame)).toEqual([0, 1]);
  });

  it('is also written by a process that never ran a test', () => {
    const start = `import { startProbes } from './.h-agent/node-probes.mjs'\nstartProbes(new URL('./.h-agent', import.meta.url).pathname)\n`;
    expect(record('let a = 1\n', { start }).events).toMatchObject([{ completed: true }]);
  });

  it('does not exist without a table', () => {
    const { folder, events } = lay('let a = 1\n', {
      start: `import { startProbes } from './.h-agent/node-probes.mjs'\nconsole.log(startProbes('/nowhere'))\n`,
    });
    const out = execFileSync(process.execPath, ['--import', './start.mjs', 'a.mjs'], { cwd: folder, encoding: 'utf8' });
    expect([out, existsSync(events)]).toEqual(['undefined\n', false]);
  });
});
