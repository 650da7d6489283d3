// Kinds of failure where bytes change that nobody meant.
import { type EditCase, join, lineOf, type Sample, withLines } from './edit-samples.ts';

export function casesOfBytes(sample: Sample): EditCase[] {
  return [
    ends(sample),
    empties(sample),
    styles(sample),
    encodings(sample),
    tabs(sample),
    edges(sample),
    literals(sample),
    quotes(sample),
  ].flat();
}

const one = (path: string, search: string, replace: string) => ({ file: path, blocks: [{ search, replace }] });
const encode = (text: string) => new TextEncoder().encode(text);

/** 3: no line end at the end of the file. */
function ends(sample: Sample): EditCase[] {
  const { path, lines, language } = sample;
  const last = lines.length - 1;
  const search = lineOf(sample, last);
  const more = `${search} ${language.name === 'java' ? '// x' : 'x'}`;
  const files = { [path]: lines.join('\n') };
  const text = `${path}\n<<<<<<< SEARCH\n${search}\n=======\n${more}\n>>>>>>> REPLACE\n`;
  const after = { [path]: withLines(lines, { [last]: [more] }).join('\n') };
  const isUnique = lines.filter((line) => line === search).length === 1;
  return [
    {
      kind: 3,
      what: 'the end stays without one',
      files,
      edit: one(path, `${lineOf(sample, last - 1)}\n${search}`, `${lineOf(sample, last - 1)}\n${more}`),
      expected: { after },
    },
    {
      kind: 3,
      what: 'also for whole lines',
      files,
      edit: { text, format: 'search_replace' },
      expected: isUnique ? { after } : { reason: 'ambiguous_match' },
    },
  ];
}

/** 4: nothing is left. */
function empties(sample: Sample): EditCase[] {
  const { path, text, lines, at } = sample;
  const line = at(1, 'comment');
  return [
    {
      kind: 4,
      what: 'of the whole text',
      files: { [path]: text },
      edit: one(path, text, ''),
      expected: { after: { [path]: '' } },
    },
    {
      kind: 4,
      what: 'of one line',
      files: { [path]: text },
      edit: one(path, `${lineOf(sample, line)}\n`, ''),
      expected: { after: { [path]: join(withLines(lines, { [line]: [] })) } },
    },
  ];
}

/** 6, 7: line ends and the byte order mark. */
function styles(sample: Sample): EditCase[] {
  const { path, lines, at, value } = sample;
  const line = at(2, 'value');
  const [search, extra] = [lineOf(sample, line), value(2, '5').replace('value_2', 'extra')];
  const changed = withLines(lines, { [line]: [search, extra] });
  const mixed = lines.map((text, i) => text + (i % 3 === 0 ? '\r\n' : '\n')).join('');
  const kept = lines.map((text, i) => (i === line ? value(2, '6') : text) + (i % 3 === 0 ? '\r\n' : '\n')).join('');
  const first = lineOf(sample, 0);
  const top = `${sample.language.comment('top')}\n${first}`;
  return [
    {
      kind: 6,
      what: 'CRLF stays CRLF',
      files: { [path]: join(lines, '\r\n') },
      edit: one(path, search, `${search}\n${extra}`),
      expected: { after: { [path]: join(changed, '\r\n') } },
    },
    {
      kind: 6,
      what: 'a CRLF block leaves LF alone',
      files: { [path]: join(lines) },
      edit: one(path, `${search}\r\n`, `${search}\r\n${extra}\r\n`),
      expected: { after: { [path]: join(changed) } },
    },
    {
      kind: 6,
      what: 'every other line keeps its own',
      files: { [path]: mixed },
      edit: one(path, search, value(2, '6')),
      expected: { after: { [path]: kept } },
    },
    {
      kind: 7,
      what: 'the mark stays when line 1 is edited',
      files: { [path]: `\ufeff${join(lines, '\r\n')}` },
      edit: one(path, first, top),
      expected: { after: { [path]: `\ufeff${join([sample.language.comment('top'), ...lines], '\r\n')}` } },
    },
    {
      kind: 7,
      what: 'and is not doubled by a block that has it',
      files: { [path]: `\ufeff${join(lines)}` },
      edit: one(path, `\ufeff${first}`, `\ufeff${top}`),
      expected: { after: { [path]: `\ufeff${join([sample.language.comment('top'), ...lines])}` } },
    },
  ];
}

