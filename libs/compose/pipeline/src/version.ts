import { createRequire } from 'node:module';

/** Version of `@h/pipeline`, as in its package.json. */
export const VERSION: string = (createRequire(import.meta.url)('../package.json') as { version: string }).version;
