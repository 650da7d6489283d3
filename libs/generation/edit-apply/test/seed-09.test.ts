// Seed 09, the rows of this library, read clause by clause: each "exact" clause of §3.1, §3.2, §3.4 and §3.5 has a test here that names it.
import { IntentPackage } from '@h/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyEdits, createGate, type FileEdit, type OwnedGate } from '../src/index.ts';
import { assembleIntent, chooseFormat, type IntentParts } from '../src/intent.ts';

let gate: OwnedGate;
beforeAll(async () => {
  gate = await createGate(['python']);
});
afterAll(() => gate.dispose());

const target = { value: { entity: 'area', file: 'src/a.py', span: [3, 9] as const }, from: 'localization' };
const many = (count: number, size: number) =>
  Array.from({ length: count }, (_, i) => ({ value: `${i}`.padEnd(size, 'x'), from: `source ${i}` }));
const parts: IntentParts = {
  target,
  requirement: { value: 'r'.repeat(2000), from: 'issue' },
  dependencies: many(20, 600).map(({ value, from }) => ({ value: { name: 'f', signature: value }, from })),
  constraints: many(20, 600),
  validation: many(20, 300),
};

describe('§3.1 intent package', () => {
  test('schema (exact): target, requirement, dependencies, constraints, validation, and no other field', () => {
    const { intent } = assembleIntent(parts);
    expect(Object.keys(intent)).toEqual(['target', 'requirement', 'dependencies', 'constraints', 'validation']);
    expect(Object.keys(intent.target)).toEqual(['entity', 'file', 'span']);
    expect(Object.keys(intent.dependencies[0] ?? {})).toEqual(['name', 'signature']);
    expect(IntentPackage.safeParse(intent).error).toBeUndefined();
  });

  test('field caps (exact): 1,024 · 16 of 512 · 16 of 512 · 16 of 256', () => {
    const { intent } = assembleIntent(parts);
    expect(intent.requirement).toHaveLength(1024);
    expect(intent.dependencies.map(({ signature }) => signature.length)).toEqual(Array(16).fill(512));
    expect(intent.constraints.map((text) => text.length)).toEqual(Array(16).fill(512));
    expect(intent.validation.map((text) => text.length)).toEqual(Array(16).fill(256));
  });

  test('caps: what is at its cap is not cut, and the span is the one given', () => {
    const { intent, truncated } = assembleIntent({
      target,
      requirement: { value: 'r'.repeat(1024), from: 'issue' },
      validation: many(16, 256),
    });
    expect(truncated).toEqual([]);
    expect(intent.target.span).toEqual([3, 9]);
  });

  test('step 2, normalize: the provenance of every field is recorded, beside the package', () => {
    const { provenance, intent } = assembleIntent(parts);
    expect(provenance).toMatchObject({ target: 'localization', requirement: 'issue', 'constraints[15]': 'source 15' });
    expect(JSON.stringify(intent)).not.toContain('localization');
  });

  test('step 3, no composition: an absent part stays empty', () => {
    const { intent } = assembleIntent({ target });
    expect(intent).toMatchObject({ requirement: '', dependencies: [], constraints: [], validation: [] });
  });

  test('step 4, bound: every cut is flagged', () => {
    const { truncated } = assembleIntent(parts);
    const fields = truncated.map(({ field }) => field);
    expect(fields).toEqual(
      expect.arrayContaining([
        'requirement',
        'dependencies',
        'dependencies[0].signature',
        'constraints',
        'constraints[15]',
        'validation',
        'validation[15]',
      ]),
    );
    expect(truncated.find(({ field }) => field === 'requirement')).toEqual({
      field: 'requirement',
      kept: 1024,
      of: 2000,
    });
  });

  test('caps: more than 4 KB in total is a flagged warning, and a package is made anew each time', () => {
    expect(assembleIntent(parts).large).toBe(true);
    expect(assembleIntent({ target }).large).toBe(false);
    expect(assembleIntent(parts)).toEqual(assembleIntent(parts));
    expect(assembleIntent(parts).intent).not.toBe(assembleIntent(parts).intent);
  });
});

