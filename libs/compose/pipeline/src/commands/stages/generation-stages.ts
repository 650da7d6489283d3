import {
  type CandidateBatch,
  type CandidateProbePoints,
  type EditPackage,
  type ModelCall,
  memoryArtifacts,
  type ProposedEdit,
  parseLoc,
} from '@h/contracts';
import type { RepairTarget } from '@h/fix-templates';
import { limitCalls, proposeCandidates } from '@h/llm-stub';
import { createParser, languageOf } from '@h/syntax';
import { compareReports, createSuiteRunner } from '@h/test-runners';
import { validateCandidates } from '@h/validate';
import { type Command, Option } from 'commander';
import { candidateQuestion } from '../../ask-model.ts';
import { decodeSource } from '../../decode-source.ts';
import { nearestIds } from '../../diagnose-failure.ts';
import { badInput, EXIT, unknownTest } from '../../errors.ts';
import { type CandidateSources, describeMerges, settle } from '../../propose-candidates.ts';
import { rankEdits } from '../../rank-edits.ts';
import { readRepository } from '../../read-repository.ts';
import { DEFAULT_BUDGET } from '../../run-pipeline.ts';
import { type ModelFlags, openModel } from '../open-model.ts';
import { wholeNumber } from '../option-values.ts';
import { readCandidates, readRecord } from '../read-input.ts';
import { addStageCommand, type SessionFlags, withSession } from './stage-command.ts';

type Finish = (exitCode: number) => void;

/** Adds `templates`, `ask`, `apply`, `dedup` and `validate`. */
export function addGenerationStages(program: Command, finish: Finish): void {
  addTemplates(program, finish);
  addAsk(program, finish);
  addApply(program, finish);
  addDedup(program, finish);
  addValidate(program, finish);
}

const DEFAULT_LIMIT = 250;

interface TemplatesFlags {
  readonly repo: string;
  readonly points: string;
  readonly limit: number;
  readonly observed?: string;
  readonly multiEdit?: boolean;
}

function addTemplates(program: Command, finish: Finish): void {
  addStageCommand<TemplatesFlags>(program, finish, {
    name: 'templates',
    description: 'h/candidate-probe-points → h/candidate-batch per statement, from repair templates',
    options: (command) =>
      command
        .option('--repo <dir>', 'the repository', '.')
        .requiredOption('--points <file>', 'the h/candidate-probe-points')
        .option('--observed <file>', 'an h/observed-run of a failing test: what it shows ranks the proposals')
        .option('--multi-edit', 'also pairs of changes that lie apart, as lists of blocks')
        .option('--limit <n>', 'proposals, at most', wholeNumber, DEFAULT_LIMIT),
    example: 'h templates --repo shop --points points.json --limit 50',
    async run({ repo, points, limit, observed: path, multiEdit }, { write }) {
      const sources = await openSources(repo);
      try {
        const { data } = await readRecord(points, 'CandidateProbePoints');
        const { texts, targets } = await readTargets(sources, data);
        const observed = path === undefined ? undefined : (await readRecord(path, 'ObservedRun')).data;
        const { batches } = rankEdits({
          sources: texts,
          targets,
          failures: observed?.failure === undefined ? [] : [observed.failure],
          ...(observed === undefined ? {} : { observed }),
          ...(multiEdit === undefined ? {} : { multiEdit }),
          parser: sources.parser,
          limit,
        });
        for (const batch of batches) write('CandidateBatch', batch);
        if (batches.length === 0)
          process.stderr.write(
            `h: no template fits: ${targets.length} of the points are statements of files in ${repo}\n`,
          );
        return batches.length === 0 ? EXIT.noPatch : EXIT.patch;
      } finally {
        sources.parser.dispose();
      }
    },
  });
}

