import type { ExecutionRequest, IsolationPolicy } from '@h/contracts';

/** A condition of a run that can be made another on purpose. */
export type Variation = 'hash_seed' | 'address' | 'pid' | 'directory_order' | 'time' | 'time_zone' | 'locale';

/** All of them, what changes least first: reordering a folder also changes process ids. */
export const VARIATIONS: readonly Variation[] = [
  'hash_seed',
  'address',
  'pid',
  'directory_order',
  'time',
  'time_zone',
  'locale',
];

/** What a difference comes from that shows when nothing but this is another. */
export const VARIED_CAUSE: Readonly<Record<Variation, string>> = {
  hash_seed: 'hash order: it differs with the hash seed',
  address: 'address: it differs where addresses are random',
  directory_order: 'directory order: it differs with the order in which a folder is listed',
  pid: 'pid: it differs with the process id',
  time: 'time: it differs more than a second later',
  time_zone: 'time: it differs with the time zone',
  locale: 'locale: it differs with the locale',
};

const EAST = 'Asia/Kathmandu';

/** Longer than a second, which is as fine as most programs print. */
export const LATER_MS = 1100;

// A folder in memory lists what came last first, and trees are written in the order of names: so last names first. Each folder is made
// anew, since an overlay lists in the order of what is below whatever is moved above it.
const REORDER = `last_first() { ls -A -- "$1" | LC_ALL=C sort -r; }
new=.h-order-of-names list="\${TMPDIR:-/tmp}/h-folders.$$"
find . -mindepth 1 -depth -type d > "$list" || exit
while IFS= read -r folder; do
  made="\${folder%/*}/$new"
  mkdir -- "$made" && chmod "$(stat -c %a -- "$folder")" "$made" || continue
  last_first "$folder" | while IFS= read -r name; do mv -- "$folder/$name" "$made/$name"; done
  rmdir -- "$folder" && mv -- "$made" "$folder" && continue
  ls -A -- "$made" | while IFS= read -r name; do mv -- "$made/$name" "$folder/$name"; done
  rmdir -- "$made"
done < "$list"
rm -f -- "$list"
last_first . | while IFS= read -r name; do mv -- "$name" "$new" && mv -- "$new" "$name"; done`;
const FORK = 'for n in 1 2 3 4 5 6 7 8 9 10 11 12 13; do (:); done';

/** The same run under another condition. `time` is left to the caller, who waits. */
export function varyRequest(request: ExecutionRequest, variation: Variation): ExecutionRequest {
  switch (variation) {
    case 'hash_seed':
      return withDeterminism(
        request,
        { hash_seed: request.policy.determinism.hash_seed === '1' ? '2' : '1' },
        'PYTHONHASHSEED',
      );
    case 'address':
      return withDeterminism(request, { no_aslr: false });
    case 'time_zone':
      return withDeterminism(request, { tz: request.policy.determinism.tz === EAST ? 'UTC' : EAST }, 'TZ');
    case 'locale':
      return withDeterminism(
        request,
        { locale: request.policy.determinism.locale === 'C' ? 'C.UTF-8' : 'C' },
        'LC_ALL',
      );
    case 'directory_order':
      return afterShell(request, REORDER);
    case 'pid':
      return afterShell(request, FORK);
    case 'time':
      return request;
  }
}

function withDeterminism(
  request: ExecutionRequest,
  changes: Partial<IsolationPolicy['determinism']>,
  variable?: string,
): ExecutionRequest {
  const { policy } = request;
  const set = Object.entries(policy.env_set).filter(([name]) => name !== variable);
  return {
    ...request,
    policy: { ...policy, env_set: Object.fromEntries(set), determinism: { ...policy.determinism, ...changes } },
  };
}

/** The command as a child of a shell that did something before, and ends as its child does; nothing of the shell's own is printed. */
function afterShell(request: ExecutionRequest, before: string): ExecutionRequest {
  const script = [
    'exec 3>&2 2>/dev/null',
    `(${before}) </dev/null >/dev/null`,
    '(exec "$@" 2>&3 3>&-)',
    'code=$?',
    '[ "$code" -le 128 ] || kill "-$((code - 128))" $$',
    'exit "$code"',
  ];
  return { ...request, argv: ['/bin/sh', '-c', script.join('\n'), 'sh', ...request.argv] };
}
