import { AppliedCandidate, ApplyRejection, checkRecord, type EditPackage, sha256Hex } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import {
  type ApplyOptions,
  type ApplyResult,
  applyEdits,
  EditApplyError,
  type EditInput,
  type Gate,
  openSnapshot,
  type SourceFiles,
} from '../src/index.ts';

const TWO_LINES = { 'a.py': 'a = 1\nb = 2\n' };

function textsAfter(result: ApplyResult): Record<string, string | undefined> {
  if (result.status === 'rejected') throw new Error(JSON.stringify(result.rejection));
  checkRecord(AppliedCandidate, result.record);
  return Object.fromEntries(
    result.files.map(({ path, after }) => [path, after && new TextDecoder('utf-8', { ignoreBOM: true }).decode(after)]),
  );
}

function rejection(files: SourceFiles, edit: EditInput, options: ApplyOptions = {}) {
  const result = applyEdits(files, edit, options);
  if (result.status === 'applied') throw new Error('was applied');
  checkRecord(ApplyRejection, result.rejection);
  return result.rejection;
}

const edit = (search: string, replace: string, span?: [number, number]): EditInput => ({
  file: 'a.py',
  blocks: [{ search, replace }],
  ...(span === undefined ? {} : { span }),
});
const pack = (...files: EditPackage['files']): EditPackage => ({ files });

describe('an edit of one file', () => {
  test('gives the record, the bytes and both diffs', () => {
    const result = applyEdits(TWO_LINES, edit('b = 2', 'b = 3\nc = 4'));
    if (result.status === 'rejected') throw new Error(result.rejection.reason);
    expect(result.record).toEqual({
      candidate_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      files: [
        {
          path: 'a.py',
          op: 'edit',
          before: sha256Hex('a = 1\nb = 2\n'),
          after: sha256Hex('a = 1\nb = 3\nc = 4\n'),
          hunks: [{ before: [2, 3], after: [2, 4], tier: 'exact' }],
        },
      ],
      unified_diff: {
        encoding: 'utf8',
        data: 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n+c = 4\n',
      },
      inverse_diff: {
        encoding: 'utf8',
        data: 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,2 @@\n a = 1\n-b = 3\n-c = 4\n+b = 2\n',
      },
      gate: { syntax: 'not_run', lint: 'not_run' },
    });
    expect(textsAfter(result)).toEqual({ 'a.py': 'a = 1\nb = 3\nc = 4\n' });
  });

  test('takes a proposed edit as it is and keeps its name', () => {
    const candidate_id = sha256Hex('mine');
    const proposed = {
      candidate_id,
      origin: 'templates' as const,
      file: 'a.py',
      blocks: [{ search: 'a = 1', replace: 'a = 2' }],
      provenance: 'constant',
    };
    expect(applyEdits(TWO_LINES, proposed)).toMatchObject({ status: 'applied', record: { candidate_id } });
    expect(rejection({}, proposed)).toMatchObject({ candidate_id });
  });

  test('replaces the whole content in the line ends of the file', () => {
    const content = (before: string, text: string) =>
      textsAfter(applyEdits({ 'a.py': before }, { file: 'a.py', content: text }))['a.py'];
    expect(content('a\r\nb\r\n', 'a\nx\nb\n')).toBe('a\r\nx\r\nb\r\n');
    expect(content('a\r\nb\nc\r\n', 'a\nb\nx\nc\n')).toBe('a\r\nb\nx\nc\r\n');
    expect(content('\ufeffa\n', 'b\n')).toBe('\ufeffb\n');
    expect(content('\ufeffa\n', '\ufeffb\n')).toBe('\ufeffb\n');
    expect(content('a\n', '')).toBe('');
    expect(content('a', 'b\n')).toBe('b\n');
  });

  test('counts hunks of a whole content by the lines that differ', () => {
    const result = applyEdits({ 'a.py': 'a\nb\nc\nd\ne\n' }, { file: 'a.py', content: 'a\nB\nc\nd\ne\nf\n' });
    expect(result).toMatchObject({
      record: {
        files: [
          {
            hunks: [
              { before: [2, 3], after: [2, 3] },
              { before: [6, 6], after: [6, 7] },
            ],
          },
        ],
      },
    });
  });

  test('takes texts, bytes and a prepared snapshot alike', () => {
    const bytes = new TextEncoder().encode(TWO_LINES['a.py']);
    const snapshot = openSnapshot({ 'a.py': bytes });
    const [one, two, three] = [TWO_LINES, { 'a.py': bytes }, snapshot].map((files) =>
      applyEdits(files, edit('a = 1', 'a = 2')),
    );
    expect(two).toEqual(one);
    expect(three).toEqual(one);
    expect(applyEdits(snapshot, edit('a = 1', 'a = 2'))).toEqual(one);
  });

  test('does not find what only an object inherits', () => {
    expect(rejection({}, { file: 'constructor', content: '' })).toMatchObject({ reason: 'not_found' });
  });
});

