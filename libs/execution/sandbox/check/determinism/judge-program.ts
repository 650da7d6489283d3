import { type ArtifactStore, type DeterminismVerdict, putTree } from '@h/contracts';
import { checkDeterminism, defaultPolicy, type Sandbox, VARIATIONS } from '../../src/index.ts';
import type { Program } from './program.ts';

/** Runs under the same conditions: what appears every other time is missed by one in sixteen. */
const RUNS = 5;
const NAMES = ['pear', 'fig', 'apple', 'quince', 'lime', 'plum', 'date', 'kiwi', 'cherry', 'olive', 'grape', 'melon'];

export interface Judged {
  readonly program: Program;
  readonly verdict: DeterminismVerdict;
  /** What is wrong with the verdict; absent: nothing. */
  readonly wrong?: string;
  /** Whether the cause is named; undefined where there is none. */
  readonly causeNamed?: boolean;
}

export interface Judge {
  readonly sandbox: Sandbox;
  readonly artifacts: ArtifactStore;
  readonly python: string;
}

export async function judgeProgram({ sandbox, artifacts, python }: Judge, program: Program): Promise<Judged> {
  const put = (text: string) => artifacts.put(new TextEncoder().encode(text));
  const names = ['a.txt', 'b.txt', ...NAMES.map((name) => `many/${name}`)];
  const entries = await Promise.all(names.map(async (path) => ({ path, mode: 0o100644, sha: await put(path) })));
  const tree = await putTree(entries, artifacts);
  const request = {
    mode: 'verdict' as const,
    argv: commandOf(program, python),
    cwd: '',
    policy: defaultPolicy({ wall_ms: 30_000 }),
    tree,
    artifact_version: tree,
    ordinal: 0,
    collect: ['out/**'],
  };
  const { verdict } = await checkDeterminism(sandbox, request, { artifacts, runs: RUNS, vary: VARIATIONS });
  const wrong = compareWithTruth(program, verdict);
  const named = program.differs && verdict.likely_cause?.startsWith(program.differs.cause) === true;
  return { program, verdict, ...(wrong !== undefined && { wrong }), ...(named !== undefined && { causeNamed: named }) };
}

function compareWithTruth(
  { differs, hidden }: Program,
  { verdict, field, runs }: DeterminismVerdict,
): string | undefined {
  if (verdict !== (differs === undefined ? 'deterministic' : 'nondeterministic')) return `it is called ${verdict}`;
  if (differs !== undefined && field !== differs.field) return `the field is said to be ${field}`;
  // What the policy fixes must not be the reason before it is varied.
  if (hidden && runs <= RUNS) return `it differs under the same conditions, in run ${runs}`;
  return undefined;
}

function commandOf({ language, code }: Program, python: string): string[] {
  if (language === 'python') return [python, '-c', code];
  return language === 'javascript' ? [process.execPath, '-e', code] : ['/bin/sh', '-c', code];
}
