import { EditPackage } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ReadEditOptions, readEditText } from '../../src/formats.ts';
import { applyEdits } from '../../src/index.ts';
import { byteString, randomEdit, randomFile, randomSource, unified } from '../random-edits.ts';

type Format = ReadEditOptions['format'];

function read(format: Format, text: string, options: Partial<ReadEditOptions> = {}) {
  const result = readEditText(text, { format, ...options });
  if (result.status === 'unreadable') return `${result.problem} ${result.line}`;
  expect(EditPackage.safeParse(result.edit).success).toBe(true);
  return result.edit.files;
}

const lines = (...list: string[]) => list.join('\n');

describe('search_replace', () => {
  const block = (search: string, replace: string, n = 7) =>
    `${'<'.repeat(n)} SEARCH\n${search}${'='.repeat(n)}\n${replace}${'>'.repeat(n)} REPLACE\n`;

  test('reads blocks under a path, fenced or not, several to a file', () => {
    const text = `Fix it:\n\nsrc/a.py\n\`\`\`python\n${block('x = 1\n', 'x = 2\n')}\`\`\`\n\n\`\`\`\n${block('y\n', '')}\`\`\`\n\nb.py\n${block('z\n', 'z\nw\n')}`;
    expect(read('search_replace', text)).toEqual([
      {
        path: 'src/a.py',
        op: 'edit',
        blocks: [
          { search: 'x = 1\n', replace: 'x = 2\n', whole_lines: true },
          { search: 'y\n', replace: '', whole_lines: true },
        ],
      },
      { path: 'b.py', op: 'edit', blocks: [{ search: 'z\n', replace: 'z\nw\n', whole_lines: true }] },
    ]);
  });

  test('longer markers hold marker lines', () => {
    const conflict = '<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n';
    expect(read('search_replace', `a.md\n${block(conflict, 'none\n', 9)}`)).toMatchObject([
      { blocks: [{ search: conflict, replace: 'none\n' }] },
    ]);
  });

  test('an empty search creates', () => {
    expect(read('search_replace', `a.py\n${block('', 'x\n')}`)).toEqual([
      { path: 'a.py', op: 'create', content: 'x\n' },
    ]);
  });

  test.each<[string, string, string?]>([
    ['no_edit 1', 'Just words.'],
    ['no_path 1', block('a\n', 'b\n')],
    ['bad_path 1', `Here it is:\n${block('a\n', 'b\n')}`],
    ['bad_path 1', `../a.py\n${block('a\n', 'b\n')}`],
    ['unclosed 2', 'a.py\n<<<<<<< SEARCH\na\n=======\nb\n'],
    ['unclosed 2', 'a.py\n<<<<<<< SEARCH\na\n'],
    ['misplaced_line 4', 'a.py\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n'],
    ['misplaced_line 6', `a.py\n${block('a\n=======\nb\n'.slice(0, 2), 'x\n=======\ny\n')}`],
    ['misplaced_line 2', 'a.py\n<<<<<<<SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n'],
    ['misplaced_line 2', 'a.py\n<<<<<<< SEARCH :start_line=18\na\n=======\nb\n>>>>>>> REPLACE\n'],
    ['no_context 2', `a.py\n${block('\n', 'b\n')}`],
    ['no_context 7', `a.py\n${block('a\n', 'b\n')}${block('', 'b\n')}`],
  ])('%s', (expected, text) => {
    expect(read('search_replace', text)).toBe(expected);
  });

  test('prose between two blocks does not carry the file over', () => {
    expect(read('search_replace', `a.py\n${block('a\n', 'b\n')}\nAnd now the other:\n\n${block('a\n', 'b\n')}`)).toBe(
      'no_path 10',
    );
  });

  test('the caller can name the file', () => {
    expect(read('search_replace', block('a\n', 'b\n'), { path: 'a.py' })).toMatchObject([{ path: 'a.py' }]);
  });
});

