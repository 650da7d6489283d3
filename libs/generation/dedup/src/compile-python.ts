import {
  type ArtifactStore,
  type CancelOptions,
  type ExecutionRequest,
  type Executor,
  type IsolationPolicy,
  putTree,
  type Sha,
  sha256Hex,
  type TreeEntry,
} from '@h/contracts';
import { languageOf } from '@h/syntax';
import { COMPILE_SCRIPT } from './compile-script.ts';
import type { DedupCandidate } from './deduplicate.ts';
import { compileFailed } from './errors.ts';

/** Where CPython runs. */
export interface PythonHost extends CancelOptions {
  readonly executor: Executor;
  readonly artifacts: ArtifactStore;
  readonly policy: IsolationPolicy;
  /** Absolute path of the CPython to compile with; equality holds for its version. */
  readonly interpreter: string;
}

/** Digests of code objects. Two contents with one digest compile to the same code. */
export interface CompiledForms {
  /** Version of the interpreter: "3.11.7". */
  readonly python: string;
  /** By the SHA-256 of a content; absent where it does not compile. */
  readonly digests: ReadonlyMap<Sha, Sha>;
  /** Equality classes of the contents: each at least one, sorted. */
  readonly classes: readonly (readonly Sha[])[];
}

/**
 * Compiles every Python text of the candidates and of their snapshot in one run of one interpreter; nothing of them is executed.
 *
 * A digest covers the code object and all code objects in it: instructions, constants with their types, names, arguments, flags,
 * exception table. It leaves out file name, line numbers and columns. Throws `compile_failed` when the run did not end well.
 */
export async function compilePython(candidates: Iterable<DedupCandidate>, host: PythonHost): Promise<CompiledForms> {
  const { executor, artifacts, policy, interpreter, signal } = host;
  const entries = new Map<string, TreeEntry>();
  const add = async (path: string, content: string | Uint8Array) => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const sha = sha256Hex(bytes);
    const at = path.replace('*', sha);
    if (!entries.has(at)) entries.set(at, { path: at, mode: 0o100644, sha: await artifacts.put(bytes) });
  };
  await add('compile.py', COMPILE_SCRIPT);
  for (const { files } of candidates) {
    for (const { path, before, after } of files) {
      if (languageOf(path) !== 'python') continue;
      for (const content of [before, after]) if (content !== undefined) await add('texts/*', content);
    }
  }
  const tree = await putTree([...entries.values()], artifacts);
  const request: ExecutionRequest = {
    mode: 'surface',
    argv: [interpreter, '-I', '-S', '-B', 'compile.py'],
    cwd: '',
    interpreter,
    policy,
    tree,
    artifact_version: tree,
    ordinal: 0,
    collect: ['compiled.json'],
  };
  const result = await executor.run(request, signal === undefined ? {} : { signal });
  signal?.throwIfAborted();
  const file = result.files.find(({ path }) => path === 'compiled.json');
  if (result.exit_code !== 0 || file === undefined) {
    throw compileFailed(
      interpreter,
      `the run ended by ${result.ended_by} ${result.exit_code ?? ''}`.trim(),
      result.ended_by !== 'exit',
    );
  }
  return readForms(new TextDecoder().decode(await artifacts.get(file.sha)), interpreter);
}

function readForms(text: string, interpreter: string): CompiledForms {
  const shas = /^[0-9a-f]{64}$/;
  try {
    const { python, digests } = JSON.parse(text) as { python: unknown; digests: Record<string, unknown> };
    const read = Object.entries(digests).map(([sha, digest]): [Sha, Sha] => {
      if (!shas.test(sha) || typeof digest !== 'string' || !shas.test(digest)) throw new TypeError('no digest');
      return [sha, digest];
    });
    const classes = new Map<Sha, Sha[]>();
    for (const [sha, digest] of read.sort(([a], [b]) => (a < b ? -1 : 1))) {
      classes.set(digest, [...(classes.get(digest) ?? []), sha]);
    }
    return { python: String(python), digests: new Map(read), classes: [...classes.values()] };
  } catch (cause) {
    throw compileFailed(interpreter, 'what it wrote is not what was asked for', false, cause);
  }
}
