// For a second pass over the same candidates: what was run is not run again, and what was told is not told again.
import { hashRecord, type ProgressEvent, type RunTests, type Sha, type TestRunReport } from '@h/contracts';

/** `again` runs only what `first` did not run to its end. */
export function keepRuns(runTests: RunTests): { readonly first: RunTests; readonly again: RunTests } {
  const kept = new Map<Sha, TestRunReport>();
  return {
    async first(command, tree, options) {
      const report = await runTests(command, tree, options);
      if (options?.signal?.aborted !== true) kept.set(hashRecord({ command, tree }), report);
      return report;
    },
    again: async (command, tree, options) =>
      kept.get(hashRecord({ command, tree })) ?? (await runTests(command, tree, options)),
  };
}

/** Each message once, and never less done than before. */
export function tellOnce(onEvent: (event: ProgressEvent) => void): (event: ProgressEvent) => void {
  const told = new Set<string>();
  let most = 0;
  return (event) => {
    if (told.has(event.message)) return;
    told.add(event.message);
    most = Math.max(most, event.done ?? 0);
    onEvent({ ...event, done: most });
  };
}
