import { expect } from 'vitest';

/** Code of what `action` throws, "none" where it throws nothing; every error says what to do. */
export function codeOf(action: () => unknown): string {
  try {
    action();
    return 'none';
  } catch (error) {
    const { code, hint, message } = error as { code?: string; hint?: string; message: string };
    expect(hint, message).toMatch(/\S/);
    return code ?? message;
  }
}
