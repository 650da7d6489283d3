import { badRequest } from '../errors.ts';
import type { DeterminismOptions } from './check-determinism.ts';
import { VARIATIONS } from './vary-request.ts';

/** Refuses options that would be passed over, or fail after the runs. */
export function checkComparison({ runs, vary, masks, ignoreFields, records }: DeterminismOptions): void {
  const given: Readonly<Record<string, unknown>> = { runs, vary, masks, ignoreFields, records };
  for (const [name, { fits, hint }] of Object.entries(RULES))
    if (given[name] !== undefined && !fits(given[name]))
      throw badRequest(`${name} is not usable`, hint, 'determinism cannot be checked');
}

interface Rule {
  readonly fits: (value: unknown) => boolean;
  readonly hint: string;
}

const listOf = (isOne: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(isOne);

const RULES: Readonly<Record<string, Rule>> = {
  runs: { fits: (value) => Number.isSafeInteger(value), hint: 'give a whole number; less than 2 counts as 2' },
  vary: {
    fits: listOf((value) => (VARIATIONS as readonly unknown[]).includes(value)),
    hint: `give a list of some of: ${VARIATIONS.join(', ')}`,
  },
  masks: {
    fits: listOf((value) => Object.prototype.toString.call(value) === '[object RegExp]'),
    hint: 'give a list of regular expressions, such as Object.values(STABLE_MASKS)',
  },
  ignoreFields: {
    fits: listOf((value) => typeof value === 'string'),
    hint: 'give a list of names of fields of records',
  },
  records: { fits: (value) => typeof value === 'function', hint: 'give a function of a result' },
};
