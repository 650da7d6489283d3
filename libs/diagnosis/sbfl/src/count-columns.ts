// Column sums of a matrix of bits, 32 columns at a time: seven rows are added by full adders on whole words, and their three-bit sum is
// added to counters whose n-th bits lie in one word (carry-save adders: Harley and Seal; Wallace 1964). About six operations a word.

/** Per column the number of the given rows that have its bit; rows are `words` words long and start at `starts`. */
export function countColumns(bits: Uint32Array, starts: Uint32Array, words: number, size: number): Uint32Array {
  const planes = Math.max(3, 32 - Math.clz32(starts.length));
  const counters = new Uint32Array(words * planes);
  const whole = starts.length - (starts.length % 7);
  for (let row = 0; row < whole; row += 7) addSeven(bits, starts, row, words, counters, planes);
  for (let row = whole; row < starts.length; row += 1) addOne(bits, starts[row] ?? 0, words, counters, planes);
  return readCounters(counters, planes, size);
}

function addSeven(
  bits: Uint32Array,
  starts: Uint32Array,
  row: number,
  words: number,
  counters: Uint32Array,
  planes: number,
): void {
  const at = (index: number) => starts[row + index] ?? 0;
  const [r0, r1, r2, r3, r4, r5, r6] = [at(0), at(1), at(2), at(3), at(4), at(5), at(6)];
  for (let word = 0, counter = 0; word < words; word += 1, counter += planes) {
    const a = bits[r0 + word] as number;
    const b = bits[r1 + word] as number;
    const c = bits[r2 + word] as number;
    const d = bits[r3 + word] as number;
    const e = bits[r4 + word] as number;
    const f = bits[r5 + word] as number;
    const g = bits[r6 + word] as number;
    const ab = a ^ b;
    const de = d ^ e;
    const abc = ab ^ c;
    const def = de ^ f;
    const both = abc ^ def;
    const twoA = (a & b) | (ab & c);
    const twoB = (d & e) | (de & f);
    const twoC = (abc & def) | (both & g);
    const twos = twoA ^ twoB;
    addSum(counters, counter, both ^ g, twos ^ twoC, (twoA & twoB) | (twos & twoC));
  }
}

/** Adds a number of three bits a column to the counters of 32 columns. */
function addSum(counters: Uint32Array, counter: number, ones: number, twos: number, fours: number): void {
  const p0 = counters[counter] as number;
  const p1 = counters[counter + 1] as number;
  const p2 = counters[counter + 2] as number;
  counters[counter] = p0 ^ ones;
  let carry = p0 & ones;
  const sum1 = p1 ^ twos;
  counters[counter + 1] = sum1 ^ carry;
  carry = (p1 & twos) | (sum1 & carry);
  const sum2 = p2 ^ fours;
  counters[counter + 2] = sum2 ^ carry;
  carry = (p2 & fours) | (sum2 & carry);
  for (let plane = counter + 3; carry !== 0; plane += 1) {
    const held = counters[plane] as number;
    counters[plane] = held ^ carry;
    carry &= held;
  }
}

function addOne(bits: Uint32Array, start: number, words: number, counters: Uint32Array, planes: number): void {
  for (let word = 0; word < words; word += 1) addSum(counters, word * planes, bits[start + word] as number, 0, 0);
}

function readCounters(counters: Uint32Array, planes: number, size: number): Uint32Array {
  const counts = new Uint32Array(size);
  for (let column = 0; column < size; column += 1) {
    const counter = (column >>> 5) * planes;
    let count = 0;
    for (let plane = 0; plane < planes; plane += 1)
      count |= (((counters[counter + plane] as number) >>> (column & 31)) & 1) << plane;
    counts[column] = count;
  }
  return counts;
}
