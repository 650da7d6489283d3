// Starts jest on the plan in the environment.

import { start } from './jest-start.mjs';
import { readPlan } from './node-events.mjs';

await start(readPlan({ take: true }));
