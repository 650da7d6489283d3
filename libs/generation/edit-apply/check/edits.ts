// `npm run check:edits`: edits over the 32 kinds of failure of the field guide in nine languages, each without and with a gate. Last line: JSON.
import { readEditText } from '../src/formats.ts';
import { type ApplyOptions, applyEdits, createGate, type Gate } from '../src/index.ts';
import { type EditCase, type Expected, LANGUAGES, sampleOf } from './edit-samples.ts';
import { casesOfBytes } from './kinds-of-bytes.ts';
import { casesOfPlace } from './kinds-of-place.ts';
import { casesOfText } from './kinds-of-text.ts';

type Verdict = 'right' | 'wrong' | 'wrong_write';

const bytesOf = (content: string | Uint8Array) =>
  Buffer.from(typeof content === 'string' ? new TextEncoder().encode(content) : content).toString('latin1');

/** What an edit did: every file afterwards, or why not. */
function outcome({ files, edit, match }: EditCase, gate: Gate | undefined): Expected {
  const options: ApplyOptions = { ...(match === undefined ? {} : { match }), ...(gate === undefined ? {} : { gate }) };
  const read = 'text' in edit ? readEditText(edit.text, edit) : { status: 'read' as const, edit };
  if (read.status === 'unreadable') return { unreadable: read.problem };
  const result = applyEdits(files, read.edit, options);
  if (result.status === 'applied') {
    const after = new Map(Object.entries(files));
    for (const { path, after: bytes } of result.files)
      bytes === undefined ? after.delete(path) : after.set(path, bytes);
    return { after: Object.fromEntries(after) };
  }
  const { reason, matches, nearest, path } = result.rejection;
  return {
    reason,
    ...(matches === undefined ? {} : { lines: matches.map(([first]) => first) }),
    ...(nearest === undefined ? {} : { nearest: nearest.span[0], cause: nearest.cause }),
    ...(path === undefined ? {} : { path }),
  };
}

function judge(got: Expected, expected: Expected): Verdict {
  if ('after' in got) {
    if (!('after' in expected)) return 'wrong_write';
    const paths = new Set([...Object.keys(got.after), ...Object.keys(expected.after)]);
    const isSame = [...paths].every((path) => {
      const [a, b] = [got.after[path], expected.after[path]];
      return a !== undefined && b !== undefined && bytesOf(a) === bytesOf(b);
    });
    return isSame ? 'right' : 'wrong_write';
  }
  const known = got as Readonly<Record<string, unknown>>;
  const isSame = Object.entries(expected).every(([key, value]) => JSON.stringify(known[key]) === JSON.stringify(value));
  return isSame ? 'right' : 'wrong';
}

const gate = await createGate(['python', 'javascript', 'typescript', 'tsx', 'json', 'go', 'java', 'rust', 'c', 'bash']);
const cases = LANGUAGES.flatMap((language) => {
  const sample = sampleOf(language);
  return [casesOfPlace(sample), casesOfBytes(sample), casesOfText(sample)]
    .flat()
    .map((one) => ({ language: language.name, one }));
});
const counts = { without: { right: 0, wrong: 0, wrong_write: 0 }, with: { right: 0, wrong: 0, wrong_write: 0 } };
let right = 0;
let wrongWrites = 0;
for (const { language, one } of cases) {
  const verdicts = (['without', 'with'] as const).map((way) => {
    const expected = way === 'with' ? (one.gated ?? one.expected) : one.expected;
    const got = outcome(one, way === 'with' ? gate : undefined);
    const verdict = judge(got, expected);
    counts[way][verdict]++;
    if (verdict !== 'right')
      console.error(
        `${verdict} ${way} gate: ${language} ${one.kind} ${one.what}\n  ${JSON.stringify(got).slice(0, 600)}\n  expected ${JSON.stringify(expected).slice(0, 400)}`,
      );
    return verdict;
  });
  if (verdicts.every((verdict) => verdict === 'right')) right++;
  if (verdicts.includes('wrong_write')) wrongWrites++;
}
gate.dispose();
const kinds = new Set(cases.map(({ one }) => one.kind)).size;
console.error(
  JSON.stringify({ kinds, languages: LANGUAGES.length, without_gate: counts.without, with_gate: counts.with }),
);
console.log(JSON.stringify({ cases: cases.length, right, wrong_writes: wrongWrites }));
process.exitCode = cases.length >= 400 && kinds === 32 && right >= 0.995 * cases.length && wrongWrites === 0 ? 0 : 1;
