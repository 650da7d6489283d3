// Starts the vitest that the folder it runs in would use, with the arguments it was given and our reporter.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// by its absolute path: a relative one would be looked for from the root of the project's configuration
process.argv.push(`--reporter=${join(dirname(fileURLToPath(import.meta.url)), 'vitest-reporter.mjs')}`);
const manifest = createRequire(join(process.cwd(), 'package.json')).resolve('vitest/package.json');
await import(pathToFileURL(join(dirname(manifest), 'vitest.mjs')).href);
