// Starts the vitest that the folder it runs in would use, with the arguments it was given.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const manifest = createRequire(join(process.cwd(), 'package.json')).resolve('vitest/package.json');
await import(pathToFileURL(join(dirname(manifest), 'vitest.mjs')).href);