describe('unified_diff', () => {
  const diff = (...hunks: string[]) => lines('--- a/a.py', '+++ b/a.py', ...hunks, '');

  test('reads hunks, creations, deletions, moves and quoted names', () => {
    const text = lines(
      'diff --git a/a.py b/a.py',
      'index 1234567..89abcde 100644',
      '--- a/a.py',
      '+++ b/a.py',
      '@@ -1,2 +1,2 @@ def f():',
      ' x = 1',
      '-y = 1',
      '+y = 2',
      'diff --git a/n.py b/n.py',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/n.py',
      '@@ -0,0 +1 @@',
      '+n',
      '\\ No newline at end of file',
      'diff --git a/o.py b/o.py',
      'deleted file mode 100644',
      '--- a/o.py',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-o',
      'diff --git a/p.py b/q.py',
      'similarity index 100%',
      'rename from p.py',
      'rename to q.py',
      'diff --git "a/\\303\\244 \\"b\\".py" "b/\\303\\244 \\"b\\".py"',
      '--- "a/\\303\\244 \\"b\\".py"',
      '+++ "b/\\303\\244 \\"b\\".py"',
      '@@ -1 +1 @@',
      '-- a',
      '++ a',
      '',
    );
    expect(read('unified_diff', text)).toEqual([
      {
        path: 'a.py',
        op: 'edit',
        blocks: [{ search: 'x = 1\ny = 1\n', replace: 'x = 1\ny = 2\n', whole_lines: true }],
      },
      { path: 'n.py', op: 'create', content: 'n' },
      { path: 'o.py', op: 'delete' },
      { path: 'p.py', op: 'move', to: 'q.py' },
      { path: 'ä "b".py', op: 'edit', blocks: [{ search: '- a\n', replace: '+ a\n', whole_lines: true }] },
    ]);
  });

  test('reads a hunk without numbers, and blank context without its blank', () => {
    expect(read('unified_diff', diff('@@ ... @@', ' a', '', '-b', '+c', '', '@@', '-d'))).toMatchObject([
      {
        blocks: [
          { search: 'a\n\nb\n', replace: 'a\n\nc\n' },
          { search: 'd\n', replace: '' },
        ],
      },
    ]);
    expect(read('unified_diff', diff('@@', '--- a comment of SQL', '+-- b'))).toMatchObject([
      { blocks: [{ search: '-- a comment of SQL\n', replace: '-- b\n' }] },
    ]);
  });

  test('gives line numbers only where they are to be trusted', () => {
    const text = diff('@@ -3,2 +3,1 @@', ' a', '-b');
    expect(read('unified_diff', text)).not.toMatchObject([{ blocks: [{ span: [3, 4] }] }]);
    expect(read('unified_diff', text, { positions: true })).toMatchObject([{ blocks: [{ span: [3, 4] }] }]);
    expect(read('unified_diff', diff('@@', '-a'), { positions: true })).toBe('misplaced_line 3');
  });

  test.each<[string, string]>([
    ['no_edit 1', 'words'],
    ['no_edit 1', diff()],
    ['bad_count 3', diff('@@ -1,3 +1,2 @@', ' a', '-b', '+c')],
    ['bad_count 6', diff('@@ -1,1 +1,1 @@', '-b', '+c', '+d')],
    ['misplaced_line 4', diff('@@ -1,1 +1,1 @@', '*b', '+c')],
    ['misplaced_line 1', '@@ -1 +1 @@\n-a\n+b\n'],
    ['misplaced_line 3', diff('@@ -x +y @@', '-a').replace('@@ -x', '@@ -1x')],
    ['misplaced_line 2', '--- a/a.py\n@@ -1 +1 @@\n-a\n+b\n'],
    ['no_context 3', diff('@@ -1,0 +2,1 @@', '+c')],
    ['no_context 3', diff('@@ -1,1 +1,2 @@', ' ', '+c')],
    ['bad_path 1', '--- a/a.py\n+++ b/b.py\n@@ -1 +1 @@\n-a\n+b\n'],
    ['bad_path 1', '--- a/../a.py\n+++ b/../a.py\n@@ -1 +1 @@\n-a\n+b\n'],
    ['bad_path 1', '--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n'],
    ['unsupported 2', 'diff --git a/a b/a\nold mode 100644\nnew mode 100755\n'],
    ['unsupported 2', 'diff --git a/a b/a\nGIT binary patch\n'],
    ['no_path 1', 'diff --git a/x b/y\nindex 1..2\n'],
  ])('%s', (expected, text) => {
    expect(read('unified_diff', text)).toBe(expected);
  });

  test('of an applied edit is that edit again', () => {
    let applied = 0;
    fc.assert(
      fc.property(fc.nat(2 ** 30), (seed) => {
        const source = randomSource(seed);
        const { bytes } = randomFile(source);
        const edit = randomEdit(source, { bytes, ends: 'lf' });
        const result = applyEdits({ 'a.txt': bytes }, edit);
        if (result.status !== 'applied' || result.record.unified_diff.encoding !== 'utf8') return;
        const again = readEditText(result.record.unified_diff.data, { format: 'unified_diff', positions: true });
        if (again.status === 'unreadable') {
          expect(again.problem).toBe('no_context');
          return;
        }
        const second = applyEdits({ 'a.txt': bytes }, again.edit);
        if (second.status === 'rejected') {
          // Spans count lines as editors do, diffs by LF.
          const alsoForCr = byteString(bytes).includes('\r') ? ['outside_span'] : [];
          expect([...REFUSED_AGAIN, ...alsoForCr]).toContain(second.rejection.reason);
          return;
        }
        applied++;
        // Where a file mixes line ends, a diff's whole lines may choose another neighbour's than the part of a line did.
        const text = ({ files }: typeof second) => unified(byteString(files[0]?.after ?? new Uint8Array()));
        expect(text(second)).toBe(text(result));
      }),
      { numRuns: 800 },
    );
    expect(applied).toBeGreaterThan(120);
  });
});

