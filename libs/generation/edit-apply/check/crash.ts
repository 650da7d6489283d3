// `npm run check:crash`: a crash or an I/O error at every call of writing packages of 2 to 20 files. Last line: JSON.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callsOf, crashRun, FAULTS, randomCase } from '../test/fs/crash-runs.ts';

// In memory where there is such a folder: the order of calls is what counts, and fsync there costs nothing.
const parent = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'h-crash-'));
const counts = { runs: 0, old: 0, new: 0, neither: 0 };
const packages = Number(process.argv[2] ?? 4);
try {
  for (let seed = 0; seed < packages; seed++) {
    const one = randomCase(seed, 2 + Math.round((seed * 18) / Math.max(1, packages - 1)));
    const calls = await callsOf(parent, one);
    console.error(`package of ${one.edit.files.length} files, ${calls} calls`);
    for (let at = 0; at < calls; at++) {
      for (const fault of FAULTS) {
        counts.runs++;
        try {
          counts[(await crashRun(parent, one, at, fault)).state]++;
        } catch (error) {
          counts.neither++;
          console.error(error);
        }
      }
    }
  }
} finally {
  rmSync(parent, { recursive: true, force: true });
}
console.log(JSON.stringify(counts));
process.exitCode = counts.neither > 0 || counts.runs < 1000 ? 1 : 0;