async function readTargets({ repository, parser }: CandidateSources, { candidate_probe_points }: CandidateProbePoints) {
  const files = new Map<string, string>();
  const targets: RepairTarget[] = [];
  for (const { location, suspiciousness, rank } of candidate_probe_points) {
    const { file, line } = parseLoc(location);
    const language = languageOf(file);
    const bytes = await repository.reader.read(file).catch(() => undefined);
    if (language === undefined || bytes === undefined) continue;
    const text = files.get(file) ?? decodeSource(bytes);
    if (text === undefined) continue;
    files.set(file, text);
    const statement = parser.outline(text, language).statements.find(({ first }) => first === line);
    targets.push({ file, first: line, last: statement?.last ?? line, score: suspiciousness, rank });
  }
  return { texts: files, targets };
}

interface AskFlags extends ModelFlags {
  readonly repo: string;
  readonly intent: string;
}

function addAsk(program: Command, finish: Finish): void {
  addStageCommand<AskFlags>(program, finish, {
    name: 'ask',
    description: 'h/intent-package → h/candidate-batch, from one question to a model',
    options: (command) =>
      command
        .option('--repo <dir>', 'the repository', '.')
        .requiredOption('--intent <file>', 'the h/intent-package')
        .option('--model <url>', 'an OpenAI-compatible server (key: H_MODEL_API_KEY)')
        .option('--model-name <name>', 'the model to ask there')
        .option('--recordings <dir>', 'keep the answers here; without --model: give them again'),
    example: 'h ask --intent intent.json --model http://localhost:8080/v1 --model-name qwen',
    async run(flags, { write, signal }) {
      const { model } = openModel(flags, process.env.H_MODEL_API_KEY);
      if (model === undefined) throw badInput('No model is named.', 'Give --model with --model-name, or --recordings.');
      const batch = await askOnce(flags, model, signal);
      write('CandidateBatch', batch);
      return batch.candidates.length === 0 ? EXIT.noPatch : EXIT.patch;
    },
  });
}

async function askOnce(
  { repo, intent: file }: AskFlags,
  model: ModelCall,
  signal: AbortSignal,
): Promise<CandidateBatch> {
  const { data: intent } = await readRecord(file, 'IntentPackage');
  const repository = await readRepository(repo, memoryArtifacts());
  const bytes = await repository.reader.read(intent.target.file).catch((error: unknown) => {
    throw badInput(
      `No file ${intent.target.file} in ${repo}.`,
      'Name the repository that the intent speaks of.',
      error,
    );
  });
  const text = decodeSource(bytes);
  if (text === undefined) throw badInput(`${intent.target.file} is not UTF-8.`, 'A model is asked about text only.');
  const question = candidateQuestion(intent, text);
  const { batch, call } = await proposeCandidates(question, limitCalls(model, 1), { signal });
  if (call.status === 'no_op') process.stderr.write(`h: no answer: ${call.kind}: ${call.reason}\n`);
  return batch;
}

function addApply(program: Command, finish: Finish): void {
  addStageCommand<{ repo: string; candidates: string }>(program, finish, {
    name: 'apply',
    description: 'h/candidate-batch or h/edit-package → h/applied-candidate or h/apply-rejection; writes no file',
    options: withCandidates,
    example:
      'h apply --repo shop --candidates fix.json | jq -r \'select(.schema == "h/applied-candidate/1").data.unified_diff.data\'',
    async run(flags, { write }) {
      const { candidates, set } = await settleGiven(flags, { isDeduplicated: false });
      for (const { record } of candidates) write('AppliedCandidate', record);
      for (const rejection of set.rejected) write('ApplyRejection', rejection);
      return candidates.length === 0 ? EXIT.noPatch : EXIT.patch;
    },
  });
}

/** The rung of a compiler needs an interpreter, which a stage over files alone has not. */
const RUNGS = ['bytes', 'tokens', 'tree', 'names'] as const;

function addDedup(program: Command, finish: Finish): void {
  addStageCommand<{ repo: string; candidates: string; rung: (typeof RUNGS)[number] }>(program, finish, {
    name: 'dedup',
    description: 'h/candidate-batch → h/candidate-set: one of those that are the same program, with what was collapsed',
    options: (command) =>
      withCandidates(command).addOption(
        new Option('--rung <name>', 'the highest level of equality that may join two').choices(RUNGS).default('tokens'),
      ),
    example: 'h dedup --repo shop --candidates batch.json --rung names | jq .data.collapsed',
    async run(flags, { write }) {
      const { set } = await settleGiven(flags, { isDeduplicated: true, rung: flags.rung });
      const merged = describeMerges(set);
      if (merged !== undefined) process.stderr.write(`h: ${merged}\n`);
      write('CandidateSet', set);
      return set.candidates.length === 0 ? EXIT.noPatch : EXIT.patch;
    },
  });
}

