// What the tests of a node:test file read, each while it runs, and the rest for the whole file.
import { tellEnvironment, tellGraph } from './node-dependencies.mjs';
import { mergeReads, startObserver, takeReads } from './node-observe.mjs';
import { sourceGraph } from './node-sources.mjs';

export function followReads(plan, emit, relative) {
  tellEnvironment(plan, emit);
  const isWatched = startObserver(relative, plan);
  let loose = {};
  /** A test's reads, with those of its subtests. */
  const of = (node) => mergeReads(node.reads, ...node.below.map(of));

  /** What was asked for since the last call is a test's, or everybody's. */
  function hold(node) {
    if (node === undefined) loose = mergeReads(loose, takeReads());
    else node.reads = mergeReads(node.reads, takeReads());
  }

  return {
    hold,
    of,
    /** At the end of the process. `covered`: the sources that it executed. */
    tell(covered) {
      hold(undefined);
      tellGraph(emit, () => sourceGraph(plan, relative, plan.file, covered, loose, isWatched));
    },
  };
}
