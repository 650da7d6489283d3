import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const Edit = { path: z.string(), search: z.string().min(1), replace: z.string() };

/** What `fixtures/<name>/fixture.json` holds; each field is explained in `fixtures/README.md`. */
const FixtureFile = z.strictObject({
  name: z.string(),
  language: z.enum(['python', 'javascript', 'typescript']),
  runner: z.enum(['unittest', 'pytest', 'vitest', 'node:test']),
  story: z.string().min(1),
  failing: z.array(z.string()).min(1).max(3),
  fault: z.strictObject({ file: z.string(), line: z.int().min(1) }),
  repairable: z.boolean(),
  template: z
    .enum([
      'comparison',
      'arithmetic',
      'boolean',
      'off-by-one',
      'negated-condition',
      'variable-in-scope',
      'argument-order',
      'constant',
      'await',
    ])
    .nullable(),
  fix: z.strictObject(Edit),
  fix_tests: z.array(z.strictObject({ file: z.string(), target: z.string() })).min(1),
  decoys: z.array(z.strictObject({ name: z.string(), ...Edit, breaks: z.array(z.string()).min(1) })),
});

/** One exact replacement; `search` occurs exactly once in the file `path`, which is relative to the repository. */
export interface FixtureEdit {
  path: string;
  search: string;
  replace: string;
}

/** A small real program with one known fault, as recorded in `fixtures/<name>/fixture.json`. */
export interface Fixture extends z.infer<typeof FixtureFile> {
  /** Absolute path of `fixtures/<name>`. */
  dir: string;
  /** Absolute path of the project; read-only: copy it before running anything in it. */
  repo: string;
}

/** All fixtures in order of name; throws with the file's path where a record does not fit the schema. */
export function loadFixtures(root: string = fileURLToPath(new URL('../fixtures/', import.meta.url))): Fixture[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => loadFixture(join(root, name), name));
}

function loadFixture(dir: string, name: string): Fixture {
  const path = join(dir, 'fixture.json');
  const parsed = FixtureFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) {
    throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
  }
  if (parsed.data.name !== name) {
    throw new Error(`${path}: name is ${parsed.data.name}, the folder is ${name}`);
  }
  if (parsed.data.repairable !== (parsed.data.template !== null)) {
    throw new Error(`${path}: template names what reaches the fault, and is null exactly when repairable is false`);
  }
  return { ...parsed.data, dir, repo: join(dir, 'repo') };
}
