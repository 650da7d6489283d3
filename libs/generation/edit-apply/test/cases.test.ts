import { existsSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { type ApplyOptions, applyEdits, createGate, type EditBlock, type OwnedGate } from '../src/index.ts';

interface Bytes {
  readonly text?: string;
  readonly base64?: string;
}
interface Case {
  readonly name: string;
  readonly file: Bytes & { readonly path: string };
  readonly span: [number, number] | null;
  readonly blocks: EditBlock[];
  readonly options?: {
    readonly match?: 'exact' | 'whitespace' | 'indentation';
    readonly lint?: boolean;
    readonly python?: `3.${number}`;
  };
  readonly expect: {
    readonly status: 'applied' | 'rejected';
    readonly after?: Bytes;
    readonly confidence?: string;
    readonly gate?: Partial<{ syntax: string; lint: string }>;
    readonly reason?: string;
    readonly match_lines?: number[];
    readonly nearest_line?: number;
    readonly already_broken?: boolean;
  };
  readonly why: string;
}

const own = new URL('cases/edit-apply.json', import.meta.url);
const shared = new URL('../../../../../shared/cases/edit-apply.json', import.meta.url);
const cases: Case[] = JSON.parse(readFileSync(own, 'utf8'));

/** Cases that do not hold yet, by name. They must really fail: one that passes has to leave the list. */
const EXPECTED_TO_FAIL: readonly string[] = [];

const gates = new Map<string, Promise<OwnedGate>>();
function gateFor(pythonVersion?: `3.${number}`): Promise<OwnedGate> {
  const key = pythonVersion ?? '';
  const gate =
    gates.get(key) ??
    createGate(
      ['python', 'javascript', 'typescript', 'tsx', 'json'],
      pythonVersion === undefined ? {} : { pythonVersion },
    );
  gates.set(key, gate);
  return gate;
}
afterAll(async () => {
  for (const gate of gates.values()) (await gate).dispose();
});

function bytesOf({ text, base64 }: Bytes): Uint8Array {
  return base64 === undefined ? new TextEncoder().encode(text) : new Uint8Array(Buffer.from(base64, 'base64'));
}

async function check({ file, span, blocks, options = {}, expect: wanted }: Case): Promise<void> {
  const before = bytesOf(file);
  const kept = before.slice();
  const applyOptions: ApplyOptions = {
    gate: await gateFor(options.python),
    ...(options.match === undefined ? {} : { match: options.match }),
    ...(options.lint === undefined ? {} : { lint: options.lint }),
  };
  const result = applyEdits(
    { [file.path]: before },
    { file: file.path, blocks, ...(span === null ? {} : { span }) },
    applyOptions,
  );
  expect(before, 'the snapshot is left alone').toEqual(kept);
  expect(result.status).toBe(wanted.status);
  if (result.status === 'applied') {
    expect(result.files[0]?.after).toEqual(bytesOf(wanted.after ?? {}));
    expect(result.record.files[0]?.hunks.map(({ tier }) => tier)).toContain(wanted.confidence ?? 'exact');
    expect(result.record.gate).toMatchObject(wanted.gate ?? {});
    return;
  }
  expect(result.rejection.reason).toBe(wanted.reason);
  if (wanted.match_lines !== undefined)
    expect(result.rejection.matches?.map(([first]) => first)).toEqual(wanted.match_lines);
  if (wanted.nearest_line !== undefined) expect(result.rejection.nearest?.span[0]).toBe(wanted.nearest_line);
  if (wanted.already_broken !== undefined) expect(result.rejection.already_broken).toBe(wanted.already_broken);
}

describe('cases', () => {
  test.runIf(existsSync(shared))('are those of ../shared', () => {
    expect(readFileSync(own, 'utf8')).toBe(readFileSync(shared, 'utf8'));
  });

  test('expected to fail are cases', () => {
    expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining([...EXPECTED_TO_FAIL]));
  });

  test.each(cases)('$name: $why', async (one) => {
    if (!EXPECTED_TO_FAIL.includes(one.name)) return check(one);
    await expect(check(one), 'passes now: take it off the list').rejects.toThrow();
  });
});
