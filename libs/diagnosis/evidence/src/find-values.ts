// What a pack holds under a place and a name.
import type { EvidencePack, Sha, StateObservation, ValueText } from '@h/contracts';
import { typeOfText } from './compare-values.ts';

export interface FoundValue {
  /** 0-based index into `evidence_pack`. */
  readonly index: number;
  readonly value: ValueText;
}

export interface Wanted {
  readonly location: string;
  readonly name: string;
  readonly execution_id?: Sha | undefined;
}

/** Observations at a place, by index; "./a.py:3" is the place "a.py:3". */
export function observationsAt({ evidence_pack }: EvidencePack, { location, execution_id }: Omit<Wanted, 'name'>) {
  const place = location.replace(/^(?:\.\/)+/, '');
  return [...evidence_pack.entries()].filter(
    ([, seen]) => seen.location === place && (execution_id === undefined || seen.execution_id === execution_id),
  );
}

/** Values of a variable, in the order of the pack; a slot (`self.total`) is read from the text of the object, where that shows it. */
export function findVariables(pack: EvidencePack, wanted: Wanted): FoundValue[] {
  return observationsAt(pack, wanted).flatMap(([index, { variables }]) => {
    const value = variableOf(variables, wanted.name);
    return value === undefined ? [] : [{ index, value }];
  });
}

export function findReturns(pack: EvidencePack, wanted: Wanted): FoundValue[] {
  return observationsAt(pack, wanted).flatMap(([index, { return_values }]) => {
    const value = Object.hasOwn(return_values, wanted.name) ? return_values[wanted.name] : undefined;
    return value === undefined ? [] : [{ index, value }];
  });
}

/** Decisions taken at a place, as values of type "branch", of whichever observation knows of them. */
export function findBranches(
  { evidence_pack }: EvidencePack,
  { location, execution_id }: Omit<Wanted, 'name'>,
): FoundValue[] {
  const place = `${location.replace(/^(?:\.\/)+/, '')} `;
  return [...evidence_pack.entries()].flatMap(([index, seen]) => {
    if (execution_id !== undefined && seen.execution_id !== execution_id) return [];
    if (!seen.branch_taken.startsWith(place)) return [];
    return [{ index, value: { type: 'branch', text: seen.branch_taken.slice(place.length), truncated: false } }];
  });
}

function variableOf(variables: StateObservation['variables'], name: string): ValueText | undefined {
  if (Object.hasOwn(variables, name)) return variables[name];
  const [base = '', ...slots] = name.replaceAll('?.', '.').split('.');
  const holder = Object.hasOwn(variables, base) ? variables[base] : undefined;
  if (holder === undefined || slots.length === 0 || (holder.truncated && !holder.masked)) return undefined;
  let text: string | undefined = holder.text;
  for (const slot of slots) text = text === undefined ? undefined : slotOf(text, slot);
  // The type of a slot is not recorded, but most literals show theirs.
  if (text === undefined) return undefined;
  if (!holder.masked || !/[…‹]/.test(text)) return { type: typeOfText(text), text, truncated: false };
  return { type: '', text, truncated: true, ...(text.includes('‹masked: ') ? { masked: true as const } : {}) };
}

/** Text of a slot of a rendered instance: `slotOf("Acc{total: 3}", "total")` is "3". */
function slotOf(text: string, name: string): string | undefined {
  const open = text.indexOf('{');
  if (!/^[\w$.]+$/.test(text.slice(0, Math.max(open, 0))) || !text.endsWith('}')) return undefined;
  const items = splitItems(text.slice(open + 1, -1));
  return items.find((item) => item.startsWith(`${name}: `))?.slice(name.length + 2);
}

/** Items between the commas of a rendered container: `splitItems("1, [2, 3]")` is `["1", "[2, 3]"]`. */
export function splitItems(text: string): string[] {
  const items: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === "'" || sign === '"' || sign === '`') at = endOfString(text, at, sign);
    else if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) depth -= 1;
    else if (sign === ',' && depth === 0) {
      items.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  items.push(text.slice(start).trim());
  return items.filter((item) => item !== '');
}

function endOfString(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === '\\' ? 2 : 1;
  return at;
}
