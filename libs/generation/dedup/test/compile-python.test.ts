// Issue 6, clause 10: compiler-equal where a compiler is at hand, through an Executor.
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Executor, memoryArtifacts, sha256Hex } from '@h/contracts';
import { createSandbox, defaultPolicy, discoverPython } from '@h/sandbox';
import { createParser } from '@h/syntax';
import { expect, test } from 'vitest';
import { compilePython, deduplicate, type PythonHost } from '../src/index.ts';
import { candidate } from './candidates.ts';

const before = 'def f(a, b):\n    """Sum."""\n    return a + b\n';
const after = (body: string) => candidate(body, 'f.py', before, body);
const TEXTS = {
  one: 'def f(a, b):\n    """Sum."""\n    if a:\n        return b\n    return a - b\n',
  two: 'def f(a, b):\n    """Sum."""\n    if a: return b\n    return (a -\n            b)\n',
  other: 'def f(a, b):\n    """Sum."""\n    if a:\n        return a\n    return a - b\n',
  undocumented: 'def f(a, b):\n    if a:\n        return b\n    return a - b\n',
  folded: 'x = 2 * 3\ny = 1\n',
  spelt: 'x = 6\ny = 1\n',
  truth: 'x = 6\ny = True\n',
  float: 'x = 6\ny = 1.0\n',
  broken: 'def f(:\n',
};
const all = Object.values(TEXTS).map(after);

async function hostOf(): Promise<PythonHost & { close(): Promise<void> }> {
  const versions = join(homedir(), '.pyenv/versions');
  const names = existsSync(versions) ? readdirSync(versions).sort() : [];
  const found = await discoverPython([...names.map((name) => join(versions, name, 'bin/python')), 'python3']);
  if (!('executable' in found)) throw new Error('no Python is here');
  const artifacts = memoryArtifacts();
  const policy = defaultPolicy({ wall_ms: 60_000 });
  const readOnlyPaths = [found.prefix, found.base_prefix];
  const executor = await createSandbox(policy, { artifacts, readOnlyPaths, concurrency: 1 });
  return { executor, artifacts, policy, interpreter: found.executable, close: () => executor.close() };
}

test('CPython says which texts compile to one code object, and the ladder takes its word', async () => {
  const host = await hostOf();
  const compiled = await compilePython(all, host);
  await host.close();
  expect(compiled.python).toMatch(/^3\.\d+\.\d+$/);
  const digest = (text: string) => compiled.digests.get(sha256Hex(text));
  expect(digest(TEXTS.one)).toMatch(/^[0-9a-f]{64}$/);
  expect(digest(TEXTS.two)).toBe(digest(TEXTS.one));
  expect(digest(TEXTS.broken)).toBeUndefined();
  const digests = [TEXTS.one, TEXTS.other, TEXTS.undocumented, TEXTS.spelt, TEXTS.truth, TEXTS.float, before].map(
    digest,
  );
  expect(new Set(digests).size).toBe(digests.length);
  const shared = compiled.classes.filter((shas) => shas.length > 1).map((shas) => [...shas].sort());
  expect(shared).toContainEqual([sha256Hex(TEXTS.one), sha256Hex(TEXTS.two)].sort());

  const parser = await createParser({ languages: ['python'] });
  const { collapsed } = deduplicate(all, { parser, rung: 'compiler', compiled });
  expect(collapsed).toContainEqual(
    expect.objectContaining({
      kept: after(TEXTS.one).candidate_id,
      dropped: after(TEXTS.two).candidate_id,
      rung: 'tree',
    }),
  );
  parser.dispose();
}, 60_000);

const ended = (result: object, artifacts = memoryArtifacts()) => ({
  executor: { run: async () => ({ files: [], ended_by: 'exit', exit_code: 0, ...result }) } as unknown as Executor,
  artifacts,
  policy: defaultPolicy(),
  interpreter: '/python',
});

test('a run that ends badly is no verdict', async () => {
  await expect(compilePython(all, ended({ exit_code: 1 }))).rejects.toMatchObject({
    code: 'compile_failed',
    retryable: false,
  });
  const limited = ended({ exit_code: undefined, ended_by: 'wall_limit' });
  await expect(compilePython(all, limited)).rejects.toMatchObject({ code: 'compile_failed', retryable: true });
  const artifacts = memoryArtifacts();
  const sha = await artifacts.put(new TextEncoder().encode('{"python":"3.11.7","digests":{"x":1}}'));
  const files = [{ path: 'compiled.json', sha, bytes: 1 }];
  await expect(compilePython(all, ended({ files }, artifacts))).rejects.toMatchObject({ code: 'compile_failed' });
});

test('a cancelled run rejects with its reason', async () => {
  const host = { ...ended({}), signal: AbortSignal.abort(new Error('enough')) };
  await expect(compilePython(all, host)).rejects.toThrow('enough');
});
