import type { RunnerName } from '@h/test-runners';

/** A published package with its tests, pinned by the digest of its archive. */
export interface RealPackage {
  readonly name: string;
  readonly version: string;
  /** Whose client brings it: `sdist` pip, `npm` npm. */
  readonly source: 'sdist' | 'npm';
  readonly language: 'python' | 'javascript' | 'typescript';
  readonly runner: RunnerName;
  /** SHA-256 of the archive as the registry serves it. */
  readonly sha256: string;
  /** What its tests need, the runner among it, each pinned: `pytest==8.3.4`, `vitest@3.2.4`. */
  readonly install: readonly string[];
  /** What the project's own script passes to its runner, for the run that H is compared with. */
  readonly args?: readonly string[];
  /** Folder whose modules are importable without being installed, such as `src`. Python only; default the root. */
  readonly sources?: string;
  /** Paths taken out of the unpacked archive: caches that were published, tests that need the network or a time of their own. */
  readonly without?: readonly string[];
  /** Tests by the end of their id, and why their outcome may differ between two runs of the runner itself. */
  readonly unstable?: Readonly<Record<string, string>>;
  /** One of each language, quick: what CI runs. */
  readonly inCi?: boolean;
}

/** A package on this machine, with an environment of its own. */
export interface ObtainedPackage {
  readonly pin: RealPackage;
  /** The project: a folder that `h run --repo` takes. Its `.venv` or `node_modules` hold what `install` names. Copy it before you change it. */
  readonly folder: string;
  /** Python: the interpreter of its environment. */
  readonly python?: string;
}
