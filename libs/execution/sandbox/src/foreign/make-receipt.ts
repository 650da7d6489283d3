import { type Executor, type IsolationPolicy, IsolationProperty, type Receipt } from '@h/contracts';
import { writeReceipt } from '../judge-policy.ts';
import type { ForeignExit } from './foreign-system.ts';

/** Every property by name, so that nobody takes an absent one for kept. */
export function makeReceipt(
  name: string,
  { enforces }: Pick<Executor['capabilities'], 'enforces'>,
  policy: IsolationPolicy,
): Receipt {
  const properties: Receipt['properties'] = {};
  for (const property of IsolationProperty.options) properties[property] = 'unknown';
  for (const property of enforces) properties[property] = 'enforced';
  properties.stream_cap = 'enforced';
  return writeReceipt(name, properties, policy);
}

/** What held for this run, over what holds for every run. */
export function mergeReceipt(receipt: Receipt, { properties }: ForeignExit): Receipt {
  return { ...receipt, properties: { ...receipt.properties, ...properties } };
}
