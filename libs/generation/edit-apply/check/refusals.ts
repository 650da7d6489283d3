// `npm run check:refusals`: what is said of damaged blocks, and what tolerant tiers make of those that differ in blanks. Last line: JSON.
import { createGate } from '../src/index.ts';
import { measureRefusals, measureTolerance } from '../test/locate/damaged-blocks.ts';

const count = Number(process.argv[2] ?? 6000);
const seeds = Array.from({ length: count }, (_, i) => 100_000 + i);
const gate = await createGate(['python', 'javascript', 'typescript', 'tsx', 'go', 'java', 'rust', 'c', 'bash']);
const refusals = measureRefusals(seeds);
const tolerant = measureTolerance(seeds, { check: (change) => gate.check({ ...change, lint: false }) });
gate.dispose();
console.log(JSON.stringify({ ...refusals, tolerant }));
const { blocks, nearest_first, cause_named } = refusals;
const isMet =
  nearest_first >= 0.97 * blocks &&
  cause_named >= 0.95 * blocks &&
  tolerant.wrong_writes === 0 &&
  tolerant.recovered >= 0.9 * tolerant.blocks;
process.exitCode = isMet && tolerant.blocks >= 2000 ? 0 : 1;