describe('blocks', () => {
  const three = { 'a.py': 'a = 1\nb = 2\nc = 3\n' };
  const blocks = (...list: [search: string, replace: string][]): EditInput => ({
    file: 'a.py',
    blocks: list.map(([search, replace]) => ({ search, replace })),
  });

  test('on one line share a hunk', () => {
    const result = applyEdits({ 'a.py': 'a = 1; b = 2\nc = 3\n' }, blocks(['b = 2', 'b = 4'], ['a = 1', 'a = 0']));
    expect(textsAfter(result)).toEqual({ 'a.py': 'a = 0; b = 4\nc = 3\n' });
    expect(result).toMatchObject({ record: { files: [{ hunks: [{ before: [1, 2], after: [1, 2] }] }] } });
  });

  test('that touch end to start are disjoint', () => {
    expect(textsAfter(applyEdits(three, blocks(['b = 2\n', 'B\n'], ['a = 1\n', 'A\n'])))).toEqual({
      'a.py': 'A\nB\nc = 3\n',
    });
  });

  test('that overlap are refused with both places', () => {
    expect(rejection(three, blocks(['a = 1\nb', 'x'], ['b = 2', 'y']))).toMatchObject({
      stage: 'apply',
      reason: 'overlapping_edits',
      path: 'a.py',
      block: 1,
      matches: [
        [1, 2],
        [2, 2],
      ],
    });
    expect(rejection(three, blocks(['a = 1', 'x'], ['a = 1', 'y']))).toMatchObject({ reason: 'overlapping_edits' });
  });

  test('are refused by the first that fails', () => {
    expect(rejection(three, blocks(['a = 1', 'x'], ['nothing like it here', 'y'], ['', 'z']))).toMatchObject({
      reason: 'not_found',
      block: 1,
    });
  });

  test('that together change nothing are no candidate', () => {
    expect(rejection(three, blocks(['a = 1', 'a = 1'], ['c = 3\n', 'c = 3\r\n']))).toMatchObject({
      stage: 'apply',
      reason: 'no_change',
    });
  });

  test('with a text that no file can hold are refused', () => {
    expect(rejection(three, blocks(['a = 1', 'a = "\ud800"']))).toMatchObject({
      stage: 'apply',
      reason: 'not_text',
      block: 0,
    });
    expect(rejection(three, blocks(['a = 1', 'a = "\0"']))).toMatchObject({
      stage: 'apply',
      reason: 'not_text',
      block: 0,
    });
    expect(rejection({ 'a.py': 'a = "\ufffd"\n' }, blocks(['a = "\ud800"', 'x']))).toMatchObject({
      reason: 'not_found',
    });
  });
});

