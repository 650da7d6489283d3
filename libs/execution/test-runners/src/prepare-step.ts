import { inFolder } from './detection.ts';

/** What a build step printed when it failed, relative to the folder the tests start in. */
const LOG = '.h-agent/prepare.log';

/** `$1` the step, `$2` the root, then the command itself. The plan is not for the step; what it prints is kept where it fails. */
const SCRIPT = [
  'mkdir -p .h-agent',
  `if (cd "$2" && unset H_AGENT_PLAN && eval "$1") >${LOG} 2>&1 </dev/null`,
  `then rm -f ${LOG}; rmdir .h-agent 2>/dev/null; shift 2; exec "$@"`,
  `else echo "exit code $?" >>${LOG}; exit 97; fi`,
].join('\n');

/** A command behind a build step, in the same private copy: what the step makes, of a patched source too, is what the tests see. */
export function withPrepareStep(argv: readonly string[], step: string, root: string): string[] {
  return ['sh', '-c', SCRIPT, 'prepare', step, root, ...argv];
}

/** The command itself, without the build step before it. */
export function withoutPrepareStep(argv: readonly string[]): readonly string[] {
  return argv[2] === SCRIPT ? argv.slice(6) : argv;
}

/** Path of the file that is there exactly when the build step failed, from the root of the tree. */
export function prepareLogPath(cwd: string): string {
  return inFolder(cwd, LOG);
}
