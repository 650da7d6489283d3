import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envelope, openEnvelope, type RecordName, readEnvelope, recordRegistry, schemaName } from '../src/index.ts';
import { arbitraries } from '../src/testing.ts';
import { messageOf } from './check-error.ts';

const names = Object.keys(recordRegistry) as RecordName[];
const points = { candidate_probe_points: [] };

test.each<[RecordName, string]>([
  ['TestRunReport', 'h/test-run-report/1'],
  ['Pin', 'h/pin/1'],
  ['DefUseLogHeader', 'h/def-use-log-header/1'],
])('schemaName(%s)', (name, expected) => expect(schemaName(name)).toBe(expected));

test.each(names)('%s survives wrapping, text and reading', (name) => {
  fc.assert(
    fc.property(arbitraries[name] as fc.Arbitrary<never>, (value) => {
      const text = JSON.stringify(envelope(name, value));
      expect(readEnvelope(name, text)).toStrictEqual(value);
    }),
    { numRuns: 20 },
  );
});

describe('openEnvelope', () => {
  test('drops unknown keys beside and inside the data', () => {
    const wrapped = { schema: 'h/candidate-probe-points/1', written_by: 'x', data: { ...points, later: 1 } };
    expect(openEnvelope('CandidateProbePoints', wrapped)).toStrictEqual(points);
  });

  test('refuses unknown keys of an exact record', () => {
    const wrapped = { schema: 'h/intent-annotations/1', data: { annotations: [], later: 1 } };
    messageOf('invalid_record', () => openEnvelope('IntentAnnotations', wrapped));
  });

  test.each(['h/candidate-probe-points/2', 'h/candidate-probe-points/10'])('refuses another major: %s', (schema) => {
    const message = messageOf('unsupported_version', () =>
      openEnvelope('CandidateProbePoints', { schema, data: points }),
    );
    expect(message).toContain(schema);
    expect(message).toContain('h/candidate-probe-points/1');
  });

  test.each<[string, unknown]>([
    ['another record', { schema: 'h/pin/1', data: points }],
    ['another form of name', { schema: 'CandidateProbePoints', data: points }],
    ['a version with a leading zero', { schema: 'h/candidate-probe-points/01', data: points }],
    ['a bare record', points],
    ['null', null],
    ['text', 'h/candidate-probe-points/1'],
  ])('refuses %s', (_, value) => {
    expect(messageOf('unknown_schema', () => openEnvelope('CandidateProbePoints', value))).toContain(
      '"h/candidate-probe-points/1"',
    );
  });

  test('says what is wrong with the data', () => {
    const empty = messageOf('invalid_record', () =>
      openEnvelope('CandidateProbePoints', { schema: 'h/candidate-probe-points/1' }),
    );
    expect(empty).toContain('expected an object, got nothing');
  });

  test('touches nothing of what it is handed, whether it accepts or refuses', () => {
    const good = deepFreeze({ schema: 'h/candidate-probe-points/1', data: { ...points, later: { a: [1] } } });
    const read = openEnvelope('CandidateProbePoints', good);
    read.candidate_probe_points.push({
      rank: 1,
      location: 'a.py:1',
      suspiciousness: 1,
      failed_runs: 1,
      passed_runs: 0,
    });
    expect(good.data.candidate_probe_points).toEqual([]);
    const other = deepFreeze({ schema: 'h/candidate-probe-points/2', data: { anything: [1] } });
    messageOf('unsupported_version', () => openEnvelope('CandidateProbePoints', other));
    expect(other).toEqual({ schema: 'h/candidate-probe-points/2', data: { anything: [1] } });
  });
});

describe('envelope and readEnvelope', () => {
  test('a writer refuses an unknown key', () => {
    messageOf('invalid_record', () => envelope('CandidateProbePoints', { ...points, later: 1 } as never));
  });

  test.each(['', '{', 'undefined', '{"schema":'])('text that is not JSON: %j', (text) => {
    messageOf('not_json', () => readEnvelope('CandidateProbePoints', text));
  });

  test('the same record gives the same bytes', () => {
    const write = () => JSON.stringify(envelope('CandidateProbePoints', structuredClone(points)));
    expect(write()).toBe(write());
  });
});

describe('frozen examples of version 1', () => {
  const folder = new URL('fixtures/v1/', import.meta.url);
  const files = readdirSync(folder);

  test('there is one of every record', () => {
    expect(files.sort()).toEqual(names.map((name) => `${name}.json`).sort());
  });

  test.each(files)('%s is still read, with nothing lost', (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    expect(readEnvelope(file.replace('.json', '') as RecordName, text)).toEqual(JSON.parse(text).data);
  });
});

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