describe('a package', () => {
  const files = { 'a.py': 'a = 1\n', 'b.py': 'b = 1\nb = 1\n' };

  test('edits, creates, deletes and moves together', () => {
    const result = applyEdits(
      { ...files, 'c.py': 'c = 1\n', 'd.py': 'd = 1\n' },
      pack(
        { path: 'a.py', op: 'edit', blocks: [{ search: '1', replace: '2' }] },
        { path: 'n/new.py', op: 'create', content: 'n = 1\r\n' },
        { path: 'c.py', op: 'delete' },
        { path: 'd.py', op: 'move', to: 'e/d.py', blocks: [{ search: 'd = 1', replace: 'd = 2' }] },
      ),
    );
    expect(textsAfter(result)).toEqual({
      'a.py': 'a = 2\n',
      'n/new.py': 'n = 1\r\n',
      'c.py': undefined,
      'd.py': undefined,
      'e/d.py': 'd = 2\n',
    });
    expect(result).toMatchObject({
      record: {
        files: [
          { path: 'a.py', op: 'edit', hunks: [{ before: [1, 2], after: [1, 2] }] },
          { path: 'c.py', op: 'delete', hunks: [{ before: [1, 2], after: [1, 1] }] },
          { path: 'd.py', op: 'move' },
          { path: 'n/new.py', op: 'create', hunks: [{ before: [1, 1], after: [1, 2] }] },
        ],
      },
    });
  });

  test('is all or nothing', () => {
    const refused = rejection(
      files,
      pack(
        { path: 'a.py', op: 'edit', content: 'a = 2\n' },
        { path: 'b.py', op: 'edit', blocks: [{ search: 'b = 1', replace: 'x' }] },
      ),
    );
    expect(refused).toMatchObject({
      path: 'b.py',
      reason: 'ambiguous_match',
      matches: [
        [1, 1],
        [2, 2],
      ],
    });
  });

  test('replaces wanted repeats when their number is right', () => {
    const repeats = (expected_count: number) =>
      pack({ path: 'b.py', op: 'edit', blocks: [{ search: 'b = 1', replace: 'b = 2', expected_count }] });
    expect(textsAfter(applyEdits(files, repeats(2)))).toEqual({ 'b.py': 'b = 2\nb = 2\n' });
    expect(rejection(files, repeats(3))).toMatchObject({
      reason: 'ambiguous_match',
      matches: [
        [1, 1],
        [2, 2],
      ],
    });
    const overlapping = pack({ path: 'a.py', op: 'edit', blocks: [{ search: 'aa', replace: 'b', expected_count: 2 }] });
    expect(rejection({ 'a.py': 'aaa\n' }, overlapping)).toMatchObject({ reason: 'ambiguous_match' });
  });

  test('joins entries of one file, each with its own span and block numbers', () => {
    const text = { 'a.py': 'x = 1\ny = 1\nx = 1\n' };
    const entry = (span: [number, number], search: string) => ({
      path: 'a.py',
      op: 'edit' as const,
      span,
      blocks: [{ search, replace: 'z' }],
    });
    expect(textsAfter(applyEdits(text, pack(entry([3, 3], 'x = 1'), entry([1, 1], 'x = 1'))))).toEqual({
      'a.py': 'z\ny = 1\nz\n',
    });
    expect(rejection(text, pack(entry([3, 3], 'x = 1'), entry([1, 1], 'q = 1')))).toMatchObject({
      block: 0,
      reason: 'not_found',
    });
  });

  test.each<[why: string, entries: EditPackage['files'], reason: string]>([
    ['creates what exists', [{ path: 'a.py', op: 'create', content: '' }], 'exists'],
    ['creates below a file', [{ path: 'a.py/x.py', op: 'create', content: '' }], 'exists'],
    ['moves onto a file', [{ path: 'a.py', op: 'move', to: 'b.py' }], 'exists'],
    [
      'moves onto what it deletes',
      [
        { path: 'b.py', op: 'delete' },
        { path: 'a.py', op: 'move', to: 'b.py' },
      ],
      'exists',
    ],
    [
      'creates one file twice',
      [
        { path: 'n.py', op: 'create', content: '' },
        { path: 'n.py', op: 'create', content: '' },
      ],
      'overlapping_edits',
    ],
    [
      'moves two files to one',
      [
        { path: 'a.py', op: 'move', to: 'n.py' },
        { path: 'b.py', op: 'move', to: 'n.py' },
      ],
      'exists',
    ],
    [
      'edits and deletes',
      [
        { path: 'a.py', op: 'edit', content: 'x' },
        { path: 'a.py', op: 'delete' },
      ],
      'overlapping_edits',
    ],
    ['edits what is not there', [{ path: 'n.py', op: 'edit', content: 'x' }], 'not_found'],
    ['deletes what is not there', [{ path: 'n.py', op: 'delete' }], 'not_found'],
    [
      'was made for other bytes',
      [{ path: 'a.py', op: 'edit', content: 'x', expected_sha: sha256Hex('a = 0\n') }],
      'stale_file',
    ],
    [
      'was made for a file that is gone',
      [{ path: 'n.py', op: 'edit', content: 'x', expected_sha: sha256Hex('') }],
      'stale_file',
    ],
    ['moves a file to itself', [{ path: 'a.py', op: 'move', to: 'a.py' }], 'no_change'],
    ['leaves the repository', [{ path: 'a.py', op: 'move', to: '../a.py' }], 'path_outside_repo'],
    ['creates in .git', [{ path: '.git/hooks/pre-commit', op: 'create', content: '' }], 'path_outside_repo'],
  ])('that %s is refused', (_, entries, reason) => {
    expect(rejection(files, pack(...entries))).toMatchObject({ reason });
  });

  test('made for these bytes is applied, and moving to itself is an edit', () => {
    const entry = {
      path: 'a.py',
      op: 'move' as const,
      to: 'a.py',
      content: 'a = 2\n',
      expected_sha: sha256Hex('a = 1\n'),
    };
    expect(applyEdits(files, pack(entry))).toMatchObject({ status: 'applied', record: { files: [{ op: 'edit' }] } });
  });

  test.each<[why: string, entry: EditPackage['files'][number]]>([
    ['blocks and content', { path: 'a.py', op: 'edit', blocks: [{ search: 'a', replace: 'b' }], content: 'x' }],
    ['neither', { path: 'a.py', op: 'edit' }],
    ['no blocks', { path: 'a.py', op: 'edit', blocks: [] }],
    ['a create without content', { path: 'n.py', op: 'create' }],
    ['a delete with content', { path: 'a.py', op: 'delete', content: '' }],
    ['a move to nowhere', { path: 'a.py', op: 'move' }],
    ['an edit with `to`', { path: 'a.py', op: 'edit', to: 'b.py', content: '' }],
  ])('with %s is misuse', (_, entry) => {
    const caught = (() => {
      try {
        return applyEdits(files, pack(entry));
      } catch (error) {
        return error;
      }
    })();
    expect(caught).toBeInstanceOf(EditApplyError);
    expect(caught).toMatchObject({ code: 'malformed_edit', retryable: false });
  });
});

