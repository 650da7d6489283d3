// Starts vitest on the plan in the environment.
import { readPlan } from './node-events.mjs';
import { start } from './vitest-start.mjs';

await start(readPlan({ take: true }));
