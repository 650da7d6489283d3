import type { IsolationPolicy, IsolationProperty, PropertyState, Receipt } from '@h/contracts';

type PolicyOverrides = Partial<Omit<IsolationPolicy, 'determinism' | 'filesystem'>> & {
  readonly determinism?: Partial<IsolationPolicy['determinism']>;
  readonly filesystem?: Partial<IsolationPolicy['filesystem']>;
};

const DEFAULT_POLICY: IsolationPolicy = {
  cpu_cores: 1,
  memory_bytes: 512 * 1024 * 1024,
  wall_ms: 300_000,
  pids_max: 512,
  stream_bytes: 65_536,
  disk_bytes: 1024 * 1024 * 1024,
  inodes_max: 200_000,
  network: 'deny',
  filesystem: { workspace: 'private_copy', scratch: 'rw', extra_ro: [] },
  env_allow: [],
  env_set: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  determinism: { hash_seed: '0', tz: 'UTC', locale: 'C.UTF-8', no_aslr: true },
  require: [],
};

/** The design's policy (512 MiB, 300 s, no network, an empty host environment) with the given fields replaced; `determinism` and `filesystem` are merged field by field. */
export function defaultPolicy(overrides: PolicyOverrides = {}): IsolationPolicy {
  const base = structuredClone(DEFAULT_POLICY);
  return {
    ...base,
    ...overrides,
    determinism: { ...base.determinism, ...overrides.determinism },
    filesystem: { ...base.filesystem, ...overrides.filesystem },
  };
}

const NETWORK_ORDER = ['deny', 'loopback', 'external'] as const;

/** What governs one run: limits, environment and determinism of the request; network, required properties and readable paths as strict as both. */
export function effectivePolicy(sandbox: IsolationPolicy, request: IsolationPolicy): IsolationPolicy {
  const network = Math.min(NETWORK_ORDER.indexOf(sandbox.network), NETWORK_ORDER.indexOf(request.network));
  return {
    ...request,
    network: NETWORK_ORDER[network] ?? 'deny',
    filesystem: { ...request.filesystem, extra_ro: sandbox.filesystem.extra_ro },
    require: [...new Set([...sandbox.require, ...request.require])].sort(),
  };
}

/** The whole environment of a run: host variables that are allowed, over them the determinism settings, those that are set, HOME and TMPDIR where they are known. */
export function buildEnvironment(
  policy: IsolationPolicy,
  host: Readonly<Record<string, string | undefined>>,
  inside?: { readonly home: string; readonly tmp: string },
): Record<string, string> {
  const { hash_seed, tz, locale } = policy.determinism;
  const environment: Record<string, string> = {};
  for (const name of policy.env_allow) {
    const value = Object.hasOwn(host, name) ? host[name] : undefined;
    if (value !== undefined) environment[name] = value;
  }
  const fixed = { PYTHONHASHSEED: hash_seed, TZ: tz, LC_ALL: locale, LANG: locale };
  const places = inside === undefined ? {} : { HOME: inside.home, TMPDIR: inside.tmp };
  return { ...environment, ...fixed, ...policy.env_set, ...places };
}

/** The receipt of one run: what the probe of the backend showed, narrowed to what this policy asks for. */
export function writeReceipt(
  backend: string,
  probed: Readonly<Partial<Record<IsolationProperty, PropertyState>>>,
  policy: IsolationPolicy,
): Receipt {
  const properties: Receipt['properties'] = { ...probed };
  if (policy.network === 'external') {
    properties.network_denied = 'unknown';
    properties.network_loopback_only = 'unknown';
  }
  if (policy.cpu_ms === undefined) delete properties.cpu_time_limit;
  if (!policy.determinism.no_aslr) delete properties.no_aslr;
  if (policy.determinism.clock !== undefined) properties.fixed_clock ??= 'unmet';
  const { env_set: set, determinism } = policy;
  if ((set.PYTHONHASHSEED ?? determinism.hash_seed) !== determinism.hash_seed) properties.hash_seed = 'unmet';
  if ((set.TZ ?? determinism.tz) !== determinism.tz) properties.time_zone = 'unmet';
  if ((set.LC_ALL ?? determinism.locale) !== determinism.locale) properties.locale = 'unmet';
  return { backend, properties };
}

/** Required properties that a receipt does not show as enforced, sorted. */
export function unmetRequirements(policy: IsolationPolicy, receipt: Receipt): IsolationProperty[] {
  return policy.require.filter((property) => receipt.properties[property] !== 'enforced');
}
