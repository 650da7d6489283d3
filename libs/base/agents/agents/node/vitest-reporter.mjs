// vitest reporter (1 to 4). It puts our runner into every project before any worker starts; the runner, which sits in the
// worker, reports the tests. Here is what only the main process knows: the start, errors outside tests, the end.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configGraph, tellGraph } from './node-dependencies.mjs';
import { createWriter, readPlan, relativePath, tellStart } from './node-events.mjs';
import { createDescriber } from './node-failure.mjs';
import { keepServing } from './vitest-serve.mjs';

const plan = readPlan({ take: false });
const emit = createWriter(plan);
const relative = relativePath(plan);
const describe = createDescriber(plan.root_path, relative);
const runner = join(dirname(fileURLToPath(import.meta.url)), 'vitest-runner.mjs');

/** What of the configuration every test depends on, of the whole and of each project. */
function configsOf(vitest) {
  return [vitest, ...vitest.projects].map((project) => ({
    files: [(project.vite ?? project.server)?.config ?? {}].flatMap(({ configFile, configFileDependencies }) =>
      [configFile, ...(configFileDependencies ?? [])].filter((file) => typeof file === 'string'),
    ),
    globalSetup: [project.config.globalSetup ?? []].flat(),
    snapshotPath: typeof project.config.resolveSnapshotPath === 'function',
    environment: project.config.environment,
  }));
}

export default class HReporter {
  onInit(vitest) {
    this.#begin(vitest);
    for (const config of new Set([vitest.config, ...vitest.projects.map((project) => project.config)])) {
      if (config.runner !== undefined && config.runner !== runner)
        emit('note', { message: `The project's own vitest runner was replaced: ${config.runner}` });
      config.runner = runner;
      config.bail = 0;
    }
    this.#follow(vitest.state);
    if (plan.stays === true) this.#take = keepServing(vitest, plan, () => this.#begin(vitest));
    if (plan.coverage === true) tellGraph(emit, () => configGraph(plan, relative, configsOf(vitest)));
  }

  #begin({ version }) {
    this.#ended = false;
    this.#told = new Set();
    tellStart(emit, plan, 'vitest', version ?? 'unknown');
  }

  /** vitest 3 and later. */
  onTestRunStart(specifications) {
    this.#take?.(specifications);
  }

  /** vitest 1 to 3. */
  onFinished(_files, errors) {
    this.#end(errors);
  }

  /** vitest 3 and later. */
  onTestRunEnd(_modules, errors) {
    this.#end(errors);
  }

  #ended = false;
  #told = new Set();
  #take;

  /** Errors outside tests are told when they come: the process may not live until its end. */
  #follow(state) {
    const { catchError } = state;
    if (typeof catchError !== 'function') return;
    state.catchError = (...args) => {
      const result = Reflect.apply(catchError, state, args);
      this.#tell(state.getUnhandledErrors());
      return result;
    };
  }

  #tell(errors) {
    for (const error of errors ?? []) {
      if (this.#told.has(error)) continue;
      this.#told.add(error);
      const path = error?.VITEST_TEST_PATH;
      const file = typeof path === 'string' ? relative(path) : undefined;
      emit('collection-error', { ...(file === undefined ? {} : { file }), failure: describe(error) });
    }
  }

  #end(errors) {
    if (this.#ended) return;
    this.#ended = true;
    this.#tell(errors);
    emit('progress', { state: 'all-end' });
  }
}
