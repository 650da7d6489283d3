import { IsolationProperty } from '@h/contracts';
import { badRequest, type SandboxError } from '../errors.ts';
import type { ForeignSystem } from './foreign-system.ts';
import { show } from './read-answer.ts';

/** Throws for what no executor can be made of, or could not be believed: before anything has run. */
export function checkSystem(system: ForeignSystem, transferMs: number | undefined): void {
  if (typeof system !== 'object' || system === null) throw unusable('the system is no object');
  checkName(system.name);
  checkCapabilities(system.capabilities);
  for (const call of 'run' in system ? ['run'] : ['put', 'exec', 'get'])
    if (typeof Reflect.get(system, call) !== 'function') throw unusable(`${call} is no function`);
  if (system.drop !== undefined && typeof system.drop !== 'function') throw unusable('drop is no function');
  if (transferMs !== undefined && !(typeof transferMs === 'number' && transferMs > 0))
    throw unusable(`transferMs is ${String(transferMs)}, not a time in milliseconds`);
}

function checkName(name: unknown): void {
  if (name !== undefined && (typeof name !== 'string' || name === '')) throw unusable('name is no text, or empty');
}

function checkCapabilities(given: unknown): void {
  if (typeof given !== 'object' || given === null) throw unusable('capabilities are missing');
  const concurrency: unknown = Reflect.get(given, 'concurrency');
  if (!Number.isSafeInteger(concurrency) || Number(concurrency) < 1)
    throw unusable(`capabilities.concurrency is ${show(concurrency)}, not a whole number of at least 1`);
  const enforces: unknown = Reflect.get(given, 'enforces');
  if (!Array.isArray(enforces)) throw unusable('capabilities.enforces is no list');
  const unknown = enforces.find((property) => !IsolationProperty.safeParse(property).success);
  if (unknown !== undefined || enforces.includes(undefined))
    throw unusable(`capabilities.enforces names "${String(unknown)}", which is no property of a receipt`);
}

function unusable(what: string): SandboxError {
  const hint = 'see "Your own executor" in the README of @h/sandbox for what a system consists of';
  return badRequest(what, hint, 'no executor can be made of this system');
}
