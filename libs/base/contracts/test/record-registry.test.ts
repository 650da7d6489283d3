import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as contracts from '../src/index.ts';
import { type RecordName, recordRegistry } from '../src/index.ts';

const names = Object.keys(recordRegistry) as RecordName[];

/** Every record of contracts.md that this version holds: execution, diagnosis, generation, protection and the summary of a run. */
const designed = `
  IsolationPolicy ExecutionRequest TestCommand ExecutionResult Stream Receipt DeterminismVerdict TestRunReport TestResult TestDependencies
  Spectrum SpectrumReport CandidateProbePoints HypothesisSet ProbePlan TracePlan InstrumentedArtifact RawEvent DefUseLogHeader DefUseRow ObservedRun
  DivergenceRecord DynamicSlice StateObservation EvidencePack Claim ClaimCheck HypothesisVerdict ValueText TreeManifest
  IntentPackage EditChoice CandidateBatch ProposedEdit ChangeSet EditPackage AppliedCandidate ApplyRejection CandidateSet
  CandidateValidation ModelRequest ModelOutcome ModelUsage SearchReplaceAnswer WholeFileAnswer MultiEditAnswer
  ImpactGraph BlastRadius Obligation RegressionSelection BehaviorNet Pin Invariant Divergence FixCompleteness SurfaceVerdict Manifest
  IntentAnnotations PreservationLedger LedgerEntry PatchRanking`.match(/\S+/g) as string[];

test('holds every record of the design', () => {
  expect(designed.filter((name) => !(names as string[]).includes(name))).toEqual([]);
});

test('holds the schema that is exported under the same name, and no two under one name', () => {
  const exported = new Map<string, unknown>(Object.entries(contracts));
  for (const name of names) expect(recordRegistry[name].schema).toBe(exported.get(name));
  expect(new Set(names.map((name) => recordRegistry[name].schema)).size).toBe(names.length);
});

test('exactly the records the sources fix field by field are exact', () => {
  const exact = names.filter((name) => z.globalRegistry.get(recordRegistry[name].schema)?.exact === true);
  expect(exact.sort()).toEqual([
    'HypothesisSet',
    'IntentAnnotations',
    'MultiEditAnswer',
    'SearchReplaceAnswer',
    'StateObservation',
    'WholeFileAnswer',
  ]);
});

describe.each(names)('%s', (name) => {
  const { schema } = recordRegistry[name];

  test('is described', () => {
    expect(z.globalRegistry.get(schema)).toMatchObject({ id: name, description: expect.stringMatching(/\.$/) });
  });

  test('every number says its unit or base, every list its order, every table its key', () => {
    expect(silentFields(schema, name)).toEqual([]);
  });

  test('is made of strict objects and of nothing that JSON Schema cannot say', () => {
    expect(looseForms(schema, name)).toEqual([]);
  });
});

type Visit = (form: z.core.$ZodType, path: string) => string[];

function silentFields(schema: z.core.$ZodType, path: string): string[] {
  return walk(schema, path, (form, at) => {
    const needs = form instanceof z.ZodNumber || form instanceof z.ZodArray || form instanceof z.ZodRecord;
    return needs && describes(form) === undefined ? [at] : [];
  });
}

function looseForms(schema: z.core.$ZodType, path: string): string[] {
  const kinds = [
    'string',
    'number',
    'boolean',
    'enum',
    'literal',
    'array',
    'record',
    'tuple',
    'nullable',
    'optional',
    'lazy',
  ];
  return walk(schema, path, (form, at) => {
    if (form instanceof z.ZodObject) return form.def.catchall instanceof z.ZodNever ? [] : [at];
    return kinds.includes(form._zod.def.type) ? [] : [`${at} is ${form._zod.def.type}`];
  });
}

/** Items of a list and values of a table are named by the field that holds them. */
function walk(form: z.core.$ZodType, path: string, visit: Visit, inner = false): string[] {
  const found = inner ? [] : visit(form, path);
  if (form instanceof z.ZodObject)
    return [
      ...found,
      ...Object.entries(form.shape).flatMap(([key, field]) => walk(field as z.core.$ZodType, `${path}.${key}`, visit)),
    ];
  if (form instanceof z.ZodArray)
    return [...found, ...walk(form.element, `${path}[]`, visit, form.element instanceof z.ZodNumber)];
  if (form instanceof z.ZodRecord)
    return [...found, ...walk(form.valueType, `${path}{}`, visit, form.valueType instanceof z.ZodNumber)];
  if (form instanceof z.ZodNullable || form instanceof z.ZodExactOptional)
    return walk(
      form.unwrap() as z.core.$ZodType,
      path,
      (each, at) => (describes(form) === undefined ? visit(each, at) : []),
      inner,
    );
  return found;
}

function describes(form: z.core.$ZodType): string | undefined {
  return z.globalRegistry.get(form)?.description;
}
