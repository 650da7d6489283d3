// Kinds of failure in how an edit is written: its indentation, its markers, its files.
import { type EditCase, join, lineOf, type Sample, withLines } from './edit-samples.ts';

export function casesOfText(sample: Sample): EditCase[] {
  return [indents(sample), markers(sample), packages(sample), fences(sample), elisions(sample), names(sample)].flat();
}

const one = (path: string, search: string, replace: string) => ({ file: path, blocks: [{ search, replace }] });

/** 9, 10: indentation that is not the file's. */
function indents(sample: Sample): EditCase[] {
  const { path, text, lines, at, value, language } = sample;
  const [first, last] = [at(2, 'comment'), at(2, 'value')];
  const own = lines.slice(first, last + 1);
  const deeper = (list: readonly string[]) => list.map((line) => `${language.indent}${line}`).join('\n');
  const next = [...own.slice(0, -1), value(2, '44')];
  const after = { after: { [path]: join(withLines(lines, { [last]: [value(2, '44')] })) } };
  const uneven = own.map((line, i) => (i === 1 ? line : `${language.indent}${line}`)).join('\n');
  const miss = { reason: 'not_found', nearest: first + 1, cause: 'indentation' };
  return [
    {
      kind: 9,
      what: 'a uniform shift: context and new line take the file’s own',
      files: { [path]: text },
      match: 'indentation',
      edit: one(path, `${deeper(own)}\n`, `${deeper(next)}\n`),
      expected: miss,
      gated: after,
    },
    {
      kind: 9,
      what: 'and by default it is a miss',
      files: { [path]: text },
      edit: one(path, `${deeper(own)}\n`, `${deeper(next)}\n`),
      expected: miss,
    },
    {
      kind: 10,
      what: 'a shift that is not uniform is refused',
      files: { [path]: text },
      match: 'indentation',
      edit: one(path, `${uneven}\n`, `${uneven}x\n`),
      expected: miss,
    },
  ];
}

/** 18, 19: marker lines in the text, and markers that are misspelt. */
function markers(sample: Sample): EditCase[] {
  const { path, lines, at, language } = sample;
  const line = at(1, 'comment');
  const conflict = [
    `${language.comment('<<<<<<< SEARCH')}`,
    language.comment('======='),
    language.comment('>>>>>>> REPLACE'),
  ];
  const search = lineOf(sample, line);
  const bare = ['<<<<<<< SEARCH', '=======', '>>>>>>> REPLACE'];
  const notes = { 'notes.md': join(['one', ...bare, 'two']) };
  const block = (size: number, from: readonly string[], to: readonly string[], name: string) =>
    join([name, `${'<'.repeat(size)} SEARCH`, ...from, '='.repeat(size), ...to, `${'>'.repeat(size)} REPLACE`]);
  const typo = join([path, '<<<<<<< SEARCH :start_line:18', search, '=======', 'x', '>>>>>>> REPLACE']);
  return [
    {
      kind: 18,
      what: 'in fields they are text',
      files: { [path]: join(lines) },
      edit: one(path, search, conflict.join('\n')),
      expected: { after: { [path]: join(withLines(lines, { [line]: conflict })) } },
    },
    {
      kind: 18,
      what: 'longer markers hold them',
      files: notes,
      edit: { text: block(9, bare, ['none'], 'notes.md'), format: 'search_replace' },
      expected: { after: { 'notes.md': join(['one', 'none', 'two']) } },
    },
    {
      kind: 18,
      what: 'equal ones are unclear, and said to be',
      files: notes,
      edit: { text: block(7, bare, ['none'], 'notes.md'), format: 'search_replace' },
      expected: { unreadable: 'misplaced_line' },
    },
    {
      kind: 19,
      what: 'a header with a typo is no mismatch',
      files: { [path]: join(lines) },
      edit: { text: typo, format: 'search_replace' },
      expected: { unreadable: 'misplaced_line' },
    },
    {
      kind: 19,
      what: 'nor is a hunk that counts wrong',
      files: { [path]: join(lines) },
      edit: { text: `--- a/${path}\n+++ b/${path}\n@@ -1,9 +1,9 @@\n-${search}\n+x\n`, format: 'unified_diff' },
      expected: { unreadable: 'bad_count' },
    },
  ];
}

