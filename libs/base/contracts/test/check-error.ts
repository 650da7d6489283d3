import { expect } from 'vitest';
import type { ContractErrorCode } from '../src/index.ts';

/** Runs `action`, which must throw a ContractError with that code; returns its message. */
export function messageOf(code: ContractErrorCode, action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return checkError(code, error);
  }
  throw new Error(`Nothing was thrown, expected ${code}.`);
}

/** As `messageOf`, for what rejects. */
export async function rejectionOf(code: ContractErrorCode, action: Promise<unknown>): Promise<string> {
  return action.then(
    () => Promise.reject(new Error(`Nothing was thrown, expected ${code}.`)),
    (error: unknown) => checkError(code, error),
  );
}

function checkError(code: ContractErrorCode, error: unknown): string {
  expect(error).toMatchObject({ name: 'ContractError', code, retryable: false });
  const { hint, message } = error as { hint: string; message: string };
  expect(hint).toMatch(/\.$/);
  return message;
}
