// What every stage command shares: enveloped records in, one envelope a line out, and a session where something is run.
import { type Envelope, envelope, type RecordName, type RecordOf } from '@h/contracts';
import type { Command } from 'commander';
import { badInput, EXIT } from '../../errors.ts';
import { openSession, type Session } from '../../open-session.ts';
import { type ProjectFlags, projectOptions, withProject } from '../project-options.ts';
import { showProgress } from '../show-progress.ts';

export interface StageCommand<Flags> {
  readonly name: string;
  /** What goes in and what comes out, in one line. */
  readonly description: string;
  readonly options: (command: Command) => Command;
  readonly example: string;
  readonly run: (flags: Flags, io: StageIo) => Promise<number | undefined>;
}

export interface StageIo {
  /** Writes one record as a line of stdout. */
  write<Name extends RecordName>(name: Name, data: RecordOf<Name>): void;
  readonly signal: AbortSignal;
  /** Opens the repository for running; it is closed when the command ends. */
  open(flags: SessionFlags): Promise<Session>;
}

export type SessionFlags = ProjectFlags;

/** Adds a command for one stage. Its answer is NDJSON on stdout, one envelope a line; progress and errors go to stderr. */
export function addStageCommand<Flags>(
  program: Command,
  finish: (exitCode: number) => void,
  stage: StageCommand<Flags>,
): void {
  const command = program
    .command(stage.name)
    .description(stage.description)
    .helpGroup('One stage, records in and out:');
  stage
    .options(command)
    .option('--quiet', 'no progress on stderr')
    .addHelpText('after', `\nExample:\n  $ ${stage.example}`)
    .action(async (flags: Flags & { readonly quiet?: boolean }) => finish(await execute(stage, flags)));
}

async function execute<Flags>(
  stage: StageCommand<Flags>,
  flags: Flags & { readonly quiet?: boolean },
): Promise<number> {
  const progress = showProgress(process.stderr, flags.quiet === true);
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const sessions: Session[] = [];
  const io: StageIo = {
    write: (name, data) => {
      const line: Envelope = envelope(name, data);
      process.stdout.write(`${JSON.stringify(line)}\n`);
    },
    signal: interrupt.signal,
    open: async (flags) => {
      const session = await openSession({
        ...projectOptions(flags),
        environment: process.env,
        signal: interrupt.signal,
        onEvent: progress.onEvent,
      });
      sessions.push(session);
      return session;
    },
  };
  try {
    return (await stage.run(flags, io)) ?? EXIT.patch;
  } catch (error) {
    throw asBadInput(error);
  } finally {
    progress.end();
    for (const session of sessions) await session.close();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** What a stage refuses is what it was given; a sandbox that cannot be had is not. */
function asBadInput(error: unknown): unknown {
  const { code, hint, name, message, exitCode } = error as Error & { code?: string; hint?: string; exitCode?: number };
  const isRefusal =
    typeof code === 'string' && typeof hint === 'string' && exitCode === undefined && name !== 'SandboxError';
  return isRefusal ? badInput(message, hint, error) : error;
}

/** The options of a command that runs something in a repository. */
export function withSession(command: Command): Command {
  return withProject(command);
}
