import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type ArtifactStore,
  directoryArtifacts,
  envelope,
  hashRecord,
  type RecordName,
  type RecordOf,
} from '@h/contracts';

export interface HomeDirectory {
  /** Holds `runs/` and `artifacts/`. */
  readonly dir: string;
  readonly artifacts: ArtifactStore;
  /** Why it is not inside the repository, when it is not. */
  readonly note?: string;
}

/** `<repo>/.h`, or `out`, or a folder in the user's state folder where the repository cannot be written. */
export async function openHome(
  repo: string,
  out: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<HomeDirectory> {
  if (out !== undefined) return prepareHome(out);
  const inside = join(repo, '.h');
  if (await isWritable(inside)) return prepareHome(inside);
  const state = environment.XDG_STATE_HOME ?? join(homedir(), '.local', 'state');
  const dir = join(state, 'h', hashRecord(repo).slice(0, 16));
  return { ...(await prepareHome(dir)), note: `${repo} is read-only: this run is kept in ${dir}` };
}

async function prepareHome(dir: string): Promise<HomeDirectory> {
  await mkdir(dir, { recursive: true });
  return { dir, artifacts: directoryArtifacts(join(dir, 'artifacts')) };
}

/** Tried by writing: permission bits say nothing to root, and nothing of a read-only mount. */
async function isWritable(inside: string): Promise<boolean> {
  try {
    await mkdir(inside, { recursive: true });
    await writeFile(join(inside, '.gitignore'), '*\n');
    return true;
  } catch {
    return false;
  }
}

export interface RunDirectory {
  readonly id: string;
  /** Where the run will stand once it is finished. */
  readonly dir: string;
  /** Writes one enveloped record as `<file>.json`. */
  writeRecord<Name extends RecordName>(file: string, name: Name, data: RecordOf<Name>): Promise<void>;
  writeText(file: string, text: string | Uint8Array): Promise<void>;
  /** Kept under `measured/`: the only files that may differ between two runs. */
  writeMeasured(file: string, value: unknown): Promise<void>;
  /** Files written so far except the measured ones, relative to the run directory, in code-unit order. */
  files(): string[];
  /** Puts the finished run at `dir`, in place of an earlier run of the same id. */
  commit(): Promise<void>;
  /** Keeps what there is at `<dir>.partial` and returns that path. */
  abandon(): Promise<string>;
  /** Deletes what was written. */
  discard(): Promise<void>;
}

/** A run is written aside and moved to its place when it is whole, so that a reader never sees half of one. */
export async function openRunDirectory(home: HomeDirectory, id: string): Promise<RunDirectory> {
  const dir = join(home.dir, 'runs', id);
  const staging = join(home.dir, 'runs', `.writing-${id}-${process.pid}`);
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  const written = new Set<string>();
  const write = async (file: string, content: string | Uint8Array) => {
    const path = join(staging, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  };
  const writeText = async (file: string, text: string | Uint8Array) => {
    written.add(file);
    await write(file, text);
  };
  const moveTo = async (place: string) => {
    await rm(place, { recursive: true, force: true });
    await rename(staging, place);
    return place;
  };
  return {
    id,
    dir,
    writeText,
    writeRecord: (file, name, data) => writeText(`${file}.json`, `${JSON.stringify(envelope(name, data), null, 2)}\n`),
    writeMeasured: (file, value) => write(join('measured', `${file}.json`), `${JSON.stringify(value, null, 2)}\n`),
    files: () => [...written].sort(),
    commit: async () => {
      await moveTo(dir);
    },
    abandon: () => moveTo(`${dir}.partial`),
    discard: () => rm(staging, { recursive: true, force: true }),
  };
}
