/** Why a program does not do the same twice, as `likely_cause` begins. */
export type Cause = 'time' | 'random' | 'hash order' | 'address' | 'directory order' | 'pid' | 'thread' | 'locale';

/** One program of the corpus. It may write to `out/`, which is collected, and finds `a.txt`, `b.txt` and more in its folder. */
export interface Program {
  readonly name: string;
  readonly language: 'python' | 'javascript' | 'sh';
  readonly code: string;
  /** The field that differs and the cause; absent for a program that does the same every time. */
  readonly differs?: { readonly field: string; readonly cause: Cause };
  /** Shows only where a condition that the policy fixes is another; with none varied it is deterministic. */
  readonly hidden?: true;
  /** Part of the short run in the tests. */
  readonly slice?: true;
}

type More = Pick<Program, 'hidden' | 'slice'>;
type Stable = readonly [name: string, code: string, more?: More];
type Unstable = readonly [name: string, code: string, cause: Cause, field?: string, more?: More];

/** Programs that always do the same. */
export function stable(language: Program['language'], programs: readonly Stable[]): Program[] {
  return programs.map(([name, code, more]) => ({ name, language, code, ...more }));
}

/** Programs that differ in a field, standard output where none is named, for a cause. */
export function unstable(language: Program['language'], programs: readonly Unstable[]): Program[] {
  return programs.map(([name, code, cause, field = 'stdout', more]) => ({
    name,
    language,
    code,
    differs: { field, cause },
    ...more,
  }));
}
