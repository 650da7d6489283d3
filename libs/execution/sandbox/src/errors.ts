export type SandboxErrorCode =
  | 'backend_unavailable'
  | 'base_changed'
  | 'bad_request'
  | 'bad_tree'
  | 'closed'
  | 'foreign_executor'
  | 'launch_failed'
  | 'scratch_unusable';

/** Misuse of the sandbox, or a host that broke under it. Test `code`, not `instanceof`. */
export class SandboxError extends Error {
  readonly code: SandboxErrorCode;
  /** What to do about it. */
  readonly hint: string;
  /** Whether the same call may succeed when repeated. */
  readonly retryable: boolean;

  constructor(
    code: SandboxErrorCode,
    message: string,
    hint: string,
    more: { retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'SandboxError';
    this.code = code;
    this.hint = hint;
    this.retryable = more.retryable ?? false;
  }
}

export function backendUnavailable(backend: string, reason: string, remedy: string): SandboxError {
  return new SandboxError(
    'backend_unavailable',
    `backend "${backend}" does not work on this host: ${reason}`,
    `either ${remedy}, or let backend be "auto" and read the receipt`,
  );
}

export function baseChanged(difference: string): SandboxError {
  return new SandboxError(
    'base_changed',
    `a prepared tree is not what was written: ${difference}`,
    'nothing of a run can reach it, so look for what else writes to the scratch folder; the results of the last 32 runs are in doubt, the next begins anew',
    { retryable: true },
  );
}

/** `of`: what cannot be had because of it. */
export function badRequest(what: string, hint: string, of = 'request cannot be run', cause?: unknown): SandboxError {
  return new SandboxError('bad_request', `${of}: ${what}`, hint, { cause });
}

export function badTree(path: string, what: string, cause?: unknown): SandboxError {
  return new SandboxError(
    'bad_tree',
    `tree entry "${path}" ${what}`,
    'paths of a tree are relative, normalized and no file is a folder of another entry; build trees with putTree',
    { cause },
  );
}

export function closed(): SandboxError {
  return new SandboxError('closed', 'the sandbox was closed', 'create another with createSandbox');
}

/** `answered`: it did, but not as it must; trying again will not help. */
export function foreignExecutor(
  name: string,
  what: string,
  more: { readonly cause?: unknown; readonly answered?: true } = {},
): SandboxError {
  return new SandboxError(
    'foreign_executor',
    `executor "${name}": ${what}`,
    more.answered
      ? 'mend the adapter: see "Your own executor" in the README of @h/sandbox'
      : 'either the other side is unreachable or overloaded, or the adapter is at fault; the cause says more',
    { retryable: more.answered !== true, cause: more.cause },
  );
}

export function launchFailed(backend: string, detail: string, cause?: unknown): SandboxError {
  return new SandboxError(
    'launch_failed',
    `${backend} could not set up the run: ${detail}`,
    'either the host changed since the sandbox was created, or it is out of processes or memory; run `h doctor`',
    { retryable: true, cause },
  );
}

export function scratchUnusable(path: string, cause: unknown): SandboxError {
  return new SandboxError(
    'scratch_unusable',
    `no scratch folder can be made under "${path}"`,
    'give scratchRoot a folder that exists, is writable and has space',
    { cause },
  );
}
