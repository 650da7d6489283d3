// Runs of small JavaScript projects with the packages of this repository.
import { join } from 'node:path';
import { memoryArtifacts, parseRecord, type TestRunReport, TestRunReport as TestRunReportSchema } from '@h/contracts';
import { detectRunners, listTests, type RunTestsOptions, runTests } from '../src/index.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

const ours = join(import.meta.dirname, '../../../../node_modules');

export interface Setting {
  readonly wallMs?: number;
  /** Folder of packages, to check other majors by hand; default this repository's. */
  readonly packages?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

async function hostOf(files: Record<string, string>, { wallMs = 60_000, packages = ours, env = {} }: Setting) {
  const artifacts = memoryArtifacts();
  const [detection] = await detectRunners(readerOf(files));
  if (detection === undefined) throw new Error('no runner found');
  const host = {
    executor: processExecutor(artifacts, [{ at: 'node_modules', target: packages }]),
    artifacts,
    policy: policy({ wall_ms: wallMs, env_set: env }),
    environment: '0'.repeat(64),
    tree: await treeOf(files, artifacts),
    node: process.execPath,
  };
  return { detection, host };
}

export async function runProject(files: Record<string, string>, options: RunTestsOptions & Setting = {}) {
  const { detection, host } = await hostOf(files, options);
  return parseRecord(TestRunReportSchema, await runTests(detection, host, options));
}

export async function listProject(files: Record<string, string>, setting: Setting = {}) {
  const { detection, host } = await hostOf(files, setting);
  return listTests(detection, host);
}

export function outcomesOf(report: TestRunReport): Record<string, string> {
  return Object.fromEntries(report.tests.map(({ test, outcome }) => [test, outcome]));
}

export function testOf(report: TestRunReport, end: string) {
  const found = report.tests.find(({ test }) => test.endsWith(end));
  if (found === undefined) throw new Error(`no ${end}`);
  return found;
}

/** Lines by file. */
export function linesOf(report: TestRunReport, end: string): Record<string, string> {
  return Object.fromEntries((testOf(report, end).coverage ?? []).map(({ file, lines }) => [file, lines]));
}
