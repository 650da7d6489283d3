import { readFileSync } from 'node:fs';
import { isInside } from '../workspace/plan-links.ts';

/** A mount of this host as a bind of it has to respect it. */
export interface HostMount {
  readonly point: string;
  /** Options of the mount that a less privileged copy may not take off. */
  readonly kept: readonly string[];
}

const KEPT = new Set(['nosuid', 'nodev', 'noexec']);
const ESCAPES: Readonly<Record<string, string>> = { ' ': '\\040', '\t': '\\011', '\n': '\\012', '\\': '\\134' };

/** Mounts from `/proc/self/mountinfo`, in the order they were made. */
export function readHostMounts(text = readFileSync('/proc/self/mountinfo', 'utf8')): HostMount[] {
  return text
    .split('\n')
    .map((line) => line.split(' '))
    .filter((fields) => fields.length > 6)
    .map((fields) => ({
      point: unescapePath(fields[4] ?? ''),
      kept: (fields[5] ?? '').split(',').filter((option) => KEPT.has(option)),
    }));
}

function unescapePath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** What a bind of `path` with the given options must hold, since the mount it lies on has it. */
export function bindOptions(mounts: readonly HostMount[], path: string, options: readonly string[]): string {
  const mount = mounts.findLast(({ point }) => isInside(path, point) && !hasLonger(mounts, path, point));
  return ['bind', ...new Set([...options, ...(mount?.kept ?? [])])].join(',');
}

function hasLonger(mounts: readonly HostMount[], path: string, than: string): boolean {
  return mounts.some(({ point }) => point.length > than.length && isInside(path, point));
}

/**
 * Lines of an fstab that show a host path read-only at another place, with every file system that is mounted below it. `source` is how
 * the path is named where the lines are read.
 */
export function showReadOnly(
  mounts: readonly HostMount[],
  path: string,
  source: string,
  target: string,
): readonly string[] {
  const below = [...new Set(mounts.map(({ point }) => point))].filter(
    (point) => point !== path && isInside(point, path),
  );
  const readOnly = ['ro', 'nosuid', 'nodev'];
  if (below.length === 0) return [fstabLine(source, target, 'none', bindOptions(mounts, path, readOnly))];
  const sealed = [path, ...below].map((point) =>
    fstabLine(
      'none',
      `${target}${point.slice(path.length)}`,
      'none',
      `remount,${bindOptions(mounts, point, readOnly)}`,
    ),
  );
  return [fstabLine(source, target, 'none', 'rbind'), ...sealed];
}

/** One line for `mount --all --fstab`. */
export function fstabLine(source: string, target: string, type: string, options: string): string {
  return `${escapePath(source)} ${escapePath(target)} ${type} ${options} 0 0`;
}

function escapePath(path: string): string {
  return path.replace(/[ \t\n\\]/g, (character) => ESCAPES[character] ?? character);
}
