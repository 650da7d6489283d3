import type { ModelCall } from '@h/contracts';
import { modelForbidden } from '../errors.ts';

/** A model call that must never happen: rejects with `model_forbidden`. Shows that a stage works without a model. */
export function noModel(): ModelCall {
  return async ({ entry }) => {
    throw modelForbidden(entry);
  };
}
