// `npm run smoke`: every built library, imported by its name in a process of its own. Fails when one cannot be loaded,
// exports nothing, prints something, or keeps the process alive.
import { spawnSync } from 'node:child_process';
import { listLibraries } from './workspace.ts';

const measure = `
  const [name] = process.argv.slice(1);
  const start = performance.now();
  const { length } = Object.keys(await import(name));
  const ms = Math.round(performance.now() - start);
  if (length === 0) throw new Error(name + ' exports nothing');
  process.stdout.write(length + ' exports, ' + ms + ' ms');
`;

for (const { name } of listLibraries('.')) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', measure, name], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  const silent = /^\d+ exports, \d+ ms$/.test(stdout) && stderr === '';
  console.log(`${name}: ${status === 0 && silent ? stdout : `FAILED\n${shorten(stdout + stderr)}`}`);
  if (status !== 0 || !silent) process.exitCode = 1;
}

/** The message without the stack. */
function shorten(output: string): string {
  return output
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('    at '))
    .slice(0, 8)
    .join('\n');
}
