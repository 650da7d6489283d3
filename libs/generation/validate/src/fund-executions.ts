// The budget as the sequential order would spend it. A candidate may run ahead of earlier ones only as far as the budget
// surely reaches, so that neither the executions counted nor the candidates validated depend on the concurrency.

/** One candidate's claim on the budget. */
export interface Claim {
  /** Spends one execution: true when it may run, false when the budget ends before it or the signal aborted. */
  spend(): Promise<boolean>;
  /** No more executions: what was not used goes to later claims. */
  settle(): void;
  /** Executions spent so far. */
  used(): number;
}

interface OpenClaim {
  used: number;
  readonly most: number;
  settled: boolean;
  readonly whenSettled: Promise<void>;
}

/** Hands out `executions` to claims in the order they are made; each names the `most` it may need. */
export function fundExecutions(executions: number, signal: AbortSignal): (most: number) => Claim {
  /** The first claim that is not settled, and all after it. */
  const open: OpenClaim[] = [];
  let usedBefore = 0;

  async function spend(own: OpenClaim): Promise<boolean> {
    while (!signal.aborted) {
      const earlier = open.slice(0, open.indexOf(own));
      const reserved = earlier.reduce((sum, { most }) => sum + most, usedBefore);
      if (reserved + own.used < executions) {
        own.used += 1;
        return true;
      }
      const [first] = earlier;
      if (first === undefined) return false;
      await first.whenSettled;
    }
    return false;
  }

  return (most) => {
    let markSettled = () => {};
    const whenSettled = new Promise<void>((resolve) => {
      markSettled = resolve;
    });
    const own: OpenClaim = { used: 0, most, settled: false, whenSettled };
    open.push(own);
    return {
      spend: () => spend(own),
      used: () => own.used,
      settle: () => {
        own.settled = true;
        markSettled();
        while (open[0]?.settled) usedBefore += open.shift()?.used ?? 0;
      },
    };
  };
}
