/** What only the probes of `@h/agents` put into a program or a tree. */
const PROBES = /\bglobalThis\s*\.\s*__hp?\b|\b__h_[pv]\d+_*\b|\b__h_[tcn]__|\.h-agent\/\w/;

/** Whether a text, such as a candidate's diff, holds anything that instrumentation put there (seed 12 §7.5, probe-bleed). */
export function holdsProbes(text: string): boolean {
  return PROBES.test(text);
}