describe('§3.2 representation', () => {
  test('scope classification (exact): 40 contiguous lines are a localized edit, 41 a structural rewrite', () => {
    expect(chooseFormat({ span: [1, 40] })).toMatchObject({
      classification: 'localized-edit',
      format: 'search_replace',
    });
    expect(chooseFormat({ span: [1, 41] })).toMatchObject({
      classification: 'structural-rewrite',
      format: 'whole_file',
    });
  });

  test('scope classification (exact): a module boundary makes it structural, however short', () => {
    expect(chooseFormat({ span: [7, 7], crossesModule: true })).toMatchObject({
      classification: 'structural-rewrite',
      format: 'whole_file',
    });
  });

  test('format selection (exact): no localized edit ever selects the whole file, and the choice is logged with its class and why', () => {
    for (let lines = 1; lines <= 120; lines++) {
      for (const crossesModule of [false, true]) {
        const { classification, format, reason } = chooseFormat({ span: [5, 4 + lines], crossesModule });
        expect(format === 'whole_file').toBe(classification === 'structural-rewrite');
        expect(reason).not.toBe('');
      }
    }
  });
});

const FILE =
  'import os\n\n\ndef area(w, h):\n    return w + h\n\n\ndef ring(w, h):\n    return 2 * (w + h) + len(os.sep)\n';
const one = (search: string, replace: string, span?: [number, number]): FileEdit => ({
  file: 'a.py',
  blocks: [{ search, replace }],
  ...(span === undefined ? {} : { span }),
});
const run = (edit: FileEdit) => {
  const result = applyEdits({ 'a.py': FILE }, edit, { gate });
  return result.status === 'applied' ? new TextDecoder().decode(result.files[0]?.after) : result.rejection;
};

describe('§3.4 application', () => {
  test('step 1, locate: in the file’s target span', () => {
    expect(run(one('w + h', 'w * h', [4, 5]))).toBe(FILE.replace('return w + h', 'return w * h'));
    expect(run(one('return w + h', 'return w', [7, 9]))).toMatchObject({ stage: 'locate', reason: 'outside_span' });
  });

  test('step 2, verify: no match, or more than one, is a reported failure', () => {
    expect(run(one('w - h', 'w'))).toMatchObject({ stage: 'locate', reason: 'not_found' });
    expect(run(one('w + h', 'w'))).toMatchObject({
      stage: 'locate',
      reason: 'ambiguous_match',
      matches: [
        [5, 5],
        [9, 9],
      ],
    });
  });

  test('step 3, replace: at the matched place, and nowhere else', () => {
    expect(run(one('2 * (', '3 * ('))).toBe(FILE.replace('2 * (', '3 * ('));
  });

  test('step 4, reparse: a result that does not parse is a reported failure', () => {
    expect(run(one('return w + h\n', 'return (w + h\n'))).toMatchObject({ stage: 'parse', reason: 'syntax_error' });
  });

  test('caps: the same candidate gives the same change or the same failure', () => {
    for (const edit of [one('2 * (', '3 * ('), one('w + h', 'w'), one('return w + h\n', 'return (w + h\n')]) {
      const [first, second] = [1, 2].map(() => JSON.stringify(applyEdits({ 'a.py': FILE }, edit, { gate })));
      expect(second).toBe(first);
    }
  });

  test('caps: byte-exact and idempotent: applied to its own result, a candidate is there already', () => {
    const edit = one('return w + h\n', 'return w * h + 0\n');
    const after = String(run(edit));
    expect(after).toBe(FILE.replace('return w + h\n', 'return w * h + 0\n'));
    const again = applyEdits({ 'a.py': after }, edit, { gate });
    expect(again).toMatchObject({ status: 'rejected', rejection: { reason: 'already_applied' } });
  });

  test('caps: every candidate is applied to the same snapshot, never to another candidate’s result', () => {
    const files = { 'a.py': new TextEncoder().encode(FILE) };
    const results = ['3', '4'].map((digit) => applyEdits(files, one('2 * (', `${digit} * (`)));
    expect(results.map((result) => result.status)).toEqual(['applied', 'applied']);
    expect(new TextDecoder().decode(files['a.py'])).toBe(FILE);
  });

  test('caps: a rejection carries a structured reason', () => {
    expect(run(one('w - h', 'w'))).toMatchObject({
      candidate_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      path: 'a.py',
      block: 0,
      nearest: { span: [5, 5], cause: 'text' },
    });
  });
});

