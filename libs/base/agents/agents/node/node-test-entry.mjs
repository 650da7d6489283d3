// Starts node:test on the plan in the environment.
import { readPlan } from './node-events.mjs';
import { start } from './node-test-start.mjs';

await start(readPlan({ take: true }));
