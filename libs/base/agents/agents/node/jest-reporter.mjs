// jest's reporter: what only jest itself knows of a file, the tests of runners that tell no events, and the end.
import { toldFiles } from './jest-runner.mjs';
import { createNamer } from './node-names.mjs';
import { describe, emit, isWanted, plan, relative, tellCollected } from './node-record.mjs';

const OUTCOMES = {
  passed: 'passed',
  failed: 'failed',
  todo: 'skipped',
  skipped: 'skipped',
  pending: 'skipped',
  disabled: 'skipped',
};

export default class HReporter {
  onTestFileResult(_test, result) {
    const file = relative(result.testFilePath) ?? result.testFilePath;
    if (result.testExecError != null && !toldFiles.has(file)) {
      emit('collection-error', { file, failure: describe(result.testExecError) });
      toldFiles.add(file);
    }
    if (toldFiles.has(file) || result.skipped) return;
    tellResults(file, result.testResults);
    emit('progress', { state: 'file-end', file });
  }

  onRunComplete(_contexts, results) {
    if (results?.runExecError != null) emit('collection-error', { failure: describe(results.runExecError) });
    emit('progress', { state: 'all-end' });
  }

  getLastError() {}
}

function tellResults(file, results) {
  const nameOf = createNamer(file);
  const told = results
    .map((result) => ({ ...result, id: nameOf([...result.ancestorTitles, result.title]) }))
    .filter(({ id }) => isWanted(id));
  tellCollected(
    file,
    told.map(({ id }) => id),
  );
  if (plan.mode === 'list') return;
  for (const { id, status, duration, failureMessages, failureDetails } of told) {
    const outcome = OUTCOMES[status] ?? 'skipped';
    const [detail] = failureDetails ?? [];
    const error =
      typeof detail === 'object' && detail !== null && 'message' in detail
        ? detail
        : { message: failureMessages?.[0], stack: failureMessages?.[0] };
    const fields = { test: id, file, outcome, duration_ms: duration ?? 0 };
    if (outcome === 'failed') fields.failure = describe(error);
    emit('test-end', fields);
  }
}