/** What a diff can say and search/replace cannot: line ends alone, text that the replacement has around it, lone CRs that join. */
const REFUSED_AGAIN = ['no_change', 'already_applied', 'not_text', 'not_found', 'empty_search'];

describe('begin_patch', () => {
  const patch = (...list: string[]) => lines('*** Begin Patch', ...list, '*** End Patch');

  test('reads every section', () => {
    const text = `Sure:\n${patch(
      '*** Update File: src/a.py',
      '@@ def f():',
      ' x = 1',
      '-y = 1',
      '+y = 2',
      '',
      ' z',
      '@@',
      '-w',
      '*** End of File',
      '*** Add File: my file.txt',
      '+one',
      '+',
      '*** Delete File: old.py',
      '*** Update File: b.py',
      '*** Move to: c.py',
      '@@',
      '-b',
      '+c',
    )}\nDone.`;
    expect(read('begin_patch', text)).toEqual([
      {
        path: 'src/a.py',
        op: 'edit',
        blocks: [
          { search: 'x = 1\ny = 1\n\nz\n', replace: 'x = 1\ny = 2\n\nz\n', whole_lines: true },
          { search: 'w\n', replace: '', whole_lines: true },
        ],
      },
      { path: 'my file.txt', op: 'create', content: 'one\n\n' },
      { path: 'old.py', op: 'delete' },
      { path: 'b.py', op: 'move', to: 'c.py', blocks: [{ search: 'b\n', replace: 'c\n', whole_lines: true }] },
    ]);
  });

  test.each<[string, string]>([
    ['no_edit 1', 'words'],
    ['no_edit 1', patch()],
    ['unclosed 1', '*** Begin Patch\n*** Delete File: a'],
    ['misplaced_line 2', patch('words')],
    ['misplaced_line 2', patch('*** Rename File: a')],
    ['misplaced_line 3', patch('*** Add File: a', 'x')],
    ['misplaced_line 3', patch('*** Delete File: a', '-x')],
    ['misplaced_line 4', patch('*** Update File: a', '@@', 'x', '-y')],
    ['misplaced_line 3', patch('*** Delete File: a', '*** Delete File: a')],
    ['misplaced_line 4', `${patch('*** Delete File: a')}\n${patch('*** Delete File: b')}`],
    ['no_context 3', patch('*** Update File: a', '+x')],
    ['no_edit 2', patch('*** Update File: a')],
    ['bad_path 2', patch('*** Delete File: /etc/passwd')],
    ['bad_path 3', patch('*** Update File: a', '*** Move to: ../b')],
    ['bad_path 2', patch('*** Add File: ', '+x')],
  ])('%s', (expected, text) => {
    expect(read('begin_patch', text)).toBe(expected);
  });
});

