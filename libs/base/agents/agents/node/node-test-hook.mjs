// Loaded before a test file, in its process: takes H's own traces away and puts H's copy of node:test in place.
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) await start();

async function start() {
  process.env.H_AGENT_PLAN = readFileSync(new URL('./node-test-plan.json', import.meta.url), 'utf8');
  const own = process.execArgv.findIndex((part) => part.includes('node-test-hook.mjs'));
  process.execArgv.splice(own - 1, 6); // what the target forks must not start it again
  const { freeze, openNode, rejections, tellExit, tellStray } = await import('./node-test-record.mjs');
  const { currentNode, wrapModule } = await import('./node-test-wrap.mjs');
  await import('./node-test-reporter.mjs');
  process.on('exit', tellExit);
  process.on('uncaughtExceptionMonitor', (error) => {
    const node = currentNode();
    if (node === undefined || node.suite || node.ended) tellStray(error);
    else freeze(node);
  });
  // node:test gives up a test for a rejection that nobody handles; before it is there, the process ends for one
  const watchRejections = () =>
    process.prependListener('unhandledRejection', (error) => {
      rejections.add(error);
      const node = openNode();
      if (node !== undefined) freeze(node);
    });
  await replace(wrapModule(createRequire(import.meta.url)('node:test'), asChild(watchRejections)));
}

/** The target sees that it runs under `node --test`; node:test itself must not, or it would not use our reporter. */
function asChild(onStart) {
  const VALUE = 'child-v8';
  process.env.NODE_TEST_CONTEXT = VALUE;
  let started = false;
  return (run) => {
    if (started) return run();
    started = true;
    delete process.env.NODE_TEST_CONTEXT;
    try {
      return run();
    } finally {
      process.env.NODE_TEST_CONTEXT = VALUE;
      onStart();
    }
  };
}

async function replace(copy) {
  const HELD = Symbol.for('h.agent.node-test');
  Object.defineProperty(process, HELD, { value: copy, configurable: true });
  const load = Module._load;
  Module._load = function (request, ...rest) {
    return request === 'node:test' ? copy : Reflect.apply(load, this, [request, ...rest]);
  };
  const names = Object.keys(copy);
  const loader = new URL('./node-test-loader.mjs', import.meta.url);
  // Node 22 has hooks in the same thread too, but with them `require('node:test')` fails there
  if (Number.parseInt(process.versions.node, 10) < 24 || Module.registerHooks === undefined)
    Module.register(loader, { data: { names } });
  else {
    const hooks = await import(loader);
    hooks.initialize({ names });
    Module.registerHooks({ load: hooks.load, resolve: hooks.resolve });
  }
}