describe('§3.5 gate', () => {
  test('a candidate that does not parse is rejected, and every byte is as it was', () => {
    const bytes = new TextEncoder().encode(FILE);
    const result = applyEdits({ 'a.py': bytes }, one('def area(', 'def area(('), { gate });
    expect(result).toMatchObject({ status: 'rejected', rejection: { reason: 'syntax_error' } });
    expect(new TextDecoder().decode(bytes)).toBe(FILE);
  });

  test('hard lint: an undefined name, and an import that the edit left unused, are rejected', () => {
    expect(run(one('return w + h\n', 'return w + height\n'))).toMatchObject({
      stage: 'lint',
      reason: 'undefined_name',
    });
    expect(run(one(' + len(os.sep)', ''))).toMatchObject({ stage: 'lint', reason: 'unused_import' });
  });

  test('warnings do not reject', () => {
    expect(run(one('return w + h\n', 'unused = 1; l = w == None; return w + h\n'))).toContain('unused = 1');
  });

  test('a finding that the snapshot had already does not reject', () => {
    const before = 'import os\nx = y\n';
    expect(applyEdits({ 'a.py': before }, one('x = y', 'x = y + 1'), { gate }).status).toBe('applied');
  });

  test('caps: the record says which checks passed, and that none ran without a gate', () => {
    const gates = [gate, undefined].map((given) => {
      const result = applyEdits({ 'a.py': FILE }, one('2 * (', '3 * ('), given === undefined ? {} : { gate: given });
      return result.status === 'applied' ? result.record.gate : result.rejection;
    });
    expect(gates).toEqual([
      { syntax: 'passed', lint: 'passed' },
      { syntax: 'not_run', lint: 'not_run' },
    ]);
  });
});

describe('§3.2 and §7.6', () => {
  test('§3.2 format selection (exact), 2: a whole-file candidate is the complete file; one that leaves text out is refused', () => {
    const content = FILE.replace('w + h\n', 'w * h\n');
    expect(run({ file: 'a.py', content })).toBe(content);
    const elided = `${FILE.slice(0, FILE.indexOf('def ring'))}# ... rest of the file ...\n`;
    expect(run({ file: 'a.py', content: elided })).toMatchObject({
      reason: 'not_found',
      nearest: { cause: 'elision_comment' },
    });
  });

  test.each<[string, string, string, string]>([
    ['a missing search block', '', 'x = 1', 'empty_search'],
    ['a match that is not unique', 'w + h', 'w * h', 'ambiguous_match'],
    ['an off-by-one context line', 'def area(w, h):\n\n    return w + h', 'x', 'not_found'],
    ['a format that is buried in it', 'return w + h\n', '<<<<<<< SEARCH\nreturn w + h\n', 'syntax_error'],
  ])('§7.6 step 2: %s is a clean rejection, and every byte is as it was', (_, search, replace, reason) => {
    const bytes = new TextEncoder().encode(FILE);
    const result = applyEdits({ 'a.py': bytes }, one(search, replace), { gate });
    expect(result).toMatchObject({ status: 'rejected', rejection: { reason } });
    expect(new TextDecoder().decode(bytes)).toBe(FILE);
  });
});