describe('str_replace', () => {
  test('reads one, several, both spellings, and creations', () => {
    expect(read('str_replace', '{"path":"a","old_str":"x","new_str":"y","command":"str_replace"}')).toEqual([
      { path: 'a', op: 'edit', blocks: [{ search: 'x', replace: 'y' }] },
    ]);
    expect(
      read(
        'str_replace',
        '[{"file_path":"a","old_string":"x","new_string":""},{"path":"a","old_str":"z","new_str":"w","replace_all":true,"expected_count":2},{"command":"create","path":"b","file_text":"t"}]',
      ),
    ).toEqual([
      {
        path: 'a',
        op: 'edit',
        blocks: [
          { search: 'x', replace: '' },
          { search: 'z', replace: 'w', expected_count: 2 },
        ],
      },
      { path: 'b', op: 'create', content: 't' },
    ]);
  });

  test.each<[string, string]>([
    ['bad_json 1', '{"path":"a"'],
    ['bad_json 1', 'words'],
    ['bad_json 2', '{"path":"a","old_str":"x",\n"new_str":"y","new_str":"z"}'],
    ['bad_json 1', '{"path":"a","old_str":"x","new_str":"y"} and more'],
    ['no_edit 1', '[]'],
    ['bad_field 1', '3'],
    ['bad_field 1', '{"path":"a","old_str":"x"}'],
    ['bad_field 1', '{"path":"a","new_str":"x"}'],
    ['bad_field 1', '{"path":"a","old_str":"x","new_str":null}'],
    ['bad_field 1', '{"path":"a","old_str":"x","old_string":"x","new_str":"y"}'],
    ['bad_field 1', '{"path":"a","old_str":"x","new_str":"y","line":3}'],
    ['bad_field 1', '{"path":"a","old_str":"x","new_str":"y","expected_count":0}'],
    ['bad_field 1', '[{"path":"b","command":"create","file_text":"t"},{"path":"b","old_str":"t","new_str":"u"}]'],
    ['unsupported 1', '{"path":"a","old_str":"x","new_str":"y","replace_all":true}'],
    ['unsupported 1', '{"path":"a","command":"undo_edit"}'],
    ['no_path 1', '{"old_str":"x","new_str":"y"}'],
    ['bad_path 1', '{"path":"../a","old_str":"x","new_str":"y"}'],
    ['bad_path 1', '{"path":7,"old_str":"x","new_str":"y"}'],
  ])('%s', (expected, text) => {
    expect(read('str_replace', text)).toBe(expected);
  });
});

describe('whole_file', () => {
  test('reads the text of every file', () => {
    const text = 'Here:\n\na.md\n````markdown\n```sh\nnpm\n```\n````\nand\n\nsrc/b.py\n```python\n```\n';
    expect(read('whole_file', text)).toEqual([
      { path: 'a.md', op: 'edit', content: '```sh\nnpm\n```\n' },
      { path: 'src/b.py', op: 'edit', content: '' },
    ]);
    expect(read('whole_file', text, { files: { 'a.md': '' } })).toMatchObject([{ op: 'edit' }, { op: 'create' }]);
  });

  test('the caller can name the file', () => {
    expect(read('whole_file', 'The file:\n```\nx\n```', { path: 'a' })).toEqual([
      { path: 'a', op: 'edit', content: 'x\n' },
    ]);
    expect(read('whole_file', 'b.py\n```\nx\n```', { path: 'a' })).toBe('bad_path 1');
  });

  test.each<[string, string]>([
    ['no_edit 1', 'words'],
    ['no_path 1', '```\nx\n```'],
    ['bad_path 1', 'The file:\n```\nx\n```'],
    ['unclosed 2', 'a\n```\nx'],
    ['unclear_fence 4', 'a.md\n```\nx\n```sh\nnpm\n```\n```\n'],
    ['unclear_fence 6', 'a.md\n```\nx\n```\nb.py\n```\ny\n```\n'],
    ['misplaced_line 6', 'a\n```\nx\n```\na\n```py\ny\n```\n'],
  ])('%s', (expected, text) => {
    expect(read('whole_file', text)).toBe(expected);
  });
});

