import { nodeText, pythonText } from './agent-text.ts';

/** A file that travels in the tree and runs inside the target. */
export interface AgentFile {
  /** Relative to the folder the runner starts in: `.h-agent/<name>`. */
  readonly path: string;
  readonly text: string;
}

/** Folder of the agent files, in the folder the runner starts in. */
export const AGENT_FOLDER = '.h-agent';

/** The Python agents (CPython 3.8 to 3.13, standard library only): pytest plugin, unittest runner, start of a program, and what they share. */
export function pythonAgent(): AgentFile[] {
  return filesOf(pythonText);
}

/** The Node agents (Node ≥ 20.19; those of vitest ≥ 18): vitest, node:test, start of a program, and what they share. */
export function nodeAgent(): AgentFile[] {
  return filesOf(nodeText);
}

function filesOf(texts: Readonly<Record<string, string>>): AgentFile[] {
  return Object.keys(texts).map((name) => ({ path: `${AGENT_FOLDER}/${name}`, text: texts[name] ?? '' }));
}
