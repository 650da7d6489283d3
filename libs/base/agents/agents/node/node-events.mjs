// The plan H gave for this run, and the one way out: NDJSON events, appended line by line. Everything needed later is
// bound at import, before the target can replace or fake it.
import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROTOCOL = 1;
const HELD = Symbol.for('h.agent.plan');
const now = performance.now.bind(performance);
const used = process.cpuUsage.bind(process);
const { stringify } = JSON;
const { node } = process.versions;
const { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } = fs;
const toBytes = Buffer.from.bind(Buffer);
/** Where a process that watches another leaves the plan for it. */
const CHILD_PLAN = 'child-plan.json';
const IN_FILE = 'file';

/** The plan. `take` also removes it from the environment, so that the target never sees it; workers of a process share it. */
export function readPlan({ take }) {
  const held = process[HELD];
  if (held !== undefined) return held;
  let text = process.env.H_AGENT_PLAN ?? '{}';
  for (let part = 1; process.env[`H_AGENT_PLAN_${part}`] !== undefined; part += 1)
    text += process.env[`H_AGENT_PLAN_${part}`];
  if (text === IN_FILE) text = readFileSync(new URL(`./${CHILD_PLAN}`, import.meta.url), 'utf8');
  const plan = JSON.parse(text);
  // this file lies in <cwd>/.h-agent
  plan.cwd_path = dirname(dirname(fileURLToPath(import.meta.url)));
  plan.root_path = resolve(plan.cwd_path, plan.root ?? '.');
  plan.report_path = join(plan.root_path, plan.report ?? '.h-agent/report.ndjson');
  plan.map_path = join(plan.cwd_path, '.h-agent/coverage-map.json');
  if (take) {
    Object.defineProperty(process, HELD, { value: plan, configurable: true });
    for (const name of Object.keys(process.env)) if (/^H_AGENT_PLAN(?:_\d+)?$/.test(name)) delete process.env[name];
  }
  return plan;
}

/** The environment of a process that is to read this plan: it may be longer than a variable can be. */
export function passPlan(plan, env) {
  const { cwd_path: _, root_path: _1, report_path: _2, map_path: _3, ...told } = plan;
  writeFileSync(new URL(`./${CHILD_PLAN}`, import.meta.url), stringify(told));
  const others = Object.entries(env).filter(([name]) => !/^H_AGENT_PLAN(?:_\d+)?$/.test(name));
  return { ...Object.fromEntries(others), H_AGENT_PLAN: IN_FILE };
}

/**
 * A function that appends one event; each call opens, writes and closes, so that the death of the process loses nothing.
 * The target may replace the functions of `fs`: those that call others of them are not used.
 */
export function createWriter(plan) {
  mkdirSync(dirname(plan.report_path), { recursive: true });
  const meter = plan.is_candidate === true ? createMeter() : () => ({});
  return (event, fields = {}) => {
    const bytes = toBytes(`${stringify({ ...fields, ...meter(event, fields.test), event })}\n`);
    const file = openSync(plan.report_path, 'a');
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    } finally {
      closeSync(file);
    }
  };
}

/** The first event of a run. The version is the runner's own; Node's where Node is the runner. */
export function tellStart(emit, plan, runner, version = node) {
  emit('run-start', {
    protocol: PROTOCOL,
    runner,
    runner_version: String(version),
    language: 'node',
    language_version: node,
    mode: plan.mode ?? 'run',
    coverage: plan.coverage === true,
  });
}

/** Tells how long a test has worked, which is the measure for those of other candidates. */
function createMeter() {
  const began = new Map();
  return (event, test) => {
    if (event === 'test-start') began.set(test, used());
    if (event !== 'test-end' || !began.has(test)) return {};
    return { work_ms: (used(began.get(test)).user + used(began.get(test)).system) / 1000 };
  };
}

/** A function: absolute path or file URL → path in the repository with "/", or undefined when it is not in it. */
export function relativePath(plan) {
  const prefix = `${plan.root_path.replace(/\/+$/, '')}/`;
  return (path) => {
    const plain = (path.startsWith('file://') ? decodeURI(path.slice(7)) : path).replace(/[?#].*$/, '');
    if (!plain.startsWith(prefix)) return undefined;
    const inside = plain.slice(prefix.length);
    return /(?:^|\/)(?:node_modules|\.h-agent)\//.test(inside) ? undefined : inside;
  };
}

export const clock = now;

export function milliseconds(since) {
  return Math.round((now() - since) * 1000) / 1000;
}
