import { EndedBy, Receipt } from '@h/contracts';
import { foreignExecutor } from '../errors.ts';
import type { ForeignExit, ForeignFile } from './foreign-system.ts';

/** What must be so of an answer's fields, where they are there. */
const FIELDS: Readonly<Record<keyof ForeignExit, readonly [holds: (value: unknown) => boolean, what: string]>> = {
  exitCode: [(value) => Number.isInteger(value) && isWithin(value, 255), 'a whole number of 0 to 255'],
  signal: [isSignal, 'the name of a signal, such as "SIGKILL"'],
  endedBy: [(value) => EndedBy.safeParse(value).success, `one of ${EndedBy.options.join(', ')}`],
  stdout: [isOutput, 'text or bytes'],
  stderr: [isOutput, 'text or bytes'],
  cpuMs: [(value) => isWithin(value, Number.MAX_VALUE), 'a number of milliseconds'],
  peakMemoryBytes: [
    (value) => Number.isInteger(value) && isWithin(value, Number.MAX_SAFE_INTEGER),
    'a whole number of bytes',
  ],
  properties: [
    (value) => Receipt.shape.properties.safeParse(value).success,
    'properties of a receipt with what held of them',
  ],
};
/** Of Linux, the BSDs and Windows, wherever the system is. */
const SIGNAL =
  /^SIG(HUP|INT|QUIT|ILL|TRAP|ABRT|IOT|BUS|EMT|FPE|KILL|USR[12]|SEGV|PIPE|ALRM|TERM|STKFLT|CHLD|CLD|CONT|STOP|TSTP|TTIN|TTOU|URG|XCPU|XFSZ|VTALRM|PROF|WINCH|IO|POLL|INFO|LOST|PWR|SYS|UNUSED|BREAK|RTMIN(\+\d+)?|RTMAX(-\d+)?|RT\d+)$/;

/** The end that a system tells, each field read once; throws `foreign_executor` with the name of the first that cannot be meant. */
export function readExit(name: string, step: string, answer: unknown): ForeignExit {
  if (typeof answer !== 'object' || answer === null)
    throw nonsense(name, `${step} answered ${show(answer)}, no object`);
  const exit: Record<string, unknown> = {};
  for (const [field, [holds, what]] of Object.entries(FIELDS)) {
    const value = readField(name, step, answer, field);
    if (value === undefined) continue;
    if (!holds(value)) throw nonsense(name, `${step} answered with ${field} ${show(value)}, not ${what}`);
    exit[field] = value;
  }
  return exit;
}

/** How it ended by the answer; `cancelled` where the run was. */
export function endOf(name: string, step: string, exit: ForeignExit, cancelled: boolean): EndedBy {
  const { exitCode, signal, endedBy } = exit;
  if (endedBy === 'exit' && exitCode === undefined)
    throw nonsense(name, `${step} answered with endedBy "exit", without exitCode`);
  if (endedBy === 'signal' && signal === undefined)
    throw nonsense(name, `${step} answered with endedBy "signal", without signal`);
  if (endedBy === 'cancelled' && !cancelled)
    throw nonsense(name, `${step} answered with endedBy "cancelled", and nobody cancelled the run`);
  if (endedBy !== undefined) return endedBy;
  if (signal !== undefined) return 'signal';
  if (exitCode !== undefined) return 'exit';
  throw nonsense(name, `${step} answered without exitCode, signal or endedBy`);
}

/** Files that came back, each field read once. */
export function readFiles(name: string, step: string, answer: unknown): ForeignFile[] {
  if (!Array.isArray(answer)) throw nonsense(name, `${step} answered with ${show(answer)} for files, no list`);
  return Array.from(answer, (given: unknown, index) => {
    const at = `files[${index}]`;
    if (typeof given !== 'object' || given === null)
      throw nonsense(name, `${step} answered with ${at} ${show(given)}, no file`);
    const [path, mode, bytes] = ['path', 'mode', 'bytes'].map((field) => readField(name, step, given, field, `${at}.`));
    if (typeof path !== 'string' || Buffer.from(path).toString() !== path)
      throw nonsense(name, `${step} answered with ${at}.path ${show(path)}, which is no path`);
    if (mode !== undefined && !(typeof mode === 'number' && Number.isInteger(mode) && isWithin(mode, 0o177777)))
      throw nonsense(name, `${step} answered with ${at}.mode ${show(mode)}, no POSIX mode`);
    if (!(bytes instanceof Uint8Array)) throw nonsense(name, `${step} answered with ${at}.bytes that are no bytes`);
    return { path, bytes, ...(typeof mode === 'number' && { mode }) };
  });
}

export function readField(name: string, step: string, from: object, field: string, at = ''): unknown {
  try {
    return Reflect.get(from, field);
  } catch (cause) {
    throw foreignExecutor(name, `${step} answered with ${at}${field} that cannot be read`, { answered: true, cause });
  }
}

export function nonsense(name: string, what: string) {
  return foreignExecutor(name, what, { answered: true });
}

export function isOutput(value: unknown): value is Uint8Array | string {
  return typeof value === 'string' || value instanceof Uint8Array;
}

/** A value in few words, whatever it is. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function isSignal(value: unknown): boolean {
  return typeof value === 'string' && SIGNAL.test(value);
}

function isWithin(value: unknown, most: number): boolean {
  return typeof value === 'number' && value >= 0 && value <= most;
}
