// Loaded before jest: takes H's own traces away and defines what the injected statements call.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const own = process.execArgv.findIndex((part) => part.includes('jest-hook.mjs'));
  process.execArgv.splice(own - 1, 2); // what the target forks must not start it again
  await import('./node-record.mjs');
}
