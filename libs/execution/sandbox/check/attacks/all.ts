import type { Attack } from '../escape/attack.ts';
import { DESCRIPTORS } from './descriptors.ts';
import { DEVICES } from './devices.ts';
import { ENVIRONMENT } from './environment.ts';
import { EXHAUSTION } from './exhaustion.ts';
import { FILES } from './files.ts';
import { IO_URING } from './io-uring.ts';
import { LINKS } from './links.ts';
import { MOUNTS } from './mounts.ts';
import { NAMES } from './names.ts';
import { PROCESSES } from './processes.ts';
import { PROCFS } from './procfs.ts';
import { SIGNALS } from './signals.ts';
import { SOCKETS } from './sockets.ts';
import { TERMINAL } from './terminal.ts';
import { TIME } from './time.ts';
import { TRACING } from './tracing.ts';

/** The sixteen classes of clause 8, in its order. */
export const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  'file writes outside': FILES,
  'symlink, hard link, rename races': LINKS,
  mounts: MOUNTS,
  procfs: PROCFS,
  devices: DEVICES,
  'inherited descriptors': DESCRIPTORS,
  environment: ENVIRONMENT,
  'signals to outside': SIGNALS,
  'ptrace and kin': TRACING,
  sockets: SOCKETS,
  DNS: NAMES,
  io_uring: IO_URING,
  terminal: TERMINAL,
  'fork, zombie, double fork': PROCESSES,
  exhaustion: EXHAUSTION,
  time: TIME,
};
