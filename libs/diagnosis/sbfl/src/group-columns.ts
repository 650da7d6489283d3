// Which columns of a matrix of bits are equal. A hash only proposes; every proposal is compared bit by bit, so the answer is exact.

/** Per given column a number that equal columns share; rows are `words` words long and start at `starts`. */
export function groupColumns(bits: Uint32Array, starts: Uint32Array, words: number, columns: Uint32Array): Uint32Array {
  const { leaders, leaderOf } = joinNeighbours(bits, starts, words, columns);
  const groups = settle(bits, starts, leaders);
  return leaderOf.map((leader) => groups[leader] ?? 0);
}

/** Columns of one word that no row tells from the one before them in it follow that one: one pass over the words, for nearly all columns. */
function joinNeighbours(bits: Uint32Array, starts: Uint32Array, words: number, columns: Uint32Array) {
  const differs = new Uint32Array(words);
  if (columns.length > words) {
    for (const start of starts) {
      for (let word = 0; word < words; word += 1) {
        const held = bits[start + word] as number;
        differs[word] = (differs[word] as number) | (held ^ (held << 1));
      }
    }
  } else differs.fill(-1);
  const numbers = new Map<number, number>();
  const leaders: number[] = [];
  const leaderOf = columns.map((column) => {
    const different = (differs[column >>> 5] ?? 0) | 1;
    const before = different & (-1 >>> (31 - (column & 31)));
    const leader = (column & ~31) + 31 - Math.clz32(before);
    const known = numbers.get(leader) ?? leaders.push(leader) - 1;
    numbers.set(leader, known);
    return known;
  });
  return { leaders: Uint32Array.from(leaders), leaderOf };
}

/** Numbers for the leaders, by rounds: those with one hash are compared with the first of them; what differs goes into the next round. */
function settle(bits: Uint32Array, starts: Uint32Array, leaders: Uint32Array): Uint32Array {
  const groups = new Uint32Array(leaders.length);
  let open = Uint32Array.from(leaders, (_, index) => index);
  for (let count = 0, round = 0; open.length > 0; round += 1) {
    const hashes = hashColumns(bits, starts, leaders, open, round);
    const firsts = new Map<number, number>();
    const pairs = open.map((index, position) => {
      const first = firsts.get(hashes[position] ?? 0) ?? index;
      firsts.set(hashes[position] ?? 0, first);
      return first;
    });
    const unequal = compareColumns(bits, starts, leaders, open, pairs);
    for (const first of firsts.values()) groups[first] = count++;
    open.forEach((index, position) => {
      if (unequal[position] === 0) groups[index] = groups[pairs[position] ?? 0] ?? 0;
    });
    open = open.filter((_, position) => unequal[position] !== 0);
  }
  return groups;
}

function hashColumns(
  bits: Uint32Array,
  starts: Uint32Array,
  leaders: Uint32Array,
  open: Uint32Array,
  round: number,
): Uint32Array {
  const columns = open.map((index) => leaders[index] as number);
  const hashes = new Uint32Array(open.length);
  const seeds = rowSeeds(starts.length, round);
  for (let row = 0; row < starts.length; row += 1) {
    const [start, seed] = [starts[row] as number, seeds[row] as number];
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at] as number;
      const bit = ((bits[start + (column >>> 5)] as number) >>> (column & 31)) & 1;
      hashes[at] = (hashes[at] as number) ^ (seed & -bit);
    }
  }
  return hashes;
}

/** A number a row; a column's hash is those of its rows, added without carry. */
export function rowSeeds(rows: number, round: number): Uint32Array {
  const seeds = new Uint32Array(rows);
  let state = 0x9e3779b9 + round;
  for (let row = 0; row < rows; row += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    seeds[row] = state;
  }
  return seeds;
}

/** Per open column: not 0 where some row tells it from its pair. */
function compareColumns(
  bits: Uint32Array,
  starts: Uint32Array,
  leaders: Uint32Array,
  open: Uint32Array,
  pairs: Uint32Array,
): Uint8Array {
  const unequal = new Uint8Array(open.length);
  const doubtful = Uint32Array.from(open.keys()).filter((position) => open[position] !== pairs[position]);
  const one = doubtful.map((position) => leaders[open[position] as number] as number);
  const other = doubtful.map((position) => leaders[pairs[position] as number] as number);
  for (const start of starts) {
    for (let at = 0; at < doubtful.length; at += 1) {
      const [a, b] = [one[at] as number, other[at] as number];
      const difference =
        ((bits[start + (a >>> 5)] as number) >>> (a & 31)) ^ ((bits[start + (b >>> 5)] as number) >>> (b & 31));
      const position = doubtful[at] as number;
      unequal[position] = (unequal[position] as number) | (difference & 1);
    }
  }
  return unequal;
}
