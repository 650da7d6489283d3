import { applyEdits } from '../src/index.ts';
import { byteString, placesBySlowModel, randomEdit, randomFile, randomSource, unified } from './random-edits.ts';

export type Outcome = 'applied' | 'rejected';

/**
 * Draws a file and an edit, applies it, and throws when the result is not the file with exactly the matched bytes replaced, or when an
 * edit that has to be refused was not.
 */
export function checkBytesLaw(seed: number): Outcome {
  const source = randomSource(seed);
  const file = randomFile(source);
  const edit = randomEdit(source, file);
  const before = file.bytes.slice();
  const result = applyEdits({ 'a.txt': file.bytes }, edit);
  const fail = (why: string): never => {
    throw new Error(`seed ${seed}: ${why}\n${JSON.stringify({ file: byteString(before), edit, result }, null, 1)}`);
  };
  if (byteString(file.bytes) !== byteString(before)) fail('the snapshot was written to');
  const { search = '', replace = '' } = edit.blocks?.[0] ?? {};
  const places = search === '' ? [] : placesBySlowModel(before, search, edit.span);
  const [place] = places;
  if (result.status === 'rejected') {
    if (place === undefined || places.length > 1) return 'rejected';
    const mayBe = refusalsOfUniqueMatch(byteString(before), edit.blocks?.[0] ?? { search, replace });
    return mayBe.includes(result.rejection.reason) ? 'rejected' : fail('a unique match was refused');
  }
  if (place === undefined || places.length > 1) return fail(`${places.length} matches were applied`);
  const after = byteString(result.files[0]?.after ?? new Uint8Array());
  const [head, tail] = [byteString(before).slice(0, place[0]), byteString(before).slice(place[1])];
  if (!after.startsWith(head) || !after.endsWith(tail) || after.length < head.length + tail.length) {
    fail('bytes outside the replaced range changed');
  }
  const middle = after.slice(head.length, after.length - tail.length);
  const wanted = unified(byteString(new TextEncoder().encode(replace)));
  const startsText = head === '\u00ef\u00bb\u00bf' || head === '';
  if (unified(middle) !== wanted && !(startsText && `\u00ef\u00bb\u00bf${unified(middle)}` === wanted)) {
    fail('the replacement is not what was asked for');
  }
  if (unified(after) !== unified(head) + unified(middle) + unified(tail)) fail('two line ends ran together');
  const endsBefore = new Set(byteString(before).match(/\r\n?|\n/g) ?? ['\n']);
  if ([...(middle.match(/\r\n?|\n/g) ?? [])].some((end) => !endsBefore.has(end)))
    fail('a line end of no line of the file');
  return 'applied';
}

/** Why a block that matches once may be refused all the same. */
function refusalsOfUniqueMatch(before: string, { search, replace }: { search: string; replace: string }): string[] {
  const asBytes = (text: string) =>
    unified(byteString(new TextEncoder().encode(text))).replace(/^\u00ef\u00bb\u00bf/, '');
  const reasons: string[] = [];
  // A lone CR may stand before, and LF after, the replaced range: then the two could become one line end.
  if (before.includes('\0') || /\r(?!\n)/.test(before)) reasons.push('not_text');
  if (unified(before).includes(asBytes(replace)) && asBytes(replace).includes(asBytes(search)))
    reasons.push('already_applied');
  if (asBytes(search) === asBytes(replace)) reasons.push('no_change');
  return reasons;
}
