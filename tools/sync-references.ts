// `npm run references`: writes the project references that follow from each package.json, so that `tsc -b` builds in order.
// tools/test/libraries.test.ts fails when they differ.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listLibraries, readJson, referencesOf } from './workspace.ts';

const libraries = listLibraries('.');
for (const library of libraries) {
  const path = join(library.path, 'tsconfig.json');
  const config: Record<string, unknown> = readJson(path);
  writeJson(path, { ...config, references: referencesOf(library, libraries) });
}
writeJson('tsconfig.json', { files: [], references: libraries.map(({ path }) => ({ path })) });

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