describe('limits', () => {
  test('refuse files that are too large before and after', () => {
    expect(rejection(TWO_LINES, edit('a = 1', 'a = 2'), { maxBytes: 11 })).toMatchObject({
      stage: 'locate',
      reason: 'too_large',
    });
    expect(rejection(TWO_LINES, edit('a = 1', 'a = 123'), { maxBytes: 12 })).toMatchObject({
      stage: 'apply',
      reason: 'too_large',
    });
    expect(applyEdits(TWO_LINES, edit('a = 1', 'a = 2'), { maxBytes: 12 }).status).toBe('applied');
  });

  test('refuse what is not text, but for moving it', () => {
    const binary = { 'a.py': new Uint8Array([0, 1, 97, 98, 99]) };
    expect(rejection(binary, edit('abc', 'x'))).toMatchObject({ stage: 'locate', reason: 'not_text' });
    expect(rejection(binary, pack({ path: 'a.py', op: 'delete' }))).toMatchObject({ reason: 'not_text' });
    expect(rejection({ 'a.py': 'a\ud800' }, edit('a', 'x'))).toMatchObject({ reason: 'not_text' });
    expect(rejection({}, pack({ path: 'a.py', op: 'create', content: '\0' }))).toMatchObject({ reason: 'not_text' });
    expect(applyEdits(binary, pack({ path: 'a.py', op: 'move', to: 'b.py' })).status).toBe('applied');
  });
});

