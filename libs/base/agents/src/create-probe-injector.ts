import { bindScopes } from './bind-scopes.ts';
import { reasonsAsValues } from './create-statement-injector.ts';
import { findProbeSites, type PlannedSites } from './find-probe-sites.ts';
import { injectProbes } from './inject-probes.ts';
import { type InjectableLanguage, loadProgramEditor, type ParsedProgram, type ProgramEditor } from './parse-program.ts';
import type { ProbeSpec } from './probe-table.ts';
import type { HiddenNames } from './write-probe.ts';

/** A program with value probes at planned statements; its lines stay where they are. */
export interface ProbedProgram {
  readonly text: string;
  /** Probes that were placed: their `ProbeSpec.n`, ascending. */
  readonly placed: readonly number[];
}

export interface ProbeInjectOptions {
  /** Decides between module and script by its extension; appears nowhere in the result. */
  readonly path: string;
  /** The probes of this file, as in the probe table that the runtime reads. */
  readonly probes: readonly ProbeSpec[];
}

export interface ProbeInjector {
  /** Synchronous. A program that does not parse, before or after, is skipped with the reason: leave such a file as it is. */
  inject(text: string, language: InjectableLanguage, options: ProbeInjectOptions): ProbedProgram | { skipped: string };
}

/**
 * Loads the parser and gives an injector of value probes into JavaScript and TypeScript. A probe is found by its offset or, where it has
 * none, by its line and role. Only names that the file itself binds are read, and none whose reading could run code; every other
 * name counts as unbound. Where the runtime is absent, the program runs as before.
 */
export async function createProbeInjector(): Promise<ProbeInjector> {
  const editor = await loadProgramEditor();
  return {
    inject(text, language, { path, probes }) {
      return reasonsAsValues(() => injectInto(editor, { text, language, path }, probes));
    },
  };
}

interface Program {
  readonly text: string;
  readonly language: InjectableLanguage;
  readonly path: string;
}

function injectInto(
  editor: ProgramEditor,
  program: Program,
  probes: readonly ProbeSpec[],
): ProbedProgram | { skipped: string } {
  let placed: number[] = [];
  const result = editor.edit(program, (parsed, into) => {
    const tree = parsed.tree();
    const sites = findProbeSites(tree, program.text, probes, stanceOf(parsed, program));
    placed = placedOf(sites);
    if (placed.length === 0) return;
    const names = hiddenNames(program.text, placed[0] ?? 0);
    injectProbes(tree, { sites, bound: bindScopes(tree), names, into });
  });
  return 'skipped' in result ? result : { text: result.text, placed };
}

function stanceOf({ isModule }: ParsedProgram, { language }: Program): { isStrict: boolean; isTypeScript: boolean } {
  return { isStrict: isModule, isTypeScript: language !== 'javascript' };
}

function placedOf({ statements, entries }: PlannedSites): number[] {
  return [...statements.values(), ...entries.values()].map(({ n }) => n).sort((a, b) => a - b);
}

/** Told apart by file, so that two scripts of one realm do not declare the same. */
function hiddenNames(text: string, first: number): HiddenNames {
  for (let suffix = `${first}`; ; suffix += '_') {
    const [probe, temporary] = [`__h_p${suffix}`, `__h_v${suffix}`];
    if (!text.includes(probe) && !text.includes(temporary)) return { probe, temporary };
  }
}
