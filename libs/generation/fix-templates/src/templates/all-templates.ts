import type { Template } from '../template.ts';
import { argumentOrder } from './argument-order.ts';
import { arithmeticOperators } from './arithmetic-operators.ts';
import { booleanOperators } from './boolean-operators.ts';
import { comparisonOperators } from './comparison-operators.ts';
import { constants } from './constants.ts';
import { counterpartCalls } from './counterpart-calls.ts';
import { members } from './members.ts';
import { negatedCondition } from './negated-condition.ts';
import { offByOne } from './off-by-one.ts';
import { variables } from './variables.ts';

/** Every template of this library, in the order that decides between equal proposals. */
export const ALL_TEMPLATES: readonly Template[] = [
  comparisonOperators,
  offByOne,
  negatedCondition,
  booleanOperators,
  arithmeticOperators,
  constants,
  variables,
  members,
  argumentOrder,
  counterpartCalls,
];
