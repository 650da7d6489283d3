// Generated programs, the same ones each time: plain and probed they log the same, the events tell the same story as the log,
// and a caller that is told is the statement that made the call.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createProbeInjector, type ProbeEvent, type ProbeSpec, readProbeEvents } from '../src/index.ts';
import { planEverything } from './plan-everything.ts';

const AGENT = '../agents/node/node-probes.mjs';
const PROGRAMS = 40;
const folder = mkdtempSync(join(tmpdir(), 'h-agents-programs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Kind = 'sync' | 'generator' | 'async' | 'stream';
interface Place {
  readonly kind: Kind;
  readonly depth: number;
  /** Loops around, by label. */
  readonly loops: readonly string[];
}

/** One program of a seed. Statements whose line ends in `// unplanned` get no probe. */
function programOf(seed: number): string {
  let state = seed * 2654435761;
  const pick = (below: number) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
  let ids = 0;
  const id = () => {
    ids += 1;
    return ids;
  };
  const kinds: Kind[] = ['sync', 'sync', 'generator', 'async', 'stream', 'sync'];
  const call = ({ kind }: Place): string => {
    const waits = kind === 'async' || kind === 'stream';
    const target = pick(kinds.length);
    const made = `f${target}(${id()}, fuel - 1)`;
    switch (kinds[target]) {
      case 'async':
        return waits ? `v += await ${made}` : `void ${made}.catch(() => {})`;
      case 'generator':
        return pick(2) ? `v += [...${made}].length` : `for (const y of ${made}) { v += y; if (y > ${pick(4)}) break }`;
      case 'stream':
        return waits ? `for await (const y of ${made}) { v += y }` : `log(typeof ${made}.next)`;
      default:
        return pick(2) ? `v += ${made}` : `v += [1].map(() => ${made})[0]`;
    }
  };
  const simple = (place: Place): string => {
    const { kind, loops } = place;
    const choice = pick(13);
    if (choice < 3) return `log('#${id()}')`;
    if (choice < 5) return call(place);
    if (choice === 5) return `v += ${pick(5)}`;
    if (choice === 6 && loops.length > 0)
      return pick(2)
        ? `if (v % 3 === ${pick(3)}) continue ${loops[pick(loops.length)]}`
        : `if (v % 5 === 1) break ${pick(2) ? '' : loops[pick(loops.length)]}`;
    if (choice === 7) return `if (v % 4 === ${pick(4)}) return v`;
    if (choice === 8) return `if (v % 7 === ${pick(7)}) throw new Error('${id()}')`;
    if (choice === 9 && kind !== 'sync') return kind === 'async' ? `v += await ${pick(9)}` : `yield v`;
    if (choice === 10 && kind === 'stream') return `await null`;
    return pick(2) ? `{ const c = v; keep(() => c) }` : `late(() => tdz${pick(3)})`;
  };
  const block = (place: Place) => `{ ${statements(place, 1 + pick(3))} }`;
  const body = (place: Place) => (pick(3) === 0 ? `log('#${id()}');` : block(place));
  const statement = (place: Place): string => {
    const inner = { ...place, depth: place.depth - 1 };
    if (place.depth === 0) return simple(place);
    const label = `l${id()}`;
    const looped = { ...inner, loops: [...place.loops, label] };
    switch (pick(11)) {
      case 0:
        return `if (v % 2 === ${pick(2)}) ${body(inner)}${pick(2) ? ` else ${body(inner)}` : ''}`;
      case 1:
        return `${label}: for (let i = 0; i < ${pick(4)}; i++) ${body(looped)}`;
      case 2:
        return `${label}: for (const x of [1, 2, 3]) ${body(looped)}`;
      case 3:
        return `var w${label} = 0; ${label}: while (w${label}++ < ${pick(4)}) ${body(looped)}`;
      case 4:
        return `var d${label} = 0; ${label}: do ${body(looped)} while (d${label}++ < ${pick(3)})`;
      case 5:
        return `switch (v % 3) { case 0: log('#${id()}'); case 1: ${simple(inner)}; ${pick(2) ? 'break;' : ''} default: ${simple(inner)} }`;
      case 6:
        return `try ${block(inner)} catch${pick(2) ? ' (e)' : ''} ${block(inner)}${pick(2) ? ` finally ${pick(3) ? `{ log('#${id()}') }` : block(inner)}` : ''}`;
      case 7:
        return `try ${block(inner)} finally { log('#${id()}') }`;
      default:
        return simple(place);
    }
  };
  function statements(place: Place, count: number): string {
    return Array.from(
      { length: count },
      () => `${statement(place)}\n${pick(6) ? '' : `log('u${id()}') // unplanned\n`}`,
    ).join('');
  }
  const functions = kinds.map((kind, index) => {
    const head = { sync: 'function ', generator: 'function* ', async: 'async function ', stream: 'async function* ' }[
      kind
    ];
    const inner = pick(3) === 0 ? `function helper(site) { return site }\nlog(helper(${id()}))\n` : '';
    return `${head}f${index}(site, fuel) {\nif (fuel < 0) return 0\nlet v = site\n${inner}${statements({ kind, depth: 2, loops: [] }, 4)}return v\n}\n`;
  });
  const start = `v += f0(${id()}, 2); v += f${pick(2)}(${id()}, 1)`;
  return `${pick(2) ? "'use strict'\n" : ''}${functions.join('')}async function main() { let v = 0; try { ${start} } catch (e) { log(e.message) }
try { v += await f3(${id()}, 2) } catch (e) { log(e.message) }\nlog([...f2(${id()}, 1)].length); return v }
let tdz0 = 0; let tdz1 = 1\nreturn main().catch((e) => log(e.message))\nlet tdz2 = 2\n`;
}

async function logOf(text: string): Promise<unknown[]> {
  const seen: unknown[] = [];
  const log = (what: unknown) => {
    if (seen.length > 20_000) process.exit(9); // a program without end
    seen.push(what);
  };
  const late = (read: () => unknown) => {
    try {
      log(read());
    } catch (error) {
      log((error as Error).name);
    }
  };
  const kept: (() => unknown)[] = [];
  const run = new Function('log', 'late', 'keep', text) as (...given: unknown[]) => Promise<unknown>;
  seen.push(await run(log, late, (read: () => unknown) => kept.push(read)));
  await new Promise((done) => setTimeout(done));
  return [...seen, ...kept.map((read) => read())];
}

describe('generated programs', () => {
  it('log the same with every statement probed, and the events tell it', async () => {
    const { inject } = await createProbeInjector();
    const programs = Array.from({ length: PROGRAMS }, (_, seed) => {
      const text = programOf(seed + 1);
      const unplanned = (at: number) => text.slice(at, text.indexOf('\n', at)).endsWith('// unplanned');
      const probes = planEverything(text, 'a.cjs', seed * 1000).filter(({ start = 0 }) => !unplanned(start));
      const result = inject(text, 'javascript', { path: 'a.cjs', probes });
      if ('skipped' in result) throw new Error(`${result.skipped}\n${text}`);
      return { text, probed: result.text, probes };
    });
    const files = programs.map(({ probes }, index) => ({ file: `${index}.cjs`, probes }));
    const table = { protocol: 1, max_bytes: 2 ** 30, max_events: 2 ** 30, files };
    writeFileSync(join(folder, 'probe-table.json'), JSON.stringify(table));
    const logs: unknown[][] = [];
    for (const { text, probed } of programs) {
      const plain = await logOf(text);
      expect(await logOf(probed), 'no runtime').toEqual(plain);
      logs.push(plain);
    }
    const { startProbes } = (await import(AGENT)) as {
      startProbes: (folder: string) => { test(id: string): void; flush(): void } | undefined;
    };
    const probes = startProbes(folder);
    for (const [index, { probed }] of programs.entries()) {
      probes?.test(`${index}`);
      expect(await logOf(probed), `program ${index + 1}`).toEqual(logs[index]);
    }
    probes?.flush();
    const reading = readProbeEvents(readFileSync(join(folder, 'probe-events.ndjson'), 'utf8'));
    expect([reading.notes, reading.truncated]).toEqual([[], false]);
    let callers = 0;
    for (const [index, { text, probes: planned }] of programs.entries()) {
      const events = reading.events.filter(({ test }) => test === `${index}`);
      callers += checkStory(text, planned, events, reading.events, logs[index] ?? []);
    }
    expect(callers).toBeGreaterThan(500);
  });
});

/** Every logged number of a planned statement has its event, in order; callers hold the call. Gives how many callers were told. */
function checkStory(
  text: string,
  planned: ProbeSpec[],
  events: ProbeEvent[],
  all: ProbeEvent[],
  logged: unknown[],
): number {
  const sourceOf = new Map(
    planned.map(({ n, start = 0, role }) => [n, { role, source: text.slice(start, text.indexOf('\n', start)) }]),
  );
  const spoken = events.flatMap(({ n }) => /^log\('(#\d+)'\)/.exec(sourceOf.get(n)?.source ?? '')?.[1] ?? []);
  expect(spoken).toEqual(logged.filter((what) => typeof what === 'string' && what.startsWith('#')));
  let callers = 0;
  for (const { n, after, caller } of events) {
    if (caller === undefined || sourceOf.get(n)?.role !== 'entry' || after?.site === undefined) continue;
    callers += 1;
    const calling = sourceOf.get(all[caller]?.n ?? -1)?.source ?? '';
    expect(
      calling.includes(`(${after.site.text}, `) || calling.includes(`(${after.site.text})`),
      `${calling} called with ${after.site.text}\n${text}`,
    ).toBe(true);
  }
  for (const { frame, caller } of events) if (caller !== undefined) expect(all[caller]?.frame).not.toBe(frame);
  return callers;
}
