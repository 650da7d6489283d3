// Reporter of node:test, in the process of the tests. It prints nothing. Its events come in the order of registration,
// parents start before their children: counting starts gives each its key.
import { judge, note, tellStray } from './node-test-record.mjs';

export default async function* reporter(source) {
  const started = [];
  let strange = false;
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      started.length = data.nesting + 1;
      started[data.nesting] = (started[data.nesting] ?? 0) + 1;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const key = started.slice(0, data.nesting + 1).join('.');
    const known = judge(key, {
      passed: type === 'test:pass',
      name: data.name,
      skip: data.skip,
      todo: data.todo,
      expectFailure: data.expectFailure,
      error: data.details?.error,
      duration: Math.round((data.details?.duration_ms ?? 0) * 1000) / 1000,
    });
    // node:test tells a hook of the whole file as a test without a start
    const { failureType, cause } = data.details?.error ?? {};
    if (known !== true && failureType === 'hookFailed') tellStray(cause ?? data.details.error);
    else if (known !== true && !strange) {
      strange = true;
      note(`A test was registered past H's agent and is not in the report: ${data.name}`);
    }
  }
  yield* []; // it prints nothing
}