describe('any text', () => {
  const FORMATS: readonly Format[] = ['search_replace', 'unified_diff', 'begin_patch', 'str_replace', 'whole_file'];
  const PIECES = [
    'a.py',
    'src/b.py',
    '../x',
    '',
    ' ',
    ' x',
    '-x',
    '+x',
    'x',
    '@@',
    '@@ -1 +1 @@',
    '@@ -1,2 +1,9 @@',
    '--- a/a.py',
    '+++ b/a.py',
    '--- /dev/null',
    '+++ /dev/null',
    'diff --git a/a.py b/a.py',
    'diff --git "a/\\303" "b/\\303"',
    'rename from a',
    'rename to b',
    'new file mode 100644',
    'deleted file mode 100644',
    '\\ No newline at end of file',
    '<<<<<<< SEARCH',
    '=======',
    '>>>>>>> REPLACE',
    '```',
    '```py',
    '````',
    '~~~',
    '*** Begin Patch',
    '*** End Patch',
    '*** Update File: a',
    '*** Add File: b',
    '*** Delete File: c',
    '*** Move to: d',
    '*** End of File',
    '{"path":"a","old_str":"x","new_str":"y"}',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    '\0',
    '\ud800',
    '\r',
    '\ufeff',
  ];

  const VALID: Readonly<Record<Format, string>> = {
    search_replace:
      'a.py\n```py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\nb.py\n<<<<<<< SEARCH\n=======\ny\n>>>>>>> REPLACE',
    unified_diff: '--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,2 @@\n x\n+y\n--- /dev/null\n+++ b/b.py\n@@ -0,0 +1 @@\n+z\n',
    begin_patch:
      '*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b\n+z\n*** Delete File: a\n*** End Patch',
    str_replace: '[\n{"path":"a.py","old_str":"x","new_str":"y"},\n{"command":"create","path":"b","file_text":"z"}\n]',
    whole_file: 'a.py\n```py\nx\ny\n```\n\nb.py\n```py\nz\n```',
  };

  test('is read or said to be unreadable, in a line of it; and what is read can be applied or refused', () => {
    const counts = { read: 0, unreadable: 0 };
    const change = fc.tuple(fc.nat(12), fc.nat(2), fc.constantFrom(...PIECES));
    fc.assert(
      fc.property(
        fc.constantFrom(...FORMATS),
        fc.array(change, { maxLength: 3 }),
        fc.boolean(),
        (format, changes, positions) => {
          const pieces = VALID[format].split('\n');
          for (const [at, removed, piece] of changes) pieces.splice(at, removed, piece);
          const result = readEditText(pieces.join('\n'), { format, positions });
          counts[result.status]++;
          if (result.status === 'unreadable') {
            expect(result.line).toBeGreaterThanOrEqual(1);
            expect(result.line).toBeLessThanOrEqual(pieces.length + 1);
            expect(result.message).not.toBe('');
            return;
          }
          expect(EditPackage.safeParse(result.edit).error).toBeUndefined();
          expect(['applied', 'rejected']).toContain(applyEdits({ 'a.py': 'x\n', a: 'x\n' }, result.edit).status);
        },
      ),
      { numRuns: 2500 },
    );
    expect(counts.read).toBeGreaterThan(300);
    expect(counts.unreadable).toBeGreaterThan(300);
  });

  test('of pieces thrown together never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FORMATS),
        fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }),
        (format, pieces) => {
          expect(['read', 'unreadable']).toContain(readEditText(pieces.join('\n'), { format }).status);
        },
      ),
      { numRuns: 1500 },
    );
  });
});