describe('the gate', () => {
  const refusing: Gate = {
    check: ({ path, before, after, lint }) => ({
      status: 'refused',
      stage: 'parse',
      reason: 'syntax_error',
      diagnostics: [{ line: 1, column: 0, code: 'mine', message: JSON.stringify({ path, before, after, lint }) }],
    }),
  };
  const asked = (files: SourceFiles, input: EditInput, options: ApplyOptions = {}) =>
    JSON.parse(rejection(files, input, { gate: refusing, ...options }).diagnostics?.[0]?.message ?? '{}');

  test('is asked with the texts before and after', () => {
    expect(asked(TWO_LINES, edit('a = 1', 'a = 2'))).toEqual({
      path: 'a.py',
      before: 'a = 1\nb = 2\n',
      after: 'a = 2\nb = 2\n',
      lint: true,
    });
    expect(asked(TWO_LINES, edit('a = 1', 'a = 2'), { lint: false })).toMatchObject({ lint: false });
  });

  test('sees no byte order mark, and one character for each byte that is not UTF-8', () => {
    expect(asked({ 'a.py': '\ufeffa = 1\n' }, edit('a = 1', 'a = 2'))).toMatchObject({
      before: 'a = 1\n',
      after: 'a = 2\n',
    });
    expect(asked({ 'a.py': new Uint8Array([0xe9, 10, 97]) }, edit('a', 'b'))).toMatchObject({
      before: 'é\na',
      after: 'é\nb',
    });
  });

  test('is asked for created and moved files by their new name, and not for deleted or untouched ones', () => {
    expect(asked({}, pack({ path: 'n.py', op: 'create', content: 'n' }))).toEqual({
      path: 'n.py',
      after: 'n',
      lint: true,
    });
    expect(asked(TWO_LINES, pack({ path: 'a.py', op: 'move', to: 'b.py', content: 'x' }))).toMatchObject({
      path: 'b.py',
    });
    expect(applyEdits(TWO_LINES, pack({ path: 'a.py', op: 'delete' }), { gate: refusing }).status).toBe('applied');
    expect(applyEdits(TWO_LINES, pack({ path: 'a.py', op: 'move', to: 'b.py' }), { gate: refusing }).status).toBe(
      'applied',
    );
  });

  test('that did not run on every changed file is not said to have passed', () => {
    const known: Gate = {
      check: ({ path }) => ({ status: 'passed', syntax: path === 'a.py' ? 'passed' : 'not_run', lint: 'not_run' }),
    };
    const gateOf = (...files: EditPackage['files']) => {
      const result = applyEdits({ ...TWO_LINES, 'b.md': 'b\n' }, pack(...files), { gate: known });
      return result.status === 'applied' ? result.record.gate : undefined;
    };
    const a = { path: 'a.py', op: 'edit' as const, content: 'x' };
    const b = { path: 'b.md', op: 'edit' as const, content: 'x' };
    expect(gateOf(a)).toEqual({ syntax: 'passed', lint: 'not_run' });
    expect(gateOf(a, b)).toEqual({ syntax: 'not_run', lint: 'not_run' });
    expect(gateOf(b, a)).toEqual({ syntax: 'not_run', lint: 'not_run' });
  });

  test('must have parsed what a tolerant tier found', () => {
    const tolerant = { file: 'a.py', blocks: [{ search: 'a = 1\nb = 2', replace: 'a = 2\nb = 2' }] };
    const files = { 'a.py': 'a = 1  \nb = 2\n' };
    const parsed: Gate = { check: () => ({ status: 'passed', syntax: 'passed', lint: 'not_run' }) };
    expect(rejection(files, tolerant, { match: 'whitespace' })).toMatchObject({
      reason: 'not_found',
      block: 0,
      nearest: { span: [1, 2], cause: 'trailing_blanks' },
    });
    expect(textsAfter(applyEdits(files, tolerant, { match: 'whitespace', gate: parsed }))).toEqual({
      'a.py': 'a = 2\nb = 2\n',
    });
  });
});
