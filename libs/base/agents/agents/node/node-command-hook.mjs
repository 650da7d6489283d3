// Loaded before a program that Node runs: takes its own traces away, and reports what the program executed. How it ended
// is told by the process itself.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { startCoverage } from './node-coverage.mjs';
import { clock, createWriter, milliseconds, readPlan, relativePath, tellStart } from './node-events.mjs';
import { createDescriber, operandsOf, partsOf } from './node-failure.mjs';
import { startProbes } from './node-probes.mjs';

if (isMainThread && process.env.H_AGENT_PLAN !== undefined) start();

function start() {
  const plan = readPlan({ take: true });
  const own = process.execArgv.findIndex((part) => part.includes('node-command-hook.mjs'));
  process.execArgv.splice(own - 1, 2); // what the target forks must not start it again
  const emit = createWriter(plan);
  const test = { test: plan.command.label, file: plan.command.file };
  tellStart(emit, plan, 'command');
  emit('test-start', test);
  const tell = createTeller(plan, emit, test);
  if (plan.coverage !== true) startProbes(dirname(fileURLToPath(import.meta.url)))?.test(test.test);
  process.on('uncaughtExceptionMonitor', tell.fail);
  process.on('exit', (code) => {
    tell.end(code);
    emit('run-end');
  });
  // a program that is ended by its limit tells nothing more
  if (plan.coverage === true && plan.test_timeout_ms !== undefined) setTimeout(tell.early, tell.earlyMs + 2).unref();
}

function createTeller(plan, emit, test) {
  const began = clock();
  const earlyMs = (plan.test_timeout_ms ?? Number.POSITIVE_INFINITY) * 0.75; // starting takes its part
  let isTold = false;
  const early = () => {
    if (isTold || milliseconds(began) < earlyMs) return;
    isTold = true;
    tell.end(0);
  };
  const tick = plan.test_timeout_ms === undefined ? undefined : early;
  const coverage = plan.coverage === true ? startCoverage(plan.map_path, tick) : undefined;
  const describe = createDescriber(plan.root_path, relativePath(plan));
  const imported = new Set();
  let failure;
  let lastLines;
  const tell = {
    early,
    earlyMs,
    fail(error) {
      failure ??= describe(partsOf(error), operandsOf(error));
      lastLines ??= coverage?.lastLines(0);
    },
    end(code) {
      const fields = { ...test, outcome: code === 0 ? 'passed' : 'failed', duration_ms: milliseconds(began) };
      if (failure !== undefined) fields.failure = failure;
      if (coverage !== undefined) {
        fields.coverage = coverage.lines(coverage.scan(0, imported).filter((number) => !imported.has(number)));
        fields.last_lines = lastLines ?? coverage.lastLines(0);
        if (imported.size > 0) emit('import-coverage', { files: coverage.lines(imported) });
      }
      emit('test-end', fields);
    },
  };
  return tell;
}
