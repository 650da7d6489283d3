// Numbers for pairs of numbers: an open hash table without objects.

export interface PairTable {
  /** Number of the pair, from 0 in the order pairs were added; -1: not added. */
  find(a: number, b: number): number;
  /** Number of the pair, which is added where it is new. */
  add(a: number, b: number): number;
}

/** A table of pairs of numbers from 0 to 2^31. Amortized constant time. */
export function createPairTable(): PairTable {
  let places = new Int32Array(1024);
  let left = new Int32Array(512);
  let right = new Int32Array(512);
  let size = 0;
  const locate = (a: number, b: number): number => {
    const mask = places.length - 1;
    let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b);
    hash ^= hash >>> 15;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const entry = (places[at] as number) - 1;
      if (entry < 0 || (left[entry] === a && right[entry] === b)) return at;
    }
  };
  const grow = () => {
    [left, right] = [enlarge(left), enlarge(right)];
    places = new Int32Array(4 * left.length);
    for (let entry = 0; entry < size; entry += 1)
      places[locate(left[entry] as number, right[entry] as number)] = entry + 1;
  };
  return {
    find: (a, b) => (places[locate(a, b)] as number) - 1,
    add(a, b) {
      const at = locate(a, b);
      const known = (places[at] as number) - 1;
      if (known >= 0) return known;
      left[size] = a;
      right[size] = b;
      size += 1;
      places[at] = size;
      if (size === left.length) grow();
      return size - 1;
    },
  };
}

/** The same numbers with room for as many again. */
export function enlarge(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
