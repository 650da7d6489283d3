// One run with coverage of the tests of a few files, in plain processes.
import { memoryArtifacts, type TestRunReport } from '@h/contracts';
import { detectRunners, type RunTestsOptions, runTests } from '../src/index.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

export async function runCovered(
  files: Record<string, string>,
  runner: 'unittest' | 'pytest' | 'node:test',
  program: { readonly python: string } | { readonly node: string },
  options: RunTestsOptions = {},
): Promise<TestRunReport> {
  const artifacts = memoryArtifacts();
  const [detection] = await detectRunners(readerOf(files), { runner });
  if (detection === undefined) throw new Error('no runner found');
  const tree = await treeOf(files, artifacts);
  const executor = processExecutor(artifacts);
  const host = { executor, artifacts, policy: policy(), environment: '0'.repeat(64), tree, ...program };
  return runTests(detection, host, { coverage: true, ...options });
}

/** `file:lines` of each file that a test executed. */
export function linesOfTest({ coverage = [] }: TestRunReport['tests'][number]): string {
  return coverage.map(({ file, lines }) => `${file}:${lines}`).join(' ');
}
