import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  ContractError,
  createDefUseLog,
  type DefUseFile,
  readDefUseLog,
  sha256Hex,
  writeDefUseLog,
} from '../src/index.ts';

const paths = fc.uniqueArray(fc.constantFrom('a', 'b', 'a.x', 'p[]', 'é'), { maxLength: 3 });
const rows = fc.array(
  fc.record({
    line: fc.integer({ min: 1, max: 9 }),
    role: fc.constantFrom('entry' as const, 'statement' as const, 'branch' as const, 'return' as const),
    defs: paths,
    uses: paths,
    frame: fc.integer({ min: 0, max: 0xffff_fff0 }),
    parent: fc.option(fc.nat({ max: 300 }), { nil: undefined }),
    completed: fc.boolean(),
    text: fc.option(fc.string(), { nil: undefined }),
  }),
  { maxLength: 40 },
);

function fileOf(given: typeof rows extends fc.Arbitrary<infer Rows> ? Rows : never, truncated = false): DefUseFile {
  const log = createDefUseLog({ rows: 1, cells: 1 });
  for (const { line, role, defs, uses, frame, parent, completed, text } of given) {
    const statement = { location: `a.py:${line}`, function: 'f', role, defs, may_defs: [], uses, yields: line > 5 };
    log.row({ statement: log.statement(statement), frame, control_parent: parent, completed });
    if (role !== 'statement') log.cell(role === 'entry' ? 4_000_000 : 0);
    const names = new Set([...uses, ...defs].map((path) => path.replace(/[.[].*/, '')));
    for (const _ of names) {
      log.cell(log.value(text === undefined ? undefined : { type: 'str', text, truncated: false }));
      log.cell(log.value({ type: 'int', text: String(line), truncated: false, ref: line }));
    }
  }
  return { execution_id: sha256Hex('run'), log: log.finish(), truncated };
}

it('is read as it was written, and written the same again', () => {
  fc.assert(
    fc.property(rows, fc.boolean(), (given, truncated) => {
      const file = fileOf(given, truncated);
      const bytes = writeDefUseLog(file);
      const read = readDefUseLog(bytes);
      expect(read).toEqual(file);
      expect(writeDefUseLog(read)).toEqual(bytes);
    }),
    { numRuns: 200 },
  );
});

it('is refused where bytes are missing, changed or added', () => {
  const bytes = writeDefUseLog(fileOf(fc.sample(rows, { numRuns: 1, seed: 3 })[0] ?? []));
  const codeOf = (given: Uint8Array): string => {
    try {
      readDefUseLog(given);
      return 'read';
    } catch (error) {
      return error instanceof ContractError ? error.code : `other: ${error}`;
    }
  };
  for (const length of [0, 1, 20, bytes.length - 1])
    expect(codeOf(bytes.subarray(0, length))).toMatch(/^(not_json|invalid_record)$/);
  expect(codeOf(Uint8Array.from([...bytes, 1]))).toBe('invalid_record');
  // Any byte may be changed: what is read then is a log, or the error says that it is none.
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = bytes.slice();
    changed[at] = ((changed[at] ?? 0) + 129) % 256;
    expect(codeOf(changed)).toMatch(/^(read|not_json|invalid_record|unsupported_version)$/);
  }
});

it('takes few bytes a row', () => {
  const log = createDefUseLog();
  const statement = {
    location: 'a.py:1',
    function: 'f',
    role: 'statement' as const,
    defs: ['a'],
    may_defs: [],
    uses: ['b'],
  };
  const number = log.statement(statement);
  for (let row = 0; row < 10_000; row += 1) {
    log.row({ statement: number, frame: 3, control_parent: row - (row % 50), completed: true });
    for (let cell = 0; cell < 4; cell += 1)
      log.cell(log.value({ type: 'int', text: String(row % 100), truncated: false }));
  }
  const bytes = writeDefUseLog({ execution_id: sha256Hex('run'), log: log.finish(), truncated: false });
  expect(bytes.length / 10_000).toBeLessThan(12);
});
