import type { SourceReader } from '@h/contracts';
import type { Detection, RunnerName } from './detection.ts';
import { readRepository } from './read-repository.ts';
import { detectJest } from './runners/jest.ts';
import { detectMocha } from './runners/mocha.ts';
import { detectNodeTest } from './runners/node-test.ts';
import { detectPython } from './runners/python.ts';
import { detectVitest } from './runners/vitest.ts';

/** A detection with how sure it is: higher first, then the folder nearest the root, then runner and path. */
export interface Candidate {
  readonly detection: Detection;
  readonly score: number;
}

export interface DetectOptions {
  /** Only this runner, also where the project's files speak for another: unittest test cases that pytest would run, and the other way round. */
  readonly runner?: RunnerName;
}

/**
 * The runners of a repository, best first: explicit configuration before use in test files before a mere dependency,
 * folders nearer the root first. Nothing is started. Empty when no tests are found; never throws for an odd repository.
 */
export async function detectRunners(reader: SourceReader, { runner }: DetectOptions = {}): Promise<Detection[]> {
  const repository = await readRepository(reader);
  const found: Candidate[] = [
    ...(await detectPython(repository, runner)),
    ...(await detectVitest(repository)),
    ...(await detectJest(repository)),
    ...(await detectMocha(repository)),
    ...(await detectNodeTest(repository)),
  ];
  const depth = ({ detection }: Candidate) => (detection.cwd === '' ? 0 : detection.cwd.split('/').length);
  const key = ({ detection }: Candidate) => `${detection.cwd}\0${detection.runner}`;
  return found
    .filter(({ detection }) => runner === undefined || detection.runner === runner)
    .sort((a, b) => b.score - a.score || depth(a) - depth(b) || (key(a) < key(b) ? -1 : 1))
    .map(({ detection }) => detection);
}
