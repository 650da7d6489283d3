// Inside vitest's main process (3 and later): stays after its run, and runs the same test files again for each candidate, each in fresh
// processes as ever. What stays is vitest itself, its configuration, and what it has transformed of files that do not change.
import { join } from 'node:path';

/** Why a vitest cannot stay; undefined where it can. */
function whyNot(vitest) {
  const needed = [
    vitest.runTestSpecifications,
    vitest.invalidateFile,
    vitest.close,
    vitest.cache?.results?.updateResults,
  ];
  if (needed.some((one) => typeof one !== 'function')) return 'this vitest is too old to stay';
  for (const { config } of vitest.projects) {
    if (config.pool !== 'forks' || config.isolate === false || config.poolOptions?.forks?.isolate === false)
      return 'the tests of a file have no process of their own';
    if ([config.globalSetup ?? []].flat().length > 0) return 'a global setup runs once for all';
    if (config.browser?.enabled) return 'the tests run in a browser';
  }
  return undefined;
}

/** `begin` starts the telling of another run. */
export function keepServing(vitest, plan, begin) {
  const why = whyNot(vitest);
  if (why === undefined) {
    // the order of files must not depend on how they ended for another candidate
    vitest.cache.results.updateResults = () => {};
    vitest.cache.results.writeToCache = async () => {};
  }
  const { close } = vitest;
  let specifications = [];
  vitest.close = async (...args) => {
    vitest.close = close;
    const configs = vitest.projects.flatMap(({ vite, config }) => [
      vite?.config?.configFile,
      ...(vite?.config?.configFileDependencies ?? []),
      ...[config.snapshotEnvironment ?? []].flat(),
    ]);
    process.send({ ended: true, why, configs: configs.filter((one) => typeof one === 'string') });
    if (why === undefined) await serve();
    return Reflect.apply(close, vitest, args);
  };

  async function serve() {
    for await (const { quit, files } of messages()) {
      if (quit) return;
      for (const file of files) vitest.invalidateFile(join(plan.root_path, file));
      process.exitCode = undefined;
      begin();
      let failed;
      try {
        await vitest.runTestSpecifications(specifications, true);
      } catch (error) {
        failed = String(error);
      }
      process.send({ ended: true, failed });
    }
  }

  return (given) => {
    specifications = given;
  };
}

async function* messages() {
  const waiting = [];
  let wake = () => {};
  process.on('message', (message) => {
    waiting.push(message);
    wake();
  });
  process.on('disconnect', () => {
    waiting.push({ quit: true });
    wake();
  });
  for (;;) {
    while (waiting.length > 0) yield waiting.shift();
    await new Promise((resolve) => {
      wake = resolve;
    });
  }
}
