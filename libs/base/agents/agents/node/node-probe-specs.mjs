// What the probes of a table are, and the parts that their lines are made of.
import { ascii } from './node-probe-writer.mjs';
import { reasonOf } from './node-secrets.mjs';
import { showSecrets } from './node-values.mjs';

export const NONE = [];
/** Letters of the lines. */
export const [BEGIN, ENTRY, AFTER, BRANCH, RETURN, RAISE] = ['b', 'e', 'a', 'k', 'r', 'x'].map((tag) =>
  tag.charCodeAt(0),
);
export const [COMMA, OPEN, CLOSE] = [44, 91, 93];
export const NO_VALUES = ascii(',[]');

/** Why the names of a list are secrets. */
function reasonsOf(names = NONE) {
  const found = [];
  let some = false;
  for (let index = 0; index < names.length; index += 1) {
    found[index] = reasonOf(names[index]);
    some ||= found[index] !== undefined;
  }
  return some ? found : NONE;
}

/** The specs of a table by number, and why what they tell is a secret. */
export function readSpecs(table) {
  const specs = [];
  for (let file = 0; file < table.files.length; file += 1) {
    const { probes } = table.files[file];
    for (let index = 0; index < probes.length; index += 1) specs[probes[index].n] = probes[index];
  }
  showSecrets(table.secrets === 'shown');
  /** By probe: of each name before and after, and of what it returns, why it is a secret; `NONE` where none is. */
  const [secretBefore, secretAfter, secretReturn] = [[], [], []];
  for (let n = 0; n < specs.length; n += 1) {
    secretBefore[n] = reasonsOf(specs[n]?.before);
    secretAfter[n] = reasonsOf(specs[n]?.after);
    secretReturn[n] = specs[n]?.function === undefined ? undefined : reasonOf(specs[n].function);
  }
  return { specs, secretBefore, secretAfter, secretReturn };
}
