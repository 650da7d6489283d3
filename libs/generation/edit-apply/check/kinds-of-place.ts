// Kinds of failure where an edit goes to the wrong place, to several, or to none.
import { type EditCase, join, lineOf, type Sample, withLines } from './edit-samples.ts';

export function casesOfPlace(sample: Sample): EditCase[] {
  return [
    copies(sample),
    applied(sample),
    several(sample),
    partOfLine(sample),
    hints(sample),
    middles(sample),
    large(sample),
  ].flat();
}

const one = (path: string, search: string, replace: string) => ({ file: path, blocks: [{ search, replace }] });

/** 1, 2, 32: texts that stand there more than once. */
function copies(sample: Sample): EditCase[] {
  const { path, text, lines, at, value } = sample;
  const files = { [path]: text };
  const total = lineOf(sample, at(0, 'total'));
  const other = sample.language.indent + sample.language.assign('total', 'a - b');
  const places = [0, 1, 2, 3].map((index) => at(index, 'total') + 1);
  const wanted = (expected_count: number) => ({
    files: [{ path, op: 'edit' as const, blocks: [{ search: total, replace: other, expected_count }] }],
  });
  const all = Object.fromEntries(places.map((line) => [line - 1, [other]]));
  const [first, last] = [at(2, 'open') + 1, at(2, 'result') + 1];
  const twice = join([...lines, ...lines]);
  const block = lines.slice(at(1, 'open'), at(1, 'result') + 1).join('\n');
  return [
    {
      kind: 1,
      what: 'a text that stands four times is refused',
      files,
      edit: one(path, total, other),
      expected: { reason: 'ambiguous_match', lines: places },
    },
    {
      kind: 1,
      what: 'the span says which copy',
      files,
      edit: { ...one(path, total, other), span: [first, last] },
      expected: { after: { [path]: join(withLines(lines, { [at(2, 'total')]: [other] })) } },
    },
    {
      kind: 1,
      what: 'a line around it says which copy',
      files,
      edit: one(path, `${total}\n${lineOf(sample, at(3, 'value'))}`, `${other}\n${value(3, '9')}`),
      expected: {
        after: { [path]: join(withLines(lines, { [at(3, 'total')]: [other], [at(3, 'value')]: [value(3, '9')] })) },
      },
    },
    {
      kind: 2,
      what: 'all copies, when their number is right',
      files,
      edit: wanted(4),
      expected: { after: { [path]: join(withLines(lines, all)) } },
    },
    {
      kind: 2,
      what: 'not when their number is wrong',
      files,
      edit: wanted(3),
      expected: { reason: 'ambiguous_match', lines: places },
    },
    {
      kind: 32,
      what: 'several lines that stand twice are refused',
      files: { [path]: twice },
      edit: one(path, block, `${block} `),
      expected: { reason: 'ambiguous_match', lines: [at(1, 'open') + 1, lines.length + at(1, 'open') + 1] },
    },
    {
      kind: 32,
      what: 'and their first line, too',
      files: { [path]: twice },
      edit: one(path, block.split('\n')[0] ?? '', 'x'),
      expected: { reason: 'ambiguous_match', lines: [at(1, 'open') + 1, lines.length + at(1, 'open') + 1] },
    },
  ];
}

/** 5: what was applied before. */
function applied(sample: Sample): EditCase[] {
  const { path, lines, at, value } = sample;
  const line = at(1, 'value');
  const search = lineOf(sample, line);
  const done = { [path]: join(withLines(lines, { [line]: [value(1, '77')] })) };
  const extra = `${search}\n${value(1, '8').replace('value_1', 'more')}`;
  return [
    {
      kind: 5,
      what: 'a replacement that stands there',
      files: done,
      edit: one(path, search, value(1, '77')),
      expected: { reason: 'already_applied', lines: [line + 1] },
    },
    {
      kind: 5,
      what: 'an insertion that stands there',
      files: { [path]: join(withLines(lines, { [line]: extra.split('\n') })) },
      edit: one(path, search, extra),
      expected: { reason: 'already_applied', lines: [line + 1] },
    },
  ];
}

/** 14, 15, 16: several blocks. */
function several(sample: Sample): EditCase[] {
  const { path, text, lines, at, value } = sample;
  const files = { [path]: text };
  const block = (index: number, factor: string) => ({
    search: lineOf(sample, at(index, 'value')),
    replace: value(index, factor),
  });
  const swapped = { [at(0, 'value')]: [value(0, '90')], [at(3, 'value')]: [value(3, '93')] };
  const gone = { search: `${value(1, '1000')}`, replace: 'other_text' };
  const both = lines.slice(at(1, 'value'), at(1, 'result') + 1).join('\n');
  return [
    {
      kind: 14,
      what: 'one block that fails leaves all as it was',
      files,
      edit: { file: path, blocks: [block(0, '90'), gone] },
      expected: { reason: 'not_found' },
    },
    {
      kind: 15,
      what: 'blocks against the order of the file',
      files,
      edit: { file: path, blocks: [block(3, '93'), block(0, '90')] },
      expected: { after: { [path]: join(withLines(lines, swapped)) } },
    },
    {
      kind: 16,
      what: 'a block that only the first one makes',
      files,
      edit: { file: path, blocks: [block(0, '90'), { search: value(0, '90'), replace: value(0, '91') }] },
      expected: { reason: 'not_found' },
    },
    {
      kind: 16,
      what: 'two blocks over one line',
      files,
      edit: { file: path, blocks: [block(1, '90'), { search: both, replace: `${both} ` }] },
      expected: { reason: 'overlapping_edits' },
    },
  ];
}

