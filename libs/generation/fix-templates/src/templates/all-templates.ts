import type { Template } from '../template.ts';
import { argumentOrder } from './argument-order.ts';
import { arithmeticOperators } from './arithmetic-operators.ts';
import { booleanOperators } from './boolean-operators.ts';
import { callArguments } from './call-arguments.ts';
import { comparisonOperators } from './comparison-operators.ts';
import { constants } from './constants.ts';
import { counterpartCalls } from './counterpart-calls.ts';
import { donors } from './donors.ts';
import { exceptions } from './exceptions.ts';
import { fallbacks } from './fallbacks.ts';
import { guards } from './guards.ts';
import { jumps } from './jumps.ts';
import { literals } from './literals.ts';
import { loopBounds } from './loop-bounds.ts';
import { members } from './members.ts';
import { negatedCondition } from './negated-condition.ts';
import { offByOne } from './off-by-one.ts';
import { returns } from './returns.ts';
import { statements } from './statements.ts';
import { variables } from './variables.ts';
import { wrappedCalls } from './wrapped-calls.ts';

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
  loopBounds,
  jumps,
  returns,
  statements,
  guards,
  fallbacks,
  wrappedCalls,
  literals,
  callArguments,
  donors,
  exceptions,
];
