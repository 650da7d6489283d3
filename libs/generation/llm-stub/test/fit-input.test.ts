import { describe, expect, it } from 'vitest';
import { fitInput } from '../src/fit-input.ts';
import type { EntryInput } from '../src/model-entry.ts';

const check = (input: Omit<EntryInput, 'name'>, value: unknown, expected: object) =>
  expect(fitInput({ name: 'it', ...input }, value)).toEqual({ name: 'it', ...expected });

describe('fitInput', () => {
  it('leaves alone what fits', () => {
    check({ max_bytes: 20, max_text: 3, max_items: 2 }, ['abc', 'de'], { value: ['abc', 'de'], fits: true });
    check({ max_bytes: 2 }, 7, { value: 7, fits: true });
  });

  it('drops items from the end, by number and by size', () => {
    const omission = { input: 'it', items: 1, texts: 0 };
    check({ max_bytes: 99, max_items: 2 }, [1, 2, 3], { value: [1, 2], fits: true, omission });
    check({ max_bytes: 9 }, ['ab', 'c', 'd'], { value: ['ab'], fits: true, omission: { ...omission, items: 2 } });
    check({ max_bytes: 10 }, ['ab', 'c', 'd'], { value: ['ab', 'c'], fits: true, omission });
    check({ max_bytes: 3 }, ['ab'], { value: [], fits: true, omission });
  });

  it('shortens texts by characters, keeping both ends', () => {
    check(
      { max_bytes: 999, max_text: 6 },
      { message: 'abcdefghij' },
      {
        value: { message: 'abcd … [4 characters left out] … ij' },
        fits: true,
        omission: { input: 'it', items: 0, texts: 1 },
      },
    );
    check({ max_bytes: 999, max_text: 3 }, '👍👍👍', { value: '👍👍👍', fits: true });
  });

  it('says where nothing may be left out', () => {
    check({ max_bytes: 3, verbatim: true }, ['ab'], { value: ['ab'], fits: false });
    check({ max_bytes: 3, verbatim: true, max_items: 0 }, [1], { value: [1], fits: true });
    check({ max_bytes: 3 }, { a: 1 }, { value: { a: 1 }, fits: false });
  });

  it('turns half of a surrogate pair into U+FFFD, so that the request can be hashed', () => {
    check({ max_bytes: 99, verbatim: true }, ['\ud83d', { a: 'x\udc4d' }], {
      value: ['\ufffd', { a: 'x\ufffd' }],
      fits: true,
    });
  });
});