/** 26, 27: several files, and moves. */
function packages(sample: Sample): EditCase[] {
  const { path, text, value, lines, at } = sample;
  const other = path.replace('sample', 'other');
  const files = { [path]: text, [other]: text };
  const edit = { path, op: 'edit' as const, blocks: [{ search: value(1, '3'), replace: value(1, '4') }] };
  const changed = join(withLines(lines, { [at(1, 'value')]: [value(1, '4')] }));
  return [
    {
      kind: 26,
      what: 'a second file that fails leaves the first',
      files,
      edit: {
        files: [edit, { path: other, op: 'edit', blocks: [{ search: value(1, '999'), replace: 'other_text' }] }],
      },
      expected: { reason: 'not_found', path: other },
    },
    {
      kind: 26,
      what: 'a file that is missing, too',
      files,
      edit: { files: [edit, { path: 'none.txt', op: 'delete' }] },
      expected: { reason: 'not_found', path: 'none.txt' },
    },
    {
      kind: 27,
      what: 'a move to itself is an edit',
      files,
      edit: { files: [{ ...edit, op: 'move', to: path }] },
      expected: { after: { [path]: changed, [other]: text } },
    },
    {
      kind: 27,
      what: 'a move onto a file is refused',
      files,
      edit: { files: [{ path, op: 'move', to: other }] },
      expected: { reason: 'exists', path },
    },
    {
      kind: 27,
      what: 'a move takes the text along',
      files,
      edit: { files: [{ ...edit, op: 'move', to: `new/${path}` }] },
      expected: { after: { [`new/${path}`]: changed, [other]: text } },
    },
  ];
}

/** 29: fences in fences. */
function fences(sample: Sample): EditCase[] {
  const inner = join(['# Notes', '```', ...sample.lines.slice(0, 4), '```', 'end']);
  const files = { 'notes.md': 'old\n' };
  return [
    {
      kind: 29,
      what: 'a longer fence holds them',
      files,
      edit: { text: `notes.md\n\`\`\`\`md\n${inner}\`\`\`\`\n`, format: 'whole_file' },
      expected: { after: { 'notes.md': inner } },
    },
    {
      kind: 29,
      what: 'an equal one is unclear, and said to be',
      files,
      edit: { text: `notes.md\n\`\`\`md\n${inner}\`\`\`\n`, format: 'whole_file' },
      expected: { unreadable: 'unclear_fence' },
    },
  ];
}

/** 30: code that is left out. */
function elisions(sample: Sample): EditCase[] {
  const { path, text, lines, at, language } = sample;
  const block = lines.slice(at(1, 'open'), at(1, 'result') + 1);
  const elided = [
    block[0] ?? '',
    `${language.indent}${language.comment('... rest of the code ...')}`,
    block.at(-1) ?? '',
  ];
  const kept = `${language.indent}${language.comment('... existing code ...')}`;
  const own = join(withLines(lines, { [at(1, 'comment')]: [kept] }));
  const rest = lines.slice(at(1, 'total'), at(1, 'value') + 1).join('\n');
  return [
    {
      kind: 30,
      what: 'in the replacement',
      files: { [path]: text },
      edit: one(path, block.join('\n'), elided.join('\n')),
      expected: { reason: 'not_found', cause: 'elision_comment' },
    },
    {
      kind: 30,
      what: 'in a whole file',
      files: { [path]: text },
      edit: { file: path, content: join(elided) },
      expected: { reason: 'not_found', cause: 'elision_comment' },
    },
    {
      kind: 30,
      what: 'not where the file says it itself',
      files: { [path]: own },
      edit: one(path, `${kept}\n${rest}`, `${kept}\n${rest.replace('* 3', '* 5')}`),
      expected: { after: { [path]: own.replace('* 3', '* 5') } },
    },
  ];
}

/** 31: which file is meant. */
function names(sample: Sample): EditCase[] {
  const { path, text, value, language } = sample;
  const block = (search: string) => join(['<<<<<<< SEARCH', search, '=======', 'x', '>>>>>>> REPLACE']);
  const near = path.replace('sample', 'samples');
  return [
    {
      kind: 31,
      what: 'a language tag is no name',
      files: { [path]: text },
      edit: { text: `\`\`\`${language.name}\n${block(value(1, '3'))}\`\`\`\n`, format: 'search_replace' },
      expected: { unreadable: 'no_path' },
    },
    {
      kind: 31,
      what: 'a name that is nearly right is not taken',
      files: { [path]: text },
      edit: one(near, value(1, '3'), value(1, '4')),
      expected: { reason: 'not_found', path: near },
    },
  ];
}
