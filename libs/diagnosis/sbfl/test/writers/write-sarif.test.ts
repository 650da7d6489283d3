import { describe, expect, test } from 'vitest';
import { rankStatements, writeSarif } from '../../src/index.ts';
import { drawSpectrum } from '../draw-spectrum.ts';

const report = rankStatements(
  drawSpectrum(`
          F1 P1 P2 S1
      a:3 x  .  .  .
      a:4 x  .  .  .
      b:1 x  x  .  .
      b:2 x  x  x  .
      c:1 x  x  x  .  import`),
);
type Json = { readonly [key: string]: Json } & readonly Json[];
const read = (text: string): Json => JSON.parse(text) as Json;

/** Keys that SARIF 2.1.0 (OASIS, §3) defines, of the objects that are written; every object is closed in its schema. */
const keysOf: Readonly<Record<string, readonly string[]>> = {
  sarifLog: ['$schema', 'version', 'runs'],
  run: ['tool', 'columnKind', 'originalUriBaseIds', 'invocations', 'results', 'properties'],
  tool: ['driver'],
  toolComponent: ['name', 'version', 'rules'],
  reportingDescriptor: ['id', 'shortDescription'],
  invocation: ['executionSuccessful', 'toolExecutionNotifications'],
  notification: ['level', 'message'],
  result: ['ruleId', 'ruleIndex', 'level', 'message', 'rank', 'locations', 'properties'],
  location: ['physicalLocation'],
  physicalLocation: ['artifactLocation', 'region'],
  artifactLocation: ['uri', 'uriBaseId', 'description'],
  region: ['startLine'],
  message: ['text'],
};

/** Checks what the schema of SARIF 2.1.0 demands of these objects: closed keys, required ones, types, enumerations, bounds. */
function checkStructure(log: Json): void {
  const keys = (kind: string, value: unknown) =>
    expect(keysOf[kind], kind).toEqual(expect.arrayContaining(Object.keys(value as object)));
  const message = (value: unknown) => {
    keys('message', value);
    expect(value).toEqual({ text: expect.any(String) });
  };
  keys('sarifLog', log);
  expect(log.version).toBe('2.1.0');
  for (const run of log.runs ?? []) {
    keys('run', run);
    keys('tool', run.tool);
    keys('toolComponent', run.tool?.driver);
    expect(run.tool?.driver?.name).toEqual(expect.stringMatching(/./));
    expect(['utf16CodeUnits', 'unicodeCodePoints']).toContain(run.columnKind);
    const rules = run.tool?.driver?.rules ?? [];
    for (const rule of rules) {
      keys('reportingDescriptor', rule);
      message(rule.shortDescription);
    }
    for (const base of Object.values(run.originalUriBaseIds ?? {})) {
      keys('artifactLocation', base);
      message((base as Json).description);
    }
    for (const invocation of run.invocations ?? []) {
      keys('invocation', invocation);
      expect(invocation.executionSuccessful).toEqual(expect.any(Boolean));
      for (const notification of invocation.toolExecutionNotifications ?? []) {
        keys('notification', notification);
        message(notification.message);
      }
    }
    for (const result of run.results ?? []) {
      keys('result', result);
      message(result.message);
      expect(['none', 'note', 'warning', 'error']).toContain(result.level);
      expect(rules[Number(result.ruleIndex)]?.id).toBe(result.ruleId);
      if (result.rank !== undefined) {
        expect(Number(result.rank)).toBeGreaterThanOrEqual(0);
        expect(Number(result.rank)).toBeLessThanOrEqual(100);
      }
      for (const location of result.locations ?? []) {
        keys('location', location);
        keys('physicalLocation', location.physicalLocation);
        keys('artifactLocation', location.physicalLocation?.artifactLocation);
        keys('region', location.physicalLocation?.region);
        expect(Number(location.physicalLocation?.region?.startLine)).toBeGreaterThanOrEqual(1);
        expect(() => new URL(String(location.physicalLocation?.artifactLocation?.uri), 'file:///r/')).not.toThrow();
      }
    }
  }
}

describe('clause 3: SARIF 2.1.0', () => {
  test('a result a statement, in rank order, with the reserve apart', () => {
    const log = read(writeSarif(report));
    checkStructure(log);
    const results = log.runs?.[0]?.results ?? [];
    expect(
      results.map(({ ruleId, level, rank, properties }: Json) => [
        ruleId,
        level,
        Math.round(Number(rank)),
        properties?.rank,
      ]),
    ).toEqual([
      ['suspicious-statement', 'warning', 100, 1],
      ['suspicious-statement', 'warning', 100, 2],
      ['suspicious-statement', 'warning', 71, 3],
      ['executed-by-every-test', 'note', 0, 4],
      ['executed-by-every-test', 'note', 0, 5],
    ]);
    expect(results[0]).toMatchObject({
      message: { text: 'Rank 1: executed by 1 of 1 failing and 0 of 2 passing tests; 2 statements have this score.' },
      locations: [
        { physicalLocation: { artifactLocation: { uri: 'a', uriBaseId: '%SRCROOT%' }, region: { startLine: 3 } } },
      ],
      properties: { tieSize: 2, worstRank: 2, group: 0, score: 1, tier: 'discriminating' },
    });
    expect(log.runs?.[0]?.invocations?.[0]?.toolExecutionNotifications).toEqual([
      { level: 'note', message: { text: 'S1 was left out: skipped' } },
    ]);
  });

  test('limit, version, nothing ranked, same bytes', () => {
    const log = read(writeSarif(report, { limit: 2, version: '1.2.3' }));
    checkStructure(log);
    expect(log.runs?.[0]?.results).toHaveLength(2);
    expect(log.runs?.[0]?.tool?.driver?.version).toBe('1.2.3');
    expect(log.runs?.[0]?.properties?.rankedStatements).toBe(5);
    const empty = read(writeSarif(rankStatements(drawSpectrum('P1\na:1 x'))));
    checkStructure(empty);
    expect(empty.runs?.[0]?.results).toEqual([]);
    expect(writeSarif(report)).toBe(writeSarif(report));
  });

  test('a formula that is not from 0 to 1 has no rank of SARIF', () => {
    const drawing = drawSpectrum(`F1 F2 P1\na:1 x x .\na:2 x . x`);
    for (const formula of ['dstar', 'op2', 'phi', 'wong3'] as const) {
      const log = read(writeSarif(rankStatements(drawing, { formula })));
      checkStructure(log);
      expect(log.runs?.[0]?.results?.map(({ rank }: Json) => rank)).toEqual([undefined, undefined]);
    }
  });

  test('paths become references: blanks, percent signs, colons, letters of other alphabets, half a surrogate', () => {
    const [statement] = report.statements;
    const names = ['a b.py', '100%.py', 'c:d.py', 'ä/日.py', '?#.py', 'x\ud800.py'];
    const statements = names.map((file) => ({
      ...(statement as NonNullable<typeof statement>),
      location: `${file}:1`,
    }));
    const log = read(writeSarif({ ...report, statements }));
    checkStructure(log);
    expect(
      log.runs?.[0]?.results?.map((result: Json) => result.locations?.[0]?.physicalLocation?.artifactLocation?.uri),
    ).toEqual(['a%20b.py', '100%25.py', 'c%3Ad.py', '%C3%A4/%E6%97%A5.py', '%3F%23.py', 'x%EF%BF%BD.py']);
  });
});
