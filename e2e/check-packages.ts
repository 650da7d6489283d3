// `npm run check:packages`: what a stranger gets. Every library is packed once; publint and attw look at each tarball; each is installed
// alone, with its own closure, into an empty project; its README's example is type-checked and run; it is bundled and run from another
// folder; then `h run` from the tarballs mends two fixtures. The last line is JSON: {packages, failed}.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { execa } from 'execa';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { type PackedLibrary, packLibraries } from '../tools/pack-libraries.ts';
import { loadFixtures } from './load-fixtures.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'h-packages-'));
/** Names of libraries, to look at these only; `h run` from the tarballs runs where @h/pipeline is among them. */
const wanted = process.argv.slice(2);
const problems: string[] = [];
/** What a stage may bring besides itself. */
const SHARED = new Set(['@h/contracts', '@h/syntax', '@h/agents', '@h/coverage', '@h/journal']);
const MEASURE =
  'const [name] = process.argv.slice(1); const start = performance.now(); await import(name); process.stdout.write(String(Math.round(performance.now() - start)));';

const packed = packLibraries(root, join(work, 'tarballs'));
try {
  console.log(
    'library'.padEnd(24),
    'tarball'.padStart(9),
    'installed'.padStart(11),
    'code'.padStart(9),
    'import'.padStart(9),
    ' beside zod',
  );
  for (const library of packed) if (isWanted(library.name)) await check(library);
  if (isWanted('@h/pipeline')) await runFromTarballs();
} finally {
  rmSync(work, { recursive: true, force: true });
}
for (const problem of problems) console.log(`FAILED ${problem}`);
console.log(JSON.stringify({ packages: packed.filter(({ name }) => isWanted(name)).length, failed: problems.length }));
process.exitCode = problems.length === 0 ? 0 : 1;

function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.includes(name);
}

async function check(library: PackedLibrary): Promise<void> {
  await lintTarball(library);
  judgeClosure(library);
  const project = join(work, basename(library.name));
  await install(project, library);
  const bytes = sizeOf(join(project, 'node_modules', library.name));
  const cold = await importMs(project, library.name);
  const zod = await importMs(project, 'zod');
  console.log(
    library.name.padEnd(24),
    `${kilobytes(statSync(library.tarball).size)}`.padStart(9),
    `${kilobytes(bytes)}`.padStart(11),
    `${kilobytes(sizeOf(join(project, 'node_modules', library.name), '.js'))}`.padStart(9),
    `${cold} ms`.padStart(9),
    zod === undefined ? '' : `+${Math.max(0, (cold ?? 0) - zod)} ms`,
  );
  await attempt(`${library.name}: README example`, () => runExample(project, library));
  await attempt(`${library.name}: bundle`, () => runBundle(project, library));
}

async function attempt(what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    problems.push(`${what}: ${(error as Error).message.split('\n').slice(0, 12).join('\n  ')}`);
  }
}

async function lintTarball({ name, tarball }: PackedLibrary): Promise<void> {
  const bytes = readFileSync(tarball);
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true });
  for (const message of messages) problems.push(`${name}: publint: ${formatMessage(message, pkg)}`);
  const types = await checkPackage(createPackageFromTarballData(bytes));
  if (types.types === false) problems.push(`${name}: attw: no types`);
  else
    for (const problem of types.problems)
      if (!isEsmOnly(problem)) problems.push(`${name}: attw: ${JSON.stringify(problem)}`);
}

/** `attw --profile esm-only`: how CommonJS and the resolution of Node 10 see the package does not count. */
function isEsmOnly(problem: { kind: string; resolutionKind?: string }): boolean {
  return problem.kind === 'CJSResolvesToESM' || ['node10', 'node16-cjs'].includes(problem.resolutionKind ?? '');
}

/** Invariant 1 on what is installed: a stage brings no other stage. */
function judgeClosure({ name, closure }: PackedLibrary): void {
  if (name === '@h/pipeline') return;
  const foreign = closure.filter((one) => one !== name && !SHARED.has(one));
  if (foreign.length > 0) problems.push(`${name} brings ${foreign.join(', ')}`);
}

