// Runs one runaway in a sandbox of its own, and waits to be killed. Arguments: backend, interpreter, its folders joined by ":", shape, mark.
import { memoryArtifacts, putTree } from '@h/contracts';
import { type BackendName, createSandbox, defaultPolicy } from '../../src/index.ts';
import { runawayCommand } from './runaways.ts';

const [backend, python = '', paths = '', shape = '', mark = ''] = process.argv.slice(2);
const artifacts = memoryArtifacts();
const tree = await putTree([], artifacts);
const policy = defaultPolicy({ wall_ms: 120_000 });
const sandbox = await createSandbox(policy, {
  artifacts,
  backend: backend as BackendName,
  concurrency: 1,
  readOnlyPaths: paths.split(':').filter(Boolean),
});
const argv = runawayCommand(python, shape, mark);
await sandbox.run({ mode: 'verdict', argv, cwd: '', policy, tree, artifact_version: tree, ordinal: 0, collect: [] });
