// Items of a rendered collection: `[1, 2]`, `deque([1, 2])`, `Map{"a" => 1}`, `{'a': 1}`.
import { endOfItem } from './read-values.ts';

/** Texts of the items, in order, keys and all; empty where the text is no collection. The last one may be cut. */
export function itemsOf(text: string): string[] {
  const open = /^[\w$.]*\(?[[{(]/.exec(text)?.[0].length;
  if (open === undefined) return [];
  const items: string[] = [];
  for (let at = open; at < text.length; ) {
    const end = endOfItem(text, at);
    const item = text.slice(at, end).trim();
    if (item !== '') items.push(item);
    if (text.charAt(end) !== ',') break;
    at = end + 1;
  }
  return items;
}

/** `itemsOf` that reads each text once. */
export function rememberItems(): (text: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const items = known.get(text) ?? itemsOf(text);
    known.set(text, items);
    return items;
  };
}

/** Whether an item, its key or its value has this text. */
export function showsItem(item: string, text: string): boolean {
  if (item === text) return true;
  return [': ', ' => '].some((sign) => item.endsWith(`${sign}${text}`) || item.startsWith(`${text}${sign}`));
}
