/** What legitimately varies in the output of tools, by name, for `DeterminismOptions.masks`. Each matches no more than the part that varies. */
export const STABLE_MASKS = {
  /** How long something took: `0.12s`, `3 ms`, `1m 2s`, `(took 5 seconds)`. */
  duration: /\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|m|min|minutes?)\b(?: \d+(?:\.\d+)? ?(?:ms|s)\b)?/g,
  /** A date with or without a time, in the forms of ISO 8601. */
  timestamp: /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g,
  /** A time of the day with seconds. */
  clock: /\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g,
  /** A place in memory, as Python and C print it. */
  address: /\b0x[0-9a-f]{6,16}\b/gi,
  /** A number that is said to name a process or a thread. */
  pid: /\b(?:pid|process|tid|thread)\W{0,3}\d+/gi,
  /** The last part of a name made by `tempfile` or `mktemp`. */
  temporary_name: /\/tmp[a-z0-9_]{8}\b|\/tmp\.[A-Za-z0-9]{6,10}\b/g,
  uuid: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
} as const;
