import type { Backend, LaunchPlan } from '../backends/backend.ts';
import type { Control, RunGroup } from '../controls/control.ts';
import { launchFailed } from '../errors.ts';
import { type Started, startProcess } from './start-process.ts';
import type { Ready } from './supervise-process.ts';

/** Starts processes before their run is known. */
export interface Starter {
  /** A process at its gate in a group with the limits of the plan. */
  take(plan: LaunchPlan): Promise<Ready>;
  /** Starts the process for the next run of a slot. */
  prepare(slot: number): void;
  /** Ends those that wait. */
  close(): Promise<void>;
}

interface Waiting {
  readonly started: Started;
  readonly group: RunGroup | undefined;
  /** Settles when the process is in its group; rejects when it could not be moved. */
  readonly moved: Promise<void>;
}

/** Starting a program and moving it into a group take longer than all the rest of a run's overhead; so both are done ahead, one process a slot. */
export function keepReady(backend: Backend, control: Control | undefined): Starter {
  const waiting = new Map<number, Waiting>();
  const start = (slot: number): Waiting => {
    const started = startProcess(backend.launch(slot));
    const group = started.pid === undefined ? undefined : control?.open();
    const moved = started.pid === undefined || group === undefined ? Promise.resolve() : group.add(started.pid);
    moved.then(started.enter, () => undefined);
    return { started, group, moved };
  };
  const discard = async ({ started, group, moved }: Waiting) => {
    started.await(true);
    started.drop();
    await moved.catch(() => undefined);
    await started.exit;
    await group?.remove();
  };
  return {
    async take(plan) {
      const kept = waiting.get(plan.slot);
      waiting.delete(plan.slot);
      if (kept?.started.ended.happened) void discard(kept);
      let entry: Waiting | undefined;
      try {
        entry = kept !== undefined && !kept.started.ended.happened ? kept : start(plan.slot);
        entry.started.await(true);
        await entry.moved;
        entry.group?.limit(plan.policy);
      } catch (cause) {
        if (entry !== undefined) await discard(entry);
        throw launchFailed(backend.name, 'it could not be started under its limits', cause);
      }
      const { started, group } = entry;
      return group === undefined ? { started } : { started, group };
    },
    prepare(slot) {
      if (waiting.has(slot)) return;
      try {
        const entry = start(slot);
        entry.started.await(false);
        waiting.set(slot, entry);
      } catch {
        // The run that comes will try again, and say what is wrong.
      }
    },
    async close() {
      const left = [...waiting.values()];
      waiting.clear();
      await Promise.all(left.map(discard));
    },
  };
}