/** 8: bytes that are not UTF-8. */
function encodings(sample: Sample): EditCase[] {
  const { path, lines, at, value } = sample;
  const bytesOf = (factor: string) => {
    const text = join(
      withLines(lines, {
        [at(0, 'comment')]: [`${lineOf(sample, at(0, 'comment'))} caf@`],
        [at(1, 'value')]: [value(1, factor)],
      }),
    );
    return encode(text).map((byte) => (byte === 64 ? 0xe9 : byte));
  };
  return [
    {
      kind: 8,
      what: 'are kept elsewhere',
      files: { [path]: bytesOf('3') },
      edit: one(path, value(1, '3'), value(1, '7')),
      expected: { after: { [path]: bytesOf('7') } },
    },
    {
      kind: 8,
      what: 'and a file with NUL is none to edit',
      files: { [path]: encode(`${join(lines)}\0`) },
      edit: one(path, value(1, '3'), value(1, '7')),
      expected: { reason: 'not_text' },
    },
  ];
}

/** 11: tabs. */
function tabs(sample: Sample): EditCase[] {
  const { path, lines, at, language, value } = sample;
  const tabbed = lines.map((line) => line.replace(/^[ \t]+/, '\t'));
  const wanted = value(1, '7').replace(language.indent, '\t');
  const edit = one(path, tabbed[at(1, 'value')] ?? '', wanted);
  return [
    {
      kind: 11,
      what: 'every other line keeps its tab',
      files: { [path]: join(tabbed) },
      edit,
      expected: { after: { [path]: join(withLines(tabbed, { [at(1, 'value')]: [wanted] })) } },
    },
  ];
}

/** 12, 13: blanks and blank lines around a replacement. */
function edges(sample: Sample): EditCase[] {
  const { path, text, lines, at, value } = sample;
  const line = at(1, 'comment');
  const search = lineOf(sample, line);
  const after = (...next: string[]) => ({ after: { [path]: join(withLines(lines, { [line]: next })) } });
  return [
    {
      kind: 12,
      what: 'blanks at its end are its own',
      files: { [path]: text },
      edit: one(path, search, `${search}  `),
      expected: after(`${search}  `),
    },
    {
      kind: 12,
      what: 'blank lines before it are its own',
      files: { [path]: text },
      edit: one(path, search, `\n\n${search}`),
      expected: after('', '', search),
    },
    {
      kind: 13,
      what: 'no blank line is left when both end a line',
      files: { [path]: text },
      edit: one(path, `${value(1, '3')}\n`, `${value(1, '4')}\n`),
      expected: { after: { [path]: join(withLines(lines, { [at(1, 'value')]: [value(1, '4')] })) } },
    },
    {
      kind: 13,
      what: 'nor when neither does',
      files: { [path]: text },
      edit: one(path, value(1, '3'), value(1, '4')),
      expected: { after: { [path]: join(withLines(lines, { [at(1, 'value')]: [value(1, '4')] })) } },
    },
  ];
}

/** 21, 22: texts that mean something to a decoder or to a pattern. */
function literals(sample: Sample): EditCase[] {
  const { path, text, lines, at, language } = sample;
  const line = at(1, 'comment');
  const search = lineOf(sample, line);
  const put = (kind: number, words: string): EditCase => {
    const next = `${language.indent}${language.comment(words)}`;
    return {
      kind,
      what: words,
      files: { [path]: text },
      edit: one(path, search, next),
      expected: { after: { [path]: join(withLines(lines, { [line]: [next] })) } },
    };
  };
  return [put(21, '&amp; &lt;b&gt; &apos;x&apos; &#39;'), put(22, "$& $1 $$ $` $' \\1 \\n")];
}

/** 28: characters that look alike. */
function quotes(sample: Sample): EditCase[] {
  const { path, lines, at, language } = sample;
  const line = at(1, 'comment');
  const comment = (words: string) => `${language.indent}${language.comment(words)}`;
  const file = (words: string) => ({ [path]: join(withLines(lines, { [line]: [comment(words)] })) });
  return [
    {
      kind: 28,
      what: 'curly is not straight',
      files: file("the 'first' one"),
      edit: one(path, comment('the \u2018first\u2019 one'), comment('x')),
      expected: { reason: 'not_found', nearest: line + 1, cause: 'quotes' },
    },
    {
      kind: 28,
      what: 'straight to curly is a change',
      files: file("the 'first' one"),
      edit: one(path, comment("the 'first' one"), comment('the \u2018first\u2019 one')),
      expected: { after: file('the \u2018first\u2019 one') },
    },
    {
      kind: 28,
      what: 'a no-break space is not a blank',
      files: file('the\u00a0first one'),
      edit: one(path, comment('the first one'), comment('x')),
      expected: { reason: 'not_found', nearest: line + 1, cause: 'no_break_space' },
    },
  ];
}
