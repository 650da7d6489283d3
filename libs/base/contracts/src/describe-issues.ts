// Turns the issues of a schema into sentences a person can act on: path, what was expected, what was got.
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** One sentence per issue: `tests[3].outcome: expected "passed" or "failed", got "green"`. `value` is what was parsed. */
export function describeIssues(issues: readonly Issue[], value: unknown): string[] {
  return issues.flatMap((issue) => sentencesOf(issue, value));
}

function sentencesOf(issue: Issue, value: unknown): string[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => sentence([...issue.path, key], 'no such key', value));
    case 'invalid_union':
      return unionSentences(issue, value);
    case 'invalid_key':
    case 'invalid_element':
      return describeIssues(
        issue.issues.map((inner) => within(issue, inner)),
        value,
      );
    default:
      return [sentence(issue.path, expectedOf(issue), value)];
  }
}

/** The member that fits furthest down tells most; where none gets past the value itself, what each would have been. */
function unionSentences(issue: z.core.$ZodIssueInvalidUnion, value: unknown): string[] {
  const depths = issue.errors.map(depthOf);
  const deepest = Math.max(0, ...depths);
  const best = issue.errors[depths.indexOf(deepest)];
  if (best !== undefined && deepest > 0)
    return describeIssues(
      best.map((inner) => within(issue, inner)),
      value,
    );
  const choices = [...new Set(issue.errors.flatMap((errors) => errors.map(expectedOf)))];
  return [sentence(issue.path, choices.length === 0 ? 'another value' : listOf(choices), value)];
}

function depthOf(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map(({ path, ...issue }) => path.length + innerDepth(issue)));
}

function innerDepth(issue: { code: Issue['code']; errors?: Issue[][] }): number {
  return issue.code === 'invalid_union' ? Math.max(0, ...(issue.errors ?? []).map(depthOf)) : 0;
}

function within(outer: Issue, inner: Issue): Issue {
  return { ...inner, path: [...outer.path, ...inner.path] };
}

function sentence(path: readonly PropertyKey[], expected: string, value: unknown): string {
  return `${formatPath(path)}: expected ${expected}, got ${summarize(valueAt(value, path))}`;
}

const typeNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function expectedOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? `a ${issue.expected}`;
    case 'invalid_value':
      return listOf(issue.values.map(summarize));
    case 'invalid_format':
      return issue.message.startsWith('Invalid') ? `text like ${issue.pattern ?? issue.format}` : issue.message;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${amount(Number(issue.maximum), issue.origin)}`;
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${amount(Number(issue.minimum), issue.origin)}`;
    default:
      return issue.message;
  }
}

function amount(limit: number, origin: string): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : undefined;
  return unit === undefined ? `${limit}` : `${limit} ${unit}${limit === 1 ? '' : 's'}`;
}

function listOf(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '(root)' : path.map(formatKey).join('').replace(/^\./, '');
}

function formatKey(key: PropertyKey): string {
  if (typeof key === 'number') return `[${key}]`;
  const name = String(key);
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (current, key) => (isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined),
    value,
  );
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Scalars as JSON, cut after 80 characters; of a container only its size or first keys. */
function summarize(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${amount(value.length, 'array')}`;
  if (isObject(value)) {
    const keys = Object.keys(value);
    return keys.length === 0
      ? 'an empty object'
      : `an object with ${keys
          .slice(0, 4)
          .map((key) => JSON.stringify(key))
          .join(', ')}${keys.length > 4 ? ', …' : ''}`;
  }
  const text =
    typeof value === 'string' ? JSON.stringify(value) : typeof value === 'function' ? 'a function' : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
