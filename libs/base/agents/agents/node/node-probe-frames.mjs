// The activations of probed functions, and what each says of its statements. Everything used is bound at load, before the target
// can replace it.
import { createCounter } from './node-probe-counter.mjs';
import {
  AFTER,
  BEGIN,
  BRANCH,
  CLOSE,
  COMMA,
  ENTRY,
  NO_VALUES,
  NONE,
  OPEN,
  RAISE,
  RETURN,
  readSpecs,
} from './node-probe-specs.mjs';
import { valueText } from './node-values.mjs';

const { is } = Object;

/** Kinds of activation, as bits: some way out of it is not seen; its arguments came earlier than it starts. */
const LOOSE = 1;
const GENERATOR = 2;
/** A name that is not bound, or may not be read. */
const UNBOUND = Symbol('unbound');
/** The function that each activation of a probed function calls first. */
export function createEnter(table, writer, stream) {
  const { specs, secretBefore, secretAfter, secretReturn } = readSpecs(table);
  const counter = createCounter(table, writer, stream, specs);
  const { open, tell, tellThin } = counter;
  const { text, raw, lead, int, sign, value: numberValue, end, endIn, mark, reopen, clear, settle } = writer;
  let frames = 0;
  /** The event whose first line was marked, and whether values stand in it. */
  let markedId = -1;
  let hasValues = false;
  /** Innermost activation that runs, as far as that is known. */
  let top;

  const pop = () => {
    const { under } = top;
    top.isLive = false;
    top.under = undefined;
    top.from = undefined;
    top = under;
  };

  const leave = (frame) => {
    if (!frame.isLive) return;
    while (top !== frame) pop();
    pop();
  };

  /** Whatever lies above it has ended or waits. */
  const run = (frame) => {
    if (frame.isLive) {
      while (top !== frame) pop();
      return;
    }
    // one activation that is not certain is enough to say that nothing is
    while (frame.isLoose && top?.isLoose) pop();
    frame.under = top;
    frame.isLive = true;
    top = frame;
  };

  const put = (value, why) => {
    if (why === undefined && typeof value === 'number' && (value | 0) === value && (value > 0 || is(value, 0))) {
      numberValue(value);
    } else text(value === UNBOUND ? '0' : valueText(value, why));
  };

  /** The values, the caller of an entry, and the end of the line. */
  const finish = (values, whys, caller, into, isBegin, isFollowed = false) => {
    const { length } = values;
    if (length > 0 || caller >= 0) {
      sign(COMMA);
      sign(OPEN);
      for (let index = 0; index < length; index += 1) {
        if (index > 0) sign(COMMA);
        put(values[index], whys === NONE ? undefined : whys[index]);
      }
      sign(CLOSE);
    }
    if (caller >= 0) {
      sign(COMMA);
      int(caller);
    }
    sign(CLOSE);
    if (into === undefined) end(isFollowed);
    else endIn(into, isBegin);
  };

  /** The values before end the first line of an event, those after go on with it. */
  const goOn = (hasBefore, values) => {
    if (!hasBefore) raw(NO_VALUES, 3);
    if (values.length === 0) raw(NO_VALUES, 3);
  };

  const begin = (frame, n, values) => {
    if (top !== frame) run(frame);
    frame.n = n;
    frame.id = -1;
    const id = open(n);
    if (id === -1) return;
    lead(BEGIN, id);
    sign(COMMA);
    int(n);
    sign(COMMA);
    int(frame.serial);
    const { ring } = counter;
    finish(values, secretBefore[n], -1, ring, true);
    frame.ring = ring;
    frame.id = id; // not before the line is whole
    if (ring !== undefined) {
      ring.mark(id, values.length > 0);
      return;
    }
    mark();
    markedId = id;
    hasValues = values.length > 0;
  };

  /** The statement under way completed: the line starts with `tag`, `given` comes after its number. */
  const complete = (frame, n, tag, given, values, isFollowed = false) => {
    if (top !== frame) run(frame);
    if (frame.n !== n) return;
    if (frame.id !== -1) {
      if (stream.news !== undefined) tellThin();
      const into = frame.ring;
      if (tag === AFTER && into === undefined && markedId === frame.id && reopen()) goOn(hasValues, values);
      else if (tag === AFTER && into !== undefined && into.lastId === frame.id) {
        clear();
        goOn(into.hasValues, values);
      } else {
        lead(tag, frame.id);
      }
      if (given !== '') text(given);
      finish(values, secretAfter[n], -1, frame.ring, false, isFollowed);
    }
    frame.n = -1;
    frame.id = -1;
  };

  class Frame {
    serial = frames++;
    /** Probe and event of the statement under way; -1: none. */
    n = -1;
    id = -1;
    /** Where its lines go; undefined: to the file. */
    ring = undefined;
    isLive = false;
    under = undefined;
    /** What ran when it started; until the entry is told. */
    from = undefined;

    constructor(kind) {
      this.isLoose = (kind & LOOSE) !== 0;
      this.isGenerator = (kind & GENERATOR) !== 0;
      this.from = top;
      run(this);
    }

    get u() {
      return UNBOUND;
    }

    /** Guarded read. */
    g(read) {
      try {
        return read();
      } catch {
        return UNBOUND;
      }
    }

    /** A function was entered with these parameters. */
    e(n, ...values) {
      const id = open(n);
      if (id === -1) return;
      lead(ENTRY, id);
      sign(COMMA);
      int(n);
      sign(COMMA);
      int(this.serial);
      const { from } = this;
      this.from = undefined;
      const isKnown = from !== undefined && !from.isLoose && !this.isGenerator && from.id !== -1;
      finish(values, secretAfter[n], isKnown ? from.id : -1, counter.ring, true);
    }

    /** A statement begins. */
    b(n, ...values) {
      begin(this, n, values);
    }

    /** It completed. */
    a(n, ...values) {
      complete(this, n, AFTER, '', values);
    }

    /** A statement completed, and at once the next begins. */
    j(n, after, next, before) {
      complete(this, n, AFTER, '', after, true);
      begin(this, next, before);
      settle();
    }

    /** A statement that completes by being reached. */
    o(n, ...values) {
      begin(this, n, values);
      complete(this, n, AFTER, '', NONE);
    }

    /** The header under way took a branch; nothing when none is: it was reached by falling through, or by a `break`. */
    k(n, branch, ...values) {
      complete(this, n, BRANCH, `,"${branch}"`, values);
    }

    /** A loop's header is evaluated, or is so already. */
    l(n, ...values) {
      if (this.n !== n) begin(this, n, values);
    }

    /** A loop's body begins. */
    i(n, ...values) {
      if (this.n !== n) begin(this, n, NONE);
      complete(this, n, BRANCH, ',"iteration"', values);
    }

    /** The `return` under way gives a value. */
    r(n, value, ...values) {
      if (this.n === n) complete(this, n, RETURN, `,${valueText(value, secretReturn[n])}`, values);
    }

    /** A `return` without a value. */
    q(n, ...values) {
      begin(this, n, values);
      complete(this, n, RETURN, ',["undefined","undefined"]', NONE);
    }

    /** The `throw` under way throws a value. */
    h(n, value) {
      if (this.n === n) this.c(value);
    }

    /** An exception was caught here: it ended the statement under way. */
    c(value) {
      if (this.n !== -1) complete(this, this.n, RAISE, `,${valueText(value)}`, NONE);
      else if (top !== this) run(this);
    }

    /** As `c`, of an exception that cannot be read, and for `finally`. */
    f() {
      if (top !== this) run(this);
      this.n = -1;
      this.id = -1;
    }

    /** It waits. */
    s() {
      leave(this);
    }

    /** It runs again. */
    w() {
      run(this);
    }

    /** It is left for good. */
    x() {
      leave(this);
    }
  }

  return (kind, placed) => {
    if (placed !== undefined)
      for (let index = 0; index < placed.length; index += 1) {
        const n = placed[index];
        if (specs[n] !== undefined) tell(n);
      }
    return kind < 0 ? undefined : new Frame(kind);
  };
}
