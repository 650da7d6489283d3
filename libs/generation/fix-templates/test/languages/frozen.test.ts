// What no candidate may touch: each excerpt stands in the file and in every text that a candidate leads to.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { languageOf } from '@h/syntax';
import { describe, expect, test } from 'vitest';
import { ALL_TEMPLATES, proposeEdits } from '../../src/index.ts';
import { appliedTo, sharedParser } from '../results-of.ts';

const EXCERPTS: Readonly<Record<string, readonly string[]>> = {
  'syntax.py': [
    '"""Docstring with 1 < 2 and not x."""',
    'from __future__ import annotations',
    'import functools',
    'from typing import Callable',
    'LIMIT: int = ',
    '@functools.lru_cache(maxsize=',
    'def decorated(a, b=',
    ', *args, c=',
    ', **kwargs):',
    'class Base(object, metaclass=type):',
    'slots: tuple[int, ...] = ',
    'def method(self, other: "Base | None" = None) -> int | None:',
    '"""Another docstring."""',
    '@property',
    '@classmethod',
    '!r:>{width}}',
    '{{literal < 1}}',
    ':{width}.2f}',
    '    } lines {',
    'async def asynchronous(source, *, limit=',
    'as stream, open(',
    'global LIMIT',
    'from None',
    'except (ValueError, TypeError) as error:',
    'x: int = ',
    'as (p), open(',
    'case Base(total=',
    ' - 2j | None | ',
    'case _:',
  ],
  'syntax.ts': [
    '#!/usr/bin/env node',
    "'use strict';",
    "import fs, { type Stats } from 'node:fs';",
    "import type { Kind } from './kind.js';",
    "export { readFileSync } from 'node:fs';",
    "export * from './other.js';",
    'declare const injected: number;',
    "type Pair<T extends number = 1> = [T, 'a' | 'b', -1];",
    "interface Shape<T> { kind: 'a' | 'b'; size?: 1 | 2; method(a: number, b?: T): asserts a is 1; [key: string]: unknown }",
    'enum Level { Low = ',
    'abstract class Thing<T> extends Array<T> implements Iterable<T> {',
    'static #count = ',
    'private readonly size: number = ',
    'declare other: string;',
    'abstract area(scale?: number): number;',
    'constructor(public name: string, protected limit = ',
    'get half(): number {',
    'static create<U>(this: void, items: U[] = ',
    ', ...rest } = {} as any): U | undefined {',
    'async *[Symbol.asyncIterator]() {',
    'export function operators(a: number, b: number, c?: number | null): unknown[] {',
    'new Map<string, Array<number>>(',
    '<number>(',
    'function identity<T>(value: T): T {',
    "'quoted-key': ",
    'three: <T,>(value: T) => ',
    'export function optional(value: { a?: { b?: number[] } } | undefined, index: number, key: ',
    ' text $',
    ' a < b $',
    'export function* statements(items: number[], flag: boolean): Generator<number> {',
    'outer: for (let i = ',
    'continue outer;',
    'break outer;',
    'catch (error)',
    'label: { break label }',
    'as const satisfies Record<string, unknown>;',
    'export default class { @decorate(',
    'new.target',
    'compared = (a: number, b: number) => ',
  ],
  'view.tsx': [
    "import React, { type ReactNode } from 'react';",
    "type Props<T> = { items: T[]; limit?: number; render(item: T): ReactNode; title?: 'a' | 'b' };",
    'export function List<T extends { id: number }>({ items, limit = ',
    ', ...rest }: Props<T>) {',
    '<p title="it\'s < 1 &amp; more">nothing &lt; here {',
    '<h1 className={',
    'data-count={',
    '>a &amp;&amp; b</h1>',
    '{/* a comment < 1 */}',
    '<React.Fragment key={',
    '<Inner.Part a b={',
    "c='x' />",
    'props: { a: boolean; b: number; c: string }',
    '<List<{ id: number }> items={',
  ],
  'script.js': [
    'function plain(x, y = ',
    'String.raw`a $',
    'await import(',
    'label: for (;;) {',
    'break label',
    'x: while',
    'continue x',
    'c() {}',
    "'g h': ",
    '__proto__: ',
  ],
};

/** They take a statement away, or another value for the whole of what it returns; what is caught is an expression to one of them alone. */
const WHOLE_STATEMENTS = new Set(['statement', 'jump', 'return', 'exception']);

describe.each(Object.entries(EXCERPTS))('%s', (name, excerpts) => {
  const path = join(import.meta.dirname, '../fixtures/edges', name);
  const text = readFileSync(path, 'utf8');

  test('keeps what is no expression', { timeout: 300_000 }, async () => {
    const parser = await sharedParser();
    const { statements } = parser.outline(text, languageOf(name) ?? 'python');
    const targets = statements.map(({ first, last }) => ({ file: name, first, last, score: 1 }));
    const templates = ALL_TEMPLATES.filter((template) => !WHOLE_STATEMENTS.has(template.name));
    const files = [{ path: name, text }];
    const limits = { perTarget: 2_000 };
    const batches = [...proposeEdits({ files, targets, parser, templates, limits })];
    const candidates = batches.flatMap((batch) => batch.candidates);
    for (const excerpt of excerpts) expect(text).toContain(excerpt);
    const broken = candidates.flatMap((candidate) => {
      const after = appliedTo(text, candidate);
      return excerpts
        .filter((excerpt) => !after.includes(excerpt))
        .map((excerpt) => `${candidate.provenance} changes ${excerpt}`);
    });
    expect(broken).toEqual([]);
  });
});
