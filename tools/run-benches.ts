// `npm run bench -- sandbox sbfl`: the benches of the libraries named, one after another; of every library without a name.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { listLibraries } from './workspace.ts';

const root = join(import.meta.dirname, '..');
const withBench = listLibraries(root).filter(({ manifest }) => manifest.scripts?.bench !== undefined);
const wanted = process.argv.slice(2).map((name) => (name.startsWith('@h/') ? name : `@h/${name}`));
const unknown = wanted.filter((name) => !withBench.some((library) => library.name === name));
if (unknown.length > 0) {
  console.error(
    `no library with a bench is called ${unknown.join(', ')}; there are: ${withBench.map(({ name }) => name).join(' ')}`,
  );
  process.exit(64);
}
for (const { name, path } of withBench) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`\n== ${name}`);
  const { status } = spawnSync('npm', ['run', '--silent', 'bench'], { cwd: join(root, path), stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