/** 17: a line that begins a longer one. */
function partOfLine(sample: Sample): EditCase[] {
  const { path, lines, at, value } = sample;
  const line = at(1, 'value');
  const stem = `${sample.language.indent}${sample.language.assign('value_1', 'total * 3').replace(/[;)]*$/, '')}`;
  const longer = join(withLines(lines, { [line]: [lineOf(sample, line).replace('* 3', '* 300')] }));
  const whole = {
    files: [
      {
        path,
        op: 'edit' as const,
        blocks: [{ search: `${stem}\n`, replace: `${value(1, '4')}\n`, whole_lines: true }],
      },
    ],
  };
  return [
    {
      kind: 17,
      what: 'as a whole line it is not there, and the longer one is named',
      files: { [path]: longer },
      edit: whole,
      expected: { reason: 'not_found', nearest: line + 1, cause: 'partial_line' },
    },
    {
      kind: 17,
      what: 'as a text it is, and only it is replaced',
      files: { [path]: longer },
      edit: one(path, stem, stem.replace('* 3', '* 4')),
      expected: { after: { [path]: longer.replace('* 300', '* 400') } },
    },
  ];
}

/** 20, 24: line numbers and lines of a diff. */
function hints(sample: Sample): EditCase[] {
  const { path, text, lines, at } = sample;
  const files = { [path]: text };
  const total = lineOf(sample, at(1, 'total'));
  const other = `${sample.language.indent}${sample.language.assign('total', 'a - b')}`;
  const diff = (line: number, removed: string) =>
    `--- a/${path}\n+++ b/${path}\n@@ -${line},1 +${line},1 @@\n-${removed}\n+${other}\n`;
  const given = (line: number, positions: boolean, removed = total) => ({
    text: diff(line, removed),
    format: 'unified_diff' as const,
    positions,
  });
  const right = at(1, 'total') + 1;
  const unique = lineOf(sample, at(1, 'value'));
  return [
    {
      kind: 20,
      what: 'right numbers tell copies apart where they are trusted',
      files,
      edit: given(right, true),
      expected: { after: { [path]: join(withLines(lines, { [right - 1]: [other] })) } },
    },
    {
      kind: 20,
      what: 'numbers that are off by one do not',
      files,
      edit: given(right + 1, true),
      expected: { reason: 'outside_span' },
    },
    {
      kind: 20,
      what: 'and alone they decide nothing',
      files,
      edit: given(right, false),
      expected: { reason: 'ambiguous_match' },
    },
    {
      kind: 24,
      what: 'a deleted line has to be equal',
      files,
      edit: given(right, true, unique.replace('* 3', '* 5')),
      expected: { reason: 'not_found' },
    },
  ];
}

/** 23: a middle that was made up between lines that are right. */
function middles(sample: Sample): EditCase[] {
  const { path, text, lines, at } = sample;
  const [first, last] = [at(2, 'open'), at(2, 'result')];
  const block = [
    lines[first] ?? '',
    `${sample.language.indent}${sample.language.assign('invented', '1 + 2')}`,
    `${sample.language.indent}${sample.language.assign('made_up', '3 + 4')}`,
    lines[last - 1] ?? '',
    lines[last] ?? '',
  ];
  return (['exact', 'indentation'] as const).map((match) => ({
    kind: 23,
    what: `a made-up middle (${match})`,
    files: { [path]: text },
    match,
    edit: one(path, block.join('\n'), 'other_text'),
    expected: { reason: 'not_found', nearest: first + 1, cause: 'text' },
  }));
}

/** 25: many lines that are nearly alike. */
function large(sample: Sample): EditCase[] {
  const { path, language } = sample;
  const [open = '', ...rest] = sample.lines.slice(language.head.length, -1 - language.tail.length);
  const body = rest.slice(0, 4);
  const many = Array.from({ length: 120 }, (_, i) =>
    [open, ...body].map((line) => line.replaceAll('_0', `_${i}x`)).concat(language.close, ''),
  );
  const lines = [...language.head, ...many.flat(), ...language.tail];
  const wanted = many[77]?.slice(0, 5).join('\n') ?? '';
  const changed = wanted.replace('* 2', '* 4');
  const text = join(lines);
  const start = text.indexOf(wanted);
  return [
    {
      kind: 25,
      what: 'one of 120 functions that are alike',
      files: { [path]: text },
      edit: one(path, wanted, changed),
      expected: { after: { [path]: text.slice(0, start) + changed + text.slice(start + wanted.length) } },
    },
    {
      kind: 25,
      what: 'a miss among them names the true place',
      files: { [path]: text },
      edit: one(path, wanted.replace('* 2', '* 22'), changed),
      expected: { reason: 'not_found', nearest: text.slice(0, start).split('\n').length },
    },
  ];
}
