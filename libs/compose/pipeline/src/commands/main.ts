// The `h` command: parses arguments, prints progress to stderr and the answer to stdout, and turns errors into exit codes.
import { Command, CommanderError } from 'commander';
import { EXIT } from '../errors.ts';
import { VERSION } from '../version.ts';
import { addDoctorCommand } from './doctor.ts';
import { reportError } from './report-error.ts';
import { addRunCommands } from './run.ts';
import { addSbflCommand } from './sbfl.ts';
import { addDiagnosisStages } from './stages/diagnosis-stages.ts';
import { addGenerationStages } from './stages/generation-stages.ts';
import { addProtectionStages } from './stages/protection-stages.ts';

const EXIT_CODES = `
Exit codes:
  0    a plausible patch that is not DIVERGENT (diagnose, propose, doctor: done)
  1    diagnosis without a patch
  2    DIVERGENT: the patch breaks behaviour that worked
  3    nothing fails
  64   usage or bad input
  69   the host lacks something
  70   a bug in h
  130  interrupted; nothing is left running
`;

/** Runs `h` with the given arguments and returns its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.patch;
  const finish = (code: number) => {
    exitCode = code;
  };
  const program = new Command('h')
    .description(
      'From a failing test to ranked statements, validated patches and a preservation ledger, from observed runs.',
    )
    .version(VERSION)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXIT_CODES);
  addRunCommands(program, finish);
  addDoctorCommand(program, finish);
  addSbflCommand(program, finish);
  addDiagnosisStages(program, finish);
  addGenerationStages(program, finish);
  addProtectionStages(program, finish);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return endOfParsing(error, argv.includes('--json'));
    return reportError(error, argv.includes('--json'));
  }
}

/** Help and version are answers; anything else that commander ends with is usage, which it has printed to stderr. */
function endOfParsing({ exitCode, code, message }: CommanderError, json: boolean): number {
  if (exitCode === 0) return EXIT.patch;
  const error = { code, message, hint: 'See h --help.', exit_code: EXIT.usage };
  if (json) process.stdout.write(`${JSON.stringify({ error })}\n`);
  return EXIT.usage;
}
