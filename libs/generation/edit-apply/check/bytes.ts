// `npm run check:bytes`: the bytes law on 200,000 random edits, or as many as the first argument says. Last line: JSON.
import { checkBytesLaw } from '../test/check-bytes-law.ts';

const edits = Number(process.argv[2] ?? 200_000);
const counts = { applied: 0, rejected: 0 };
for (let seed = 0; seed < edits; seed++) counts[checkBytesLaw(seed)]++;
console.log(JSON.stringify({ edits, ...counts, violations: 0 }));
