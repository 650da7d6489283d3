// A JSON value with one thing changed: what a wrong writer, an older version or a hostile file may hold.
import * as fc from 'fast-check';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const wrong = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom(
    '',
    'x',
    'a'.repeat(64),
    'A'.repeat(64),
    'file:0',
    'file:1',
    '3-1',
    '1-',
    '😀'.repeat(1024),
    '😀'.repeat(1025),
  ),
  fc.constantFrom<Json>(-1, 0, 0.5, 1, 1.5, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), 1e300, true, null, [], {}),
);

/** Changes one place: another value there, a key taken or added, an item taken, doubled or swapped. Never a key "__proto__". */
export function mutated(value: unknown): fc.Arbitrary<unknown> {
  const places = placesOf(value as Json, []);
  return fc
    .tuple(fc.constantFrom(...places), fc.nat(5), wrong, fc.string({ minLength: 1 }))
    .map(([at, kind, other, key]) => changeAt(value as Json, at, (old) => change(old, kind, other as Json, key)));
}

function placesOf(value: Json, path: (string | number)[]): (string | number)[][] {
  if (value === null || typeof value !== 'object') return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => placesOf(item, [...path, index]))
    : Object.entries(value).flatMap(([key, item]) => placesOf(item, [...path, key]));
  return [path, ...inner];
}

function changeAt(value: Json, [key, ...rest]: readonly (string | number)[], edit: (old: Json) => Json): Json {
  if (key === undefined) return edit(value);
  const copy: Record<string | number, Json> = Array.isArray(value) ? ([...value] as never) : { ...(value as object) };
  copy[key] = changeAt(copy[key] as Json, rest, edit);
  return copy as Json;
}

function change(old: Json, kind: number, other: Json, key: string): Json {
  if (Array.isArray(old) && kind < 4) {
    if (kind === 0) return [...old, other];
    if (kind === 1) return old.slice(1);
    if (kind === 2) return Array.from({ length: 60 }, () => old[0] ?? other);
    return [...old].reverse();
  }
  if (old !== null && typeof old === 'object' && !Array.isArray(old) && kind < 4) {
    const keys = Object.keys(old);
    const { [keys[kind % Math.max(1, keys.length)] ?? '']: _taken, ...fewer } = old;
    return kind < 2 ? fewer : { ...old, [key === '__proto__' ? 'other' : key]: other };
  }
  return withoutProto(other);
}

function withoutProto(value: Json): Json {
  return JSON.parse(JSON.stringify(value), (key, item: unknown) => (key === '__proto__' ? undefined : item)) as Json;
}
