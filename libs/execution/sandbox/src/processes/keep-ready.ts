import type { Backend, LaunchPlan, StartPlan } from '../backends/backend.ts';
import type { Control, RunGroup } from '../controls/control.ts';
import { type DiskPlan, sameDisk } from '../disk/plan-disk.ts';
import { launchFailed } from '../errors.ts';
import { type Started, startProcess } from './start-process.ts';
import type { Ready } from './supervise-process.ts';

/** Starts processes before their run is known. */
export interface Starter {
  /** A process at its gate in a group with the limits of the plan. */
  take(plan: LaunchPlan): Promise<Ready>;
  /** Starts the process for the next run of a slot, which may be like its last. */
  prepare(slot: number): void;
  /** Ends one that was taken and is not to run. */
  discard(ready: Ready): Promise<void>;
  /** Ends those that wait. */
  close(): Promise<void>;
}

interface Waiting {
  readonly started: Started;
  readonly group: RunGroup | undefined;
  readonly disk: DiskPlan | undefined;
  /** Of the backend, when it was started. */
  readonly key: string | undefined;
  readonly letDiskGo: () => void;
  /** Settles when the process is in its group; rejects when it could not be moved. */
  readonly moved: Promise<void>;
}

export interface StarterOptions {
  readonly control: Control | undefined;
  /** Keeps what a disk is made of until it is told otherwise; undefined: it is gone. */
  readonly holdDisk?: (disk: DiskPlan) => (() => void) | undefined;
}

/** Starting a program and moving it into a group take longer than all the rest of a run's overhead; so both are done ahead, one process a slot. */
export function keepReady(backend: Backend, { control, holdDisk }: StarterOptions): Starter {
  const waiting = new Map<number, Waiting>();
  const lastPlans = new Map<number, StartPlan>();
  const start = (slot: number, like: StartPlan | undefined): Waiting => {
    const disk = like?.disk;
    const letDiskGo = disk === undefined ? () => undefined : holdDisk?.(disk);
    if (letDiskGo === undefined) throw new Error('its prepared tree is gone');
    // Before the start: what changes meanwhile then shows.
    const key = like && backend.startKey?.(like);
    const started = startProcess(backend.launch(slot, like));
    const group = started.pid === undefined ? undefined : control?.open();
    const moved = started.pid === undefined || group === undefined ? Promise.resolve() : group.add(started.pid);
    moved.then(started.enter, () => undefined);
    return { started, group, disk, key, letDiskGo, moved };
  };
  return {
    async take(plan) {
      const kept = waiting.get(plan.slot);
      waiting.delete(plan.slot);
      lastPlans.set(plan.slot, plan);
      let entry: Waiting | undefined;
      try {
        if (isFit(backend, kept, plan)) entry = kept;
        else if (kept !== undefined) void discard(kept);
        entry ??= start(plan.slot, plan);
        entry.started.await(true);
        await entry.moved;
        if (!(await entry.started.ready)) throw new Error(readError(entry.started));
        entry.group?.limit(plan.policy);
      } catch (cause) {
        if (entry !== undefined) await discard(entry);
        throw launchFailed(backend.name, 'it could not be started under its limits', cause);
      }
      const { started, group, letDiskGo } = entry;
      // The run itself holds what its disk is made of.
      letDiskGo();
      return group === undefined ? { started } : { started, group };
    },
    prepare(slot) {
      if (waiting.has(slot)) return;
      try {
        const like = lastPlans.get(slot);
        // Without its tree there is nothing to make ahead.
        if (backend.disks !== undefined && like?.disk === undefined) return;
        const entry = start(slot, like);
        entry.started.await(false);
        waiting.set(slot, entry);
      } catch {
        // The run that comes will try again, and say what is wrong.
      }
    },
    discard: ({ started, group }) => discard({ started, group, letDiskGo: () => undefined, moved: Promise.resolve() }),
    async close() {
      const left = [...waiting.values()];
      waiting.clear();
      await Promise.all(left.map(discard));
    },
  };
}

/** What it was started for is what the plan wants, as things are now. */
function isFit(backend: Backend, entry: Waiting | undefined, plan: StartPlan): entry is Waiting {
  if (entry === undefined || entry.started.ended.happened || !sameDisk(entry.disk, plan.disk)) return false;
  return entry.key === backend.startKey?.(plan);
}

async function discard({ started, group, letDiskGo, moved }: Omit<Waiting, 'disk' | 'key'>): Promise<void> {
  started.await(true);
  // Not while it is on its way to the gate: what ends there may leave a process of its own.
  const entered = await moved.then(
    () => true,
    () => false,
  );
  if (entered) await started.ready;
  started.drop();
  await started.exit;
  letDiskGo();
  await group?.remove();
}

function readError({ stderr }: Started): string {
  const said: unknown = stderr?.read();
  return Buffer.isBuffer(said) ? said.toString('utf8').trim() : 'its disk could not be made';
}