function withCandidates(command: Command): Command {
  return command
    .option('--repo <dir>', 'the repository', '.')
    .requiredOption('--candidates <file>', 'an h/candidate-batch or h/edit-package ("-": stdin)');
}

async function settleGiven(
  { repo, candidates }: { repo: string; candidates: string },
  how: NonNullable<Parameters<typeof settle>[2]>,
) {
  const sources = await openSources(repo);
  try {
    return await settle(sources, proposalsOf(await readCandidates(candidates)), how);
  } finally {
    sources.parser.dispose();
  }
}

function proposalsOf(given: CandidateBatch | EditPackage): readonly (ProposedEdit | EditPackage)[] {
  return 'candidates' in given ? given.candidates : [given];
}

async function openSources(repo: string): Promise<CandidateSources> {
  const artifacts = memoryArtifacts();
  return { repository: await readRepository(repo, artifacts), parser: await createParser(), artifacts };
}

interface ValidateFlags extends SessionFlags {
  readonly candidates: string;
  readonly results: string;
  readonly test?: string[];
  readonly budget: number;
  readonly batch?: boolean;
}

function addValidate(program: Command, finish: Finish): void {
  addStageCommand<ValidateFlags>(program, finish, {
    name: 'validate',
    description: 'h/candidate-batch, the h/test-run-report before → h/candidate-validation each',
    options: (command) =>
      withSession(command)
        .requiredOption('--candidates <file>', 'an h/candidate-batch or h/edit-package ("-": stdin)')
        .requiredOption('--results <file>', 'the h/test-run-report of the repository as it is')
        .option('--test <id...>', 'failing tests that a candidate has to mend (default: all that fail)')
        .option('--budget <n>', 'test-runner executions, at most', wholeNumber, DEFAULT_BUDGET)
        .option('--no-batch', 'start the test runner anew for each candidate'),
    example: 'h validate --repo shop --candidates batch.json --results report.json',
    async run(flags, io) {
      const session = await io.open(flags);
      const { data: baseline } = await readRecord(flags.results, 'TestRunReport');
      const { repository, parser, home, host } = session;
      const suite = createSuiteRunner(session.suite, host, { baseline });
      const proposals = proposalsOf(await readCandidates(flags.candidates));
      const { candidates, set } = await settle({ repository, parser, artifacts: home.artifacts }, proposals);
      for (const { candidate_id, reason, path } of set.rejected)
        process.stderr.write(
          `h: candidate ${candidate_id.slice(0, 8)} was not applied: ${reason} in ${path ?? 'its files'}\n`,
        );
      if (candidates.length === 0) return EXIT.noPatch;
      const { failing } = compareReports(baseline, baseline);
      const ids = baseline.tests.map(({ test }) => test);
      for (const test of flags.test ?? []) if (!ids.includes(test)) throw unknownTest(test, nearestIds(test, ids));
      if (flags.test === undefined && failing.length === 0) {
        process.stderr.write('h: no test of the report fails: there is nothing that a candidate could mend\n');
        return EXIT.nothingFailing;
      }
      const { validations } = await validateCandidates({
        candidates: candidates.map(({ record, changes }) => ({ candidate_id: record.candidate_id, changes })),
        baseline,
        tree: host.tree,
        artifacts: host.artifacts,
        failing: flags.test ?? failing,
        plan: suite.plan,
        runTests: suite.runTests,
        ...(flags.batch === false ? {} : { runBatch: suite.runBatch }),
        budget: { executions: flags.budget },
        concurrency: host.executor.capabilities.concurrency,
        signal: io.signal,
      });
      for (const validation of validations) io.write('CandidateValidation', validation);
      return validations.some(({ status }) => status === 'plausible') ? EXIT.patch : EXIT.noPatch;
    },
  });
}
