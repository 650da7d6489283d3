import type { ExecutionRequest, IsolationPolicy } from '@h/contracts';

/** A condition of a run that can be made another on purpose. */
export type Variation = 'hash_seed' | 'address' | 'directory_order' | 'pid' | 'time' | 'time_zone' | 'locale';

/** All of them. */
export const VARIATIONS: readonly Variation[] = [
  'hash_seed',
  'address',
  'directory_order',
  'pid',
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

/** Longer than a second, which is as fine as most programs print. */
export const LATER_MS = 1100;

// Moved away and back, last name first: a folder in memory lists what came last first, and trees are written in the order of names.
const REORDER = `again() {
  [ $# -eq 0 ] && return
  ( shift; again "$@" )
  [ -e "$1" ] || [ -L "$1" ] || return
  mv -- "$1" .h-order-of-names && mv -- .h-order-of-names "$1"
}
find . -name '*' -type d -exec sh -c '[ -w "$1" ]' sh {} ';' -print | while IFS= read -r folder; do
  ( cd -- "$folder" 2>/dev/null && again .[!.]* * )
done 2>/dev/null`;
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
      // Spelled out, so that no data of time zones is needed.
      return withDeterminism(request, { tz: 'XXX-05:45' }, 'TZ');
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

function afterShell(request: ExecutionRequest, script: string): ExecutionRequest {
  return { ...request, argv: ['/bin/sh', '-c', `${script}\nexec "$@"`, 'sh', ...request.argv] };
}
