// Processes of Node that the target starts: they get the hook that tells what they executed and read. It is put into the
// environment that Node passes on in C++; the target sees it neither here nor there.
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const hook = new URL('./node-child-hook.mjs', import.meta.url).href;
const { parse, stringify } = JSON;
let count = 0;

/** Changes the options of a start of Node, and gives the file that the process will leave; undefined for other programs. */
export function followChild(options, plan) {
  const name = basename(String(options?.file ?? ''));
  if (plan === undefined || !/^node(?:\.exe)?$/.test(name) || !Array.isArray(options.envPairs)) return undefined;
  count += 1;
  const folder = join(here, 'children');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${process.pid}-${count}.json`);
  const { root, report } = plan;
  const given = options.envPairs.find((pair) => pair.startsWith('NODE_OPTIONS='))?.slice(13);
  const told = { root, report, coverage: true, left: path, ...(given === undefined ? {} : { node_options: given }) };
  const others = options.envPairs.filter((pair) => !/^(?:NODE_OPTIONS|H_AGENT_PLAN)=/.test(pair));
  const nodeOptions = given === undefined || given === '' ? `--import=${hook}` : `${given} --import=${hook}`;
  options.envPairs = [...others, `NODE_OPTIONS=${nodeOptions}`, `H_AGENT_PLAN=${stringify(told)}`];
  return path;
}

/** What a process left: `{ hits, reads }`; undefined while it runs, and where it was killed. */
export function readLeft(path) {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
