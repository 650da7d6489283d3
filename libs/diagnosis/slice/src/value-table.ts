// What is known of the values of a log, by their number; text is looked at once. Texts have numbers of their own, from 1; 0 is none.
import type { ValueText } from '@h/contracts';
import { createPairTable } from './pair-table.ts';
import { isPrimitive, quoted, slotText, wholeText } from './read-values.ts';

export interface ValueTable {
  /** Whether the value can never be changed in place; false for 0. */
  isPrimitive(value: number): boolean;
  /** Serial of the object, -1 where it has none. */
  refOf(value: number): number;
  /** Whether two recorded values may be what one name is bound to: an object keeps its serial, a primitive its text. */
  maySame(a: number, b: number): boolean;
  /** Text that shows the whole state of the value; 0: none does. */
  wholeText(value: number): number;
  /** The whole text of a slot of it; 0: no such slot, or its text does not show all of it. */
  slotText(value: number, slot: number): number;
  /** Whether nothing in the text, which shows no more than `brackets` containers, can have another name. */
  isAlone(value: number, text: number, brackets: number): boolean;
  /** Whether a text may show an object. */
  hasBracket(text: number): boolean;
  /** `None`, `undefined`. */
  isNothing(value: number): boolean;
}

const unread = -1;

export function createValueTable(values: readonly ValueText[], slots: readonly (readonly string[])[]): ValueTable {
  const kinds = new Uint8Array(values.length + 1);
  const refs = new Int32Array(values.length + 1).fill(-1);
  const whole = new Int32Array(values.length + 1).fill(unread);
  whole[0] = 0;
  for (const [at, value] of values.entries()) {
    kinds[at + 1] = kindOf(value);
    refs[at + 1] = value.ref ?? -1;
  }
  const texts = internTexts();
  const pairs = createPairTable();
  const slotTexts: number[] = [];
  return {
    isPrimitive: (value) => ((kinds[value] as number) & primitive) !== 0,
    isNothing: (value) => ((kinds[value] as number) & nothing) !== 0,
    refOf: (value) => refs[value] as number,
    maySame(a, b) {
      if (a === b) return true;
      // Values are distinct: two primitives may only differ in having been cut.
      if (((kinds[a] as number) & (kinds[b] as number) & exact) !== 0) return false;
      const ref = refs[a] as number;
      const other = refs[b] as number;
      if (ref >= 0 && other >= 0) return ref === other;
      if ((((kinds[a] as number) | (kinds[b] as number)) & primitive) === 0) return true;
      const left = values[a - 1];
      const right = values[b - 1];
      return left?.type === right?.type && left?.text === right?.text;
    },
    wholeText(value) {
      const known = whole[value] as number;
      if (known !== unread) return known;
      const given = values[value - 1];
      const found = texts.number(given && wholeText(given));
      whole[value] = found;
      return found;
    },
    slotText(value, slot) {
      if (value === 0) return 0;
      const pair = pairs.add(value, slot);
      const known = slotTexts[pair];
      if (known !== undefined) return known;
      const given = values[value - 1];
      const found = texts.number(given && slotText(given, slots[slot] ?? []));
      slotTexts[pair] = found;
      return found;
    },
    isAlone: (value, text, brackets) => (refs[value] as number) >= 0 && texts.containers(text) <= brackets,
    hasBracket: texts.hasBracket,
  };
}

const [primitive, nothing, exact] = [1, 2, 4];

function kindOf(value: ValueText): number {
  const isNothing = value.type === 'NoneType' || value.type === 'undefined';
  const isKnown = isPrimitive(value);
  return (isKnown ? primitive : 0) + (isNothing ? nothing : 0) + (isKnown && !value.truncated ? exact : 0);
}

function internTexts() {
  const numbers = new Map<string, number>();
  /** Per text: containers outside of strings. */
  const containers: number[] = [0];
  const brackets: boolean[] = [false];
  const number = (text: string | undefined): number => {
    if (text === undefined) return 0;
    const known = numbers.get(text);
    if (known !== undefined) return known;
    const hasBracket = /[[{(]/.test(text);
    containers.push(hasBracket ? (text.replace(quoted, '').match(/[[{(]/g)?.length ?? 0) : 0);
    const added = brackets.push(hasBracket) - 1;
    numbers.set(text, added);
    return added;
  };
  return {
    number,
    containers: (text: number) => containers[text] as number,
    hasBracket: (text: number) => brackets[text] as boolean,
  };
}
