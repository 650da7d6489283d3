// Small programs by name, read once, for the tests of the pure parts.
import type { CandidateProbePoints, HypothesisSet, Loc, TestFailure } from '@h/contracts';
import { createParser, type Language, languageOf } from '@h/syntax';
import type { ProgramShape } from '../src/index.ts';

export const parser = await createParser();

/** Outlines and names of the given texts. */
export function shapeOf(files: Record<string, string>): ProgramShape {
  const read = Object.entries(files).map(([file, text]) => ({ file, text, language: languageOf(file) as Language }));
  return {
    outlines: new Map(read.map(({ file, text, language }) => [file, parser.outline(text, language)])),
    names: new Map(read.map(({ file, text, language }) => [file, parser.names(text, language)])),
  };
}

/** Candidates in the given order. */
export function ranked(...locations: Loc[]): CandidateProbePoints {
  return {
    candidate_probe_points: locations.map((location, index) => ({
      rank: index + 1,
      location,
      suspiciousness: 1,
      failed_runs: 1,
      passed_runs: 0,
    })),
  };
}

export function failureAt(location: Loc, ...frames: Loc[]): TestFailure {
  return { class: 'AssertionError', message: '', location, frames: [location, ...frames] };
}

/** `h1: variable at location, expectation`. */
export function hypotheses(...observed: [variable: string, location: string, expectation?: string][]): HypothesisSet {
  return {
    debugging_question: 'why?',
    hypotheses: observed.map(([variable, location, expectation = '== 1'], index) => ({
      hypothesis_id: `h${index + 1}`,
      claim: 'it is wrong',
      observe: { variable, location },
      expectation,
    })),
  };
}