async function install(project: string, library: PackedLibrary): Promise<void> {
  mkdirSync(project, { recursive: true });
  const tarballOf = new Map(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const dependencies = Object.fromEntries(library.closure.map((name) => [name, tarballOf.get(name)]));
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'empty', private: true, type: 'module', dependencies }),
  );
  await execa(
    'npm',
    ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: project },
  );
  const installed = readdirSync(join(project, 'node_modules', '@h')).map((name) => `@h/${name}`);
  const more = installed.filter((name) => !library.closure.includes(name));
  if (more.length > 0) problems.push(`${library.name}: ${more.join(', ')} came along`);
}

function sizeOf(folder: string, extension = ''): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000)} kB`;
}

/** Milliseconds of the first import in a fresh process, the least of five; undefined where it is not installed. */
async function importMs(cwd: string, name: string): Promise<number | undefined> {
  let least: number | undefined;
  for (let round = 0; round < 5; round += 1) {
    const { exitCode, stdout } = await execa(process.execPath, ['--input-type=module', '-e', MEASURE, name], {
      cwd,
      reject: false,
    });
    if (exitCode !== 0) return undefined;
    least = Math.min(least ?? Number.POSITIVE_INFINITY, Number(stdout));
  }
  return least;
}

/** The first fence of TypeScript of the README, as the stranger would paste it. */
async function runExample(project: string, { name }: PackedLibrary): Promise<void> {
  const readme = readFileSync(join(project, 'node_modules', name, 'README.md'), 'utf8');
  const text = /^```ts\n([\s\S]*?)^```$/m.exec(readme)?.[1];
  if (text === undefined) throw new Error('no example');
  if (name === '@h/pipeline')
    cpSync(
      loadFixtures().find(({ name }) => name === 'meter-billing-py')?.repo ?? '',
      join(project, 'path/to/project'),
      { recursive: true },
    );
  writeFileSync(join(project, 'example.ts'), text);
  const options = {
    target: 'ES2023',
    module: 'NodeNext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
  };
  const typeRoots = [join(root, 'node_modules/@types')];
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, typeRoots }, files: ['example.ts'] }),
  );
  await execa(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: project }).catch(({ stdout }) => {
    throw new Error(`does not type-check:\n${stdout}`);
  });
  await build({
    entryPoints: [join(project, 'example.ts')],
    outfile: join(project, 'example.mjs'),
    format: 'esm',
    logLevel: 'silent',
  });
  await execa(process.execPath, ['example.mjs'], { cwd: project, timeout: 180_000 });
}

async function runBundle(project: string, { name }: PackedLibrary): Promise<void> {
  const entry = join(project, 'bundle.ts');
  writeFileSync(entry, `import * as all from '${name}';\nconsole.log(Object.keys(all).length);\n`);
  const elsewhere = mkdtempSync(join(work, 'bundle-'));
  const banner = {
    js: "import { createRequire as requireHere } from 'node:module'; const require = requireHere(import.meta.url);",
  };
  await build({
    entryPoints: [entry],
    outfile: join(elsewhere, 'bundle.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    banner,
    loader: { '.node': 'copy', '.wasm': 'copy' },
  });
  const { stdout } = await execa(process.execPath, ['bundle.mjs'], { cwd: elsewhere, timeout: 60_000 });
  if (!(Number(stdout) > 0)) throw new Error(`the bundle exports ${stdout}`);
}

/** One of each language, quickly mended. */
function twoFixtures() {
  return loadFixtures().filter(({ name }) => name === 'meter-billing-py' || name === 'bank-import-ts');
}

/** The installed command, not this checkout's sources. */
async function runFromTarballs(): Promise<void> {
  const project = join(work, 'pipeline');
  for (const fixture of twoFixtures()) {
    const repo = join(work, fixture.name);
    cpSync(fixture.repo, repo, { recursive: true });
    if (existsSync(join(repo, 'package.json')))
      await execa('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: repo });
    const h = join(project, 'node_modules/.bin/h');
    const { exitCode, stdout, stderr } = await execa(h, ['run', '--repo', repo, '--json', '--quiet'], {
      reject: false,
    });
    const patch = exitCode === 0 ? JSON.parse(stdout).data.patches[0] : undefined;
    console.log(
      `h run on ${fixture.name} from the tarballs: ${patch === undefined ? `exit code ${exitCode}` : `${patch.regression_status} ${patch.path}:${patch.line}`}`,
    );
    if (patch === undefined) problems.push(`h run on ${fixture.name}: exit code ${exitCode}\n${stderr}`);
  }
}
