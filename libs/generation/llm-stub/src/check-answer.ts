import type { ValidateFunction } from 'ajv';
import type { EntryValues } from './build-request.ts';
import { invalidSchema } from './errors.ts';
import type { AnswerRule, ModelEntry } from './model-entry.ts';
import { valuesAt } from './values-at.ts';

export type AnswerCheck =
  | { readonly status: 'valid' }
  | { readonly status: 'invalid'; readonly reason: string; readonly rule?: string };

const compiled = new WeakMap<object, ValidateFunction>();

/** Checks a parsed answer against the entry's schema, then its rules. Throws `invalid_schema`. */
export async function checkAnswer(entry: ModelEntry, answer: unknown, sent: EntryValues): Promise<AnswerCheck> {
  const validate = compiled.get(entry.schema) ?? (await compile(entry));
  if (!validate(answer)) {
    const [{ instancePath = '', message = 'invalid', params = {} } = {}] = validate.errors ?? [];
    const { additionalProperty } = params as { additionalProperty?: unknown };
    const named = typeof additionalProperty === 'string' ? `: ${JSON.stringify(additionalProperty.slice(0, 80))}` : '';
    return { status: 'invalid', reason: `${instancePath === '' ? 'the answer' : instancePath} ${message}${named}` };
  }
  for (const rule of entry.answer_rules) {
    const reason = breaks(rule, answer, sent);
    if (reason !== undefined) return { status: 'invalid', reason, rule: rule.name };
  }
  return { status: 'valid' };
}

/** ajv is loaded on the first answer, not on import. */
async function compile({ name, schema }: ModelEntry): Promise<ValidateFunction> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  try {
    const validate = new Ajv2020({ strict: true, validateFormats: false }).compile(schema);
    compiled.set(schema, validate);
    return validate;
  } catch (error) {
    throw invalidSchema(name, error);
  }
}

function breaks(rule: AnswerRule, answer: unknown, sent: EntryValues): string | undefined {
  const seen = new Set(rule.must === 'be_among' ? valuesAt(sent, rule.of).map(({ value }) => value) : []);
  for (const { at, value } of valuesAt(answer, rule.path)) {
    if (rule.must === 'be_among' && !seen.has(value)) return `${at} is not among ${rule.of}`;
    if (rule.must === 'be_unique') {
      if (seen.has(value)) return `${at} repeats an earlier one`;
      seen.add(value);
    }
  }
  return undefined;
}
