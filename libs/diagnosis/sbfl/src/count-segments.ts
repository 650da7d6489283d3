// Counts by runs of neighbours. Statements side by side that every test so far has treated alike are one segment; a test splits segments
// only where its hits begin or end inside them. So a test costs its ranges and the segments in them, and memory does not grow with tests.

export interface SegmentCounts {
  /** Counts one test. Ranges flat: first, last, first, last …; ascending, within the size, not overlapping. */
  count(ranges: Uint32Array, failing: boolean): void;
  /** Per index the counts so far, and a number that equal columns share. New arrays each time. */
  columns(): { failed: Uint32Array; passed: Uint32Array; groups: Uint32Array };
}

export function countSegments(size: number): SegmentCounts {
  const segments = segmentList(size);
  const partition = partitionOf(size, segments);
  const failed = new Uint32Array(size);
  const passed = new Uint32Array(size);
  const { groups } = partition;
  const copied = [failed, passed, groups];
  return {
    count(ranges, failing) {
      for (let pair = 0; pair < ranges.length; pair += 2) {
        segments.split(ranges[pair] ?? 0, copied);
        segments.split((ranges[pair + 1] ?? 0) + 1, copied);
      }
      const counts = failing ? failed : passed;
      eachSegment(ranges, segments.next, (at) => {
        counts[at] = (counts[at] ?? 0) + 1;
      });
      partition.refine(ranges);
    },
    columns: () => ({
      failed: segments.spread(failed),
      passed: segments.spread(passed),
      groups: segments.spread(groups),
    }),
  };
}

interface SegmentList {
  /** By start of a segment: start of the one after it, or the size. */
  readonly next: Uint32Array;
  /** Makes a segment start at `at`, with what the values hold for the segment it was part of. */
  split(at: number, values: readonly Uint32Array[]): void;
  /** Values held by start of segment, copied to every index. */
  spread(values: Uint32Array): Uint32Array;
}

function segmentList(size: number): SegmentList {
  const next = new Uint32Array(size).fill(size);
  const starts = new Uint32Array((size >>> 5) + 1);
  starts[0] = 1;
  return {
    next,
    split(at, values) {
      if (at >= size || ((starts[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0) return;
      const before = startBefore(starts, at);
      starts[at >>> 5] = (starts[at >>> 5] ?? 0) | (1 << (at & 31));
      next[at] = next[before] ?? size;
      next[before] = at;
      for (const held of values) held[at] = held[before] ?? 0;
    },
    spread(values) {
      const spread = new Uint32Array(size);
      for (let at = 0; at < size; ) {
        const [value, end] = [values[at] as number, next[at] as number];
        for (; at < end; at += 1) spread[at] = value; // most are short: faster than fill
      }
      return spread;
    },
  };
}

/** The last marked start before `at`; 0 is always marked. */
function startBefore(starts: Uint32Array, at: number): number {
  let word = at >>> 5;
  let bits = (starts[word] ?? 0) & ((1 << (at & 31)) - 1);
  while (bits === 0) {
    word -= 1;
    bits = starts[word] ?? 1;
  }
  return word * 32 + 31 - Math.clz32(bits);
}

/** All indexes in one group at first; a test splits each group it hits only in part (partition refinement, Paige and Tarjan 1987). */
function partitionOf(size: number, { next }: SegmentList) {
  const groups = new Uint32Array(size);
  const sizes = new Uint32Array(size);
  const inside = new Uint32Array(size);
  const becomes = new Uint32Array(size);
  sizes[0] = size;
  let count = 1;

  /** Numbers the hit part of each group that is hit in part; false where there is none. */
  function divide(touched: readonly number[]): boolean {
    const before = count;
    for (const group of touched) {
      const hit = inside[group] ?? 0;
      inside[group] = 0;
      becomes[group] = hit === sizes[group] ? group : count;
      if (becomes[group] === group) continue;
      sizes[count] = hit;
      sizes[group] = (sizes[group] ?? 0) - hit;
      count += 1;
    }
    return count > before;
  }

  return {
    groups,
    refine(ranges: Uint32Array): void {
      if (count === size) return;
      const touched: number[] = [];
      eachSegment(ranges, next, (at, end) => {
        const group = groups[at] ?? 0;
        if (inside[group] === 0) touched.push(group);
        inside[group] = (inside[group] ?? 0) + end - at;
      });
      if (!divide(touched)) return;
      eachSegment(ranges, next, (at) => {
        groups[at] = becomes[groups[at] ?? 0] ?? 0;
      });
    },
  };
}

function eachSegment(ranges: Uint32Array, next: Uint32Array, visit: (start: number, end: number) => void): void {
  for (let pair = 0; pair < ranges.length; pair += 2) {
    const last = ranges[pair + 1] ?? 0;
    for (let at = ranges[pair] ?? 0; at <= last; ) {
      const end = next[at] ?? last + 1;
      visit(at, end);
      at = end;
    }
  }
}
