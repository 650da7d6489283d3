import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { directoryArtifacts, getTree, memoryArtifacts } from '@h/contracts';
import { selectTests } from '@h/ekstazi-select';
import { buildLedger } from '@h/ledger';
import { compareReports } from '@h/test-runners';
import type { Command } from 'commander';
import { badInput, EXIT } from '../../errors.ts';
import { readRepository } from '../../read-repository.ts';
import { readRecord } from '../read-input.ts';
import { addStageCommand } from './stage-command.ts';

type Finish = (exitCode: number) => void;

/** Adds `select` and `ledger`. */
export function addProtectionStages(program: Command, finish: Finish): void {
  addSelect(program, finish);
  addLedger(program, finish);
}

function addSelect(program: Command, finish: Finish): void {
  addStageCommand<{ repo: string; since: string }>(program, finish, {
    name: 'select',
    description:
      'what changed since an observed run → h/regression-selection: tests to run, and every other with its reason',
    options: (command) =>
      command
        .option('--repo <dir>', 'the repository as it is now', '.')
        .requiredOption('--since <run>', 'folder of a run of h: its tests were observed'),
    example: "h select --since .h/runs/1192ee8c3168ba01 | jq -r '.data.selected[].test'",
    async run({ repo, since }, { write }) {
      if (!existsSync(join(since, 'run-summary.json')))
        throw badInput(
          `${since} is no folder of a run of h.`,
          'Name a folder such as .h/runs/1192ee8c3168ba01; h diagnose makes one.',
        );
      const { data: baseline } = await readRecord(join(since, 'test-run-report-with-coverage.json'), 'TestRunReport');
      const { data: summary } = await readRecord(join(since, 'run-summary.json'), 'RunSummary');
      const store = directoryArtifacts(join(dirname(dirname(since)), 'artifacts'));
      const before = await getTree(summary.tree, store).catch((error: unknown) => {
        throw badInput(`The files of the run ${since} are gone.`, 'Run h diagnose again.', error);
      });
      const { entries: after } = await readRepository(repo, memoryArtifacts());
      const selection = selectTests({ baseline, before, after });
      write('RegressionSelection', selection);
      const total = selection.selected.length + selection.skipped.length;
      process.stderr.write(
        `${selection.selected.length} of ${total} tests to run${selection.safe ? '' : `; not safe: ${selection.why_unsafe?.join('; ')}`}\n`,
      );
      return EXIT.patch;
    },
  });
}

interface LedgerFlags {
  readonly baseline: string;
  readonly candidate: string;
  readonly patchId: string;
  readonly test?: string[];
  readonly changed?: string[];
}

function addLedger(program: Command, finish: Finish): void {
  addStageCommand<LedgerFlags>(program, finish, {
    name: 'ledger',
    description: 'h/test-run-report before and after a patch → h/ledger-entry',
    options: (command) =>
      command
        .requiredOption('--baseline <file>', 'the h/test-run-report without the patch')
        .requiredOption('--candidate <file>', 'the h/test-run-report with it')
        .requiredOption('--patch-id <sha>', 'the candidate id')
        .option('--test <id...>', 'tests that the patch is to mend (default: all that fail without it)')
        .option('--changed <path...>', 'files that the patch changes'),
    example: 'h ledger --baseline before.json --candidate after.json --patch-id $(sha256sum fix.diff | cut -c1-64)',
    async run(flags, { write }) {
      const { data: baseline } = await readRecord(flags.baseline, 'TestRunReport');
      const { data: candidate } = await readRecord(flags.candidate, 'TestRunReport');
      const entry = buildLedger({
        patch_id: flags.patchId,
        baseline,
        candidate,
        failing: flags.test ?? compareReports(baseline, baseline).failing,
        impact: 'not_analysed',
        changedFiles: flags.changed ?? [],
      });
      write('LedgerEntry', entry);
      return entry.ledger.regression_status === 'DIVERGENT' ? EXIT.divergent : EXIT.patch;
    },
  });
}
