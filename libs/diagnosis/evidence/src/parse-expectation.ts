import { splitItems } from './find-values.ts';

export type Expectation =
  | { readonly kind: 'compare'; readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>='; readonly value: string }
  | { readonly kind: 'in'; readonly values: readonly string[] }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'raises'; readonly type: string }
  | { readonly kind: 'branch'; readonly taken: boolean };

/**
 * The expectation a text says: `== v` `!= v` `< v` `<= v` `> v` `>= v` `in [..]` `is type T` `raises E` `branch taken` `branch not taken`.
 * Undefined: anything else. Values are literals as the language writes them.
 */
export function parseExpectation(text: string): Expectation | undefined {
  const trimmed = text.trim();
  const [, operator, value] = /^(==|!=|<=|>=|<|>)\s*(\S[\s\S]*)$/.exec(trimmed) ?? [];
  if (operator !== undefined && value !== undefined && !/^[=<>]/.test(value))
    return { kind: 'compare', operator: operator as '==', value };
  const [, items] = /^in\s*\[([\s\S]*)\]$/.exec(trimmed) ?? [];
  if (items !== undefined) return { kind: 'in', values: splitItems(items) };
  const [, type] = /^is type\s+([\w$.]+)$/.exec(trimmed) ?? [];
  if (type !== undefined) return { kind: 'type', type };
  const [, raised] = /^raises\s+([\w$.]+)$/.exec(trimmed) ?? [];
  if (raised !== undefined) return { kind: 'raises', type: raised };
  const [, not] = /^branch\s+(not\s+)?taken$/.exec(trimmed) ?? [undefined, null];
  return not === null ? undefined : { kind: 'branch', taken: not === undefined };
}
