// Required by mocha (10 to 12) before the project's own modules: loads test files one by one, and follows the run.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { followRun, seeFailure } from './mocha-run.mjs';
import { endStart } from './mocha-sources.mjs';
import { coverage, describe, emit, endLoading, isWantedFile, plan, relative } from './node-record.mjs';

const { default: Mocha } = await import(pathToFileURL(join(plan.mocha_path, 'index.js')).href);
const { Runner } = Mocha;
const { apply } = Reflect;
const load = Mocha.prototype.loadFilesAsync;
const { fail, run } = Runner.prototype;

/** A file that does not load is told, and the others are loaded all the same. */
Mocha.prototype.loadFilesAsync = async function (...args) {
  const files = this.files.filter((path) => isWantedFile(relative(path) ?? path));
  endStart();
  for (const path of this.files) coverage?.hide(relative(path));
  for (const path of files) {
    const file = relative(path) ?? path;
    emit('progress', { state: 'file-start', file, pid: process.pid });
    this.files = [path];
    const forget = rememberRoot(this);
    try {
      await apply(load, this, args);
    } catch (error) {
      forget();
      emit('collection-error', { file, failure: describe(error) });
    }
    endLoading();
    emit('progress', { state: 'file-loaded', file });
  }
  this.files = files;
};

const PRE_REQUIRE = 'pre-require';

/** A function that takes out what was registered since, and closes the suites that are still open. */
function rememberRoot(mocha) {
  const root = mocha.suite;
  const lists = Object.values(root).filter(Array.isArray);
  const lengths = lists.map((list) => list.length);
  return () => {
    for (const [at, list] of lists.entries()) list.length = lengths[at];
    root.removeAllListeners(PRE_REQUIRE);
    mocha.ui(mocha.options.ui);
  };
}

/** mocha shortens the stack of an error, and its reporters replace what was compared: the error is read before. */
Runner.prototype.fail = function (test, error, ...rest) {
  seeFailure(error);
  return apply(fail, this, [test, error, ...rest]);
};

Runner.prototype.run = function (...args) {
  followRun(this);
  return apply(run, this, args);
};
