// The corpus of programs that do the same every time, and of those that do not: is each told from the other, and by its field?
//   npm run check:determinism -- [--only TEXT] [--at-once 3]
// Last line: {"programs":…,"wrong":…}. Ends with 1 where a verdict is wrong.
import { parseArgs } from 'node:util';
import { memoryArtifacts } from '@h/contracts';
import { createSandbox, defaultPolicy, discoverPython } from '../src/index.ts';
import { type Judge, type Judged, judgeProgram } from './determinism/judge-program.ts';
import { STABLE } from './determinism/stable-programs.ts';
import { UNSTABLE } from './determinism/unstable-programs.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, 'at-once': { type: 'string', default: '3' } },
});
const atOnce = Number(values['at-once']);
const judge = await openJudge();
const begin = performance.now();
const judged = await judgeAll();
await judge.sandbox.close();
report();

async function openJudge(): Promise<Judge> {
  const found = await discoverPython(['python3']);
  if ('reason' in found) throw new Error(`half of the programs are in Python: ${found.reason}`);
  const artifacts = memoryArtifacts();
  const readOnlyPaths = [found.prefix, found.base_prefix, process.execPath];
  const sandbox = await createSandbox(defaultPolicy(), { artifacts, concurrency: atOnce, readOnlyPaths });
  return { sandbox, artifacts, python: found.executable };
}

async function judgeAll(): Promise<Judged[]> {
  const queue = [...UNSTABLE, ...STABLE].filter(({ name }) => name.includes(values.only));
  const done: Judged[] = [];
  const serve = async () => {
    for (let program = queue.shift(); program !== undefined; program = queue.shift()) {
      const one = await judgeProgram(judge, program);
      done.push(one);
      if (one.wrong !== undefined)
        console.error(`wrong: ${program.name}: ${one.wrong}: ${JSON.stringify(one.verdict)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, serve));
  return done;
}

function report(): void {
  const wrong = judged.filter((each) => each.wrong !== undefined);
  const unstable = judged.filter(({ program }) => program.differs !== undefined);
  const named = unstable.filter(({ causeNamed }) => causeNamed);
  const open = unstable.filter(({ program }) => !program.hidden);
  for (const { program, verdict } of unstable.filter(({ causeNamed }) => !causeNamed))
    console.log(
      `cause of "${program.name}", ${program.differs?.cause}, is guessed as ${verdict.likely_cause ?? 'nothing'}`,
    );
  for (const { program, wrong: why } of wrong) console.log(`wrong: ${program.name}: ${why}`);
  console.log(
    `${unstable.length} not deterministic (${unstable.length - open.length} of them only where a condition is varied), ${judged.length - unstable.length} deterministic, on ${judge.sandbox.backend}, ${((performance.now() - begin) / 1000).toFixed(0)} s`,
  );
  const guessed = open.filter(({ causeNamed }) => causeNamed).length;
  console.log(
    `causes named: ${named.length} of ${unstable.length}; of those guessed from two texts ${guessed} of ${open.length}`,
  );
  console.log(JSON.stringify({ programs: judged.length, wrong: wrong.length }));
  process.exitCode = wrong.length > 0 || judged.length === 0 ? 1 : 0;
}
