// Starts mocha on the plan in the environment.

import { start } from './mocha-start.mjs';
import { readPlan } from './node-events.mjs';

await start(readPlan({ take: true }));
