import { expect, it } from 'vitest';
import { splitOutput } from '../../src/foreign/split-output.ts';

function listen(mostBytes = 1000) {
  const heard = { text: '', noise: '', turns: [] as string[] };
  const splitter = splitOutput({
    mark: 'm1',
    onText: (chunk) => {
      heard.text += Buffer.from(chunk).toString('latin1');
    },
    onNoise: (chunk) => {
      heard.noise += Buffer.from(chunk).toString('latin1');
    },
    onReach: () => heard.turns.push('reach'),
    onBegin: () => heard.turns.push('begin'),
    onEnd: () => heard.turns.push('end'),
    mostBytes,
  });
  return { heard, splitter };
}

const SAID =
  'motd\n[h:m1:here]slow[h:m1:begin]out[h:m1:here][h:m2:end 0 0 0 -][h:m1:[h:\u00e9[h:m1:end 3 1 2 abc]QUJD\nREVG[h:m1:done]';

it.each([1, 2, 3, 7, 50, 1000])('parts what is said from what is written, in chunks of %i bytes', (size) => {
  const { heard, splitter } = listen();
  const bytes = Buffer.from(SAID, 'latin1');
  for (let at = 0; at < bytes.length; at += size) splitter.add(bytes.subarray(at, at + size));
  splitter.finish();
  // What only looks like a mark is the command's own.
  expect(heard).toEqual({
    text: 'out[h:m2:end 0 0 0 -][h:m1:[h:\u00e9',
    noise: 'motd\nslow',
    turns: ['reach', 'begin', 'end'],
  });
  expect(splitter.told()).toEqual({
    reached: true,
    began: true,
    end: { code: 3, left: true, count: 2, sha: 'abc' },
    archive: 'QUJD\nREVG',
  });
});

it('leaves out a mark that was cut, and keeps what may be none', () => {
  for (const [end, text] of [
    ['[h:m1:end 0', 'a'],
    ['[h:m1:', 'a'],
    ['[h:m1', 'a[h:m1'],
    ['[', 'a['],
  ] as const) {
    const { heard, splitter } = listen();
    for (const piece of ['[h:m1:begin]a', end.slice(0, 2), end.slice(2)]) splitter.add(Buffer.from(piece));
    splitter.finish();
    expect(heard.text).toBe(text);
    expect(splitter.told()).toEqual({ reached: false, began: true });
  }
});

it('takes no archive that is cut short, or larger than may be kept, and no end without a code', () => {
  const cut = listen();
  cut.splitter.add(Buffer.from('[h:m1:begin][h:m1:end 0 0 1 abc]QUJD'));
  cut.splitter.finish();
  expect(cut.splitter.told()).toMatchObject({ end: { code: 0 } });
  expect(cut.splitter.told().archive).toBeUndefined();
  const large = listen(3);
  large.splitter.add(Buffer.from('[h:m1:begin][h:m1:end 0 0 1 abc]QUJD[h:m1:done]'));
  expect(large.splitter.told().archive).toBeUndefined();
  const odd = listen();
  odd.splitter.add(Buffer.from('[h:m1:begin][h:m1:end x 0 0 -]'));
  expect(odd.splitter.told()).toEqual({ reached: false, began: true });
});

it('tells why nothing was begun', () => {
  const { splitter } = listen();
  splitter.add(Buffer.from('[h:m1:refused tools]'));
  expect(splitter.told()).toEqual({ reached: false, began: false, refused: 'tools' });
});
