import { IsolationPolicy } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import {
  buildEnvironment,
  defaultPolicy,
  effectivePolicy,
  unmetRequirements,
  writeReceipt,
} from '../src/judge-policy.ts';

const inside = { home: '/h/home', tmp: '/tmp' };

describe('defaultPolicy', () => {
  it('is the design’s and a valid record', () => {
    const policy = defaultPolicy();
    expect(IsolationPolicy.safeParse(policy).success).toBe(true);
    expect(policy).toMatchObject({
      cpu_cores: 1,
      memory_bytes: 536_870_912,
      wall_ms: 300_000,
      pids_max: 512,
      stream_bytes: 65_536,
      network: 'deny',
      env_allow: [],
    });
  });
  it('merges determinism and filesystem, replaces the rest', () => {
    const policy = defaultPolicy({
      wall_ms: 1,
      determinism: { tz: 'Asia/Tokyo' },
      filesystem: { extra_ro: ['/x'] },
      env_set: {},
    });
    expect(policy.determinism).toEqual({ hash_seed: '0', tz: 'Asia/Tokyo', locale: 'C.UTF-8', no_aslr: true });
    expect(policy.filesystem).toEqual({ workspace: 'private_copy', scratch: 'rw', extra_ro: ['/x'] });
    expect(policy.env_set).toEqual({});
  });
  it('hands out a fresh value', () => {
    const first = defaultPolicy();
    (first.env_allow as string[]).push('X');
    (first.env_set as Record<string, string>).X = 'x';
    expect(defaultPolicy()).not.toEqual(first);
  });
});

describe('effectivePolicy', () => {
  const check = (
    sandbox: Parameters<typeof defaultPolicy>[0],
    request: Parameters<typeof defaultPolicy>[0],
    expected: object,
  ) => expect(effectivePolicy(defaultPolicy(sandbox), defaultPolicy(request))).toMatchObject(expected);
  it('takes the stricter network', () => {
    check({ network: 'deny' }, { network: 'external' }, { network: 'deny' });
    check({ network: 'external' }, { network: 'loopback' }, { network: 'loopback' });
    check({ network: 'external' }, { network: 'external' }, { network: 'external' });
  });
  it('takes required properties of both, readable paths of the sandbox, limits of the request', () => {
    check(
      { require: ['pid_namespace'] },
      { require: ['network_denied'] },
      { require: ['network_denied', 'pid_namespace'] },
    );
    check(
      { filesystem: { extra_ro: ['/a'] } },
      { filesystem: { extra_ro: ['/', '/b'] } },
      { filesystem: { extra_ro: ['/a'] } },
    );
    check({ wall_ms: 1 }, { wall_ms: 2, env_set: { A: 'a' } }, { wall_ms: 2, env_set: { A: 'a' } });
  });
});

describe('buildEnvironment', () => {
  const host = { SECRET: 's', LANG: 'de_DE', EDITOR: 'vi', HOME: '/root' };
  it('is allowed variables that exist, then determinism, then what is set, then folders', () => {
    const policy = defaultPolicy({
      env_allow: ['EDITOR', 'LANG', 'ABSENT'],
      env_set: { TZ: 'set', HOME: '/elsewhere' },
    });
    expect(buildEnvironment(policy, host, inside)).toEqual({
      EDITOR: 'vi',
      HOME: '/h/home',
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      PYTHONHASHSEED: '0',
      TMPDIR: '/tmp',
      TZ: 'set',
    });
  });
});

describe('writeReceipt', () => {
  const probed = {
    network_denied: 'enforced',
    cpu_time_limit: 'enforced',
    no_aslr: 'enforced',
    time_zone: 'enforced',
  } as const;
  const of = (overrides: Parameters<typeof defaultPolicy>[0]) =>
    writeReceipt('b', probed, defaultPolicy(overrides)).properties;
  it('says nothing about what was not asked for', () => {
    expect(of({})).toEqual({ network_denied: 'enforced', no_aslr: 'enforced', time_zone: 'enforced' });
    expect(of({ cpu_ms: 5 })).toMatchObject({ cpu_time_limit: 'enforced' });
    expect(of({ determinism: { no_aslr: false } }).no_aslr).toBeUndefined();
  });
  it('does not claim what the policy gives up', () => {
    expect(of({ network: 'external' })).toMatchObject({ network_denied: 'unknown', network_loopback_only: 'unknown' });
    expect(of({ determinism: { clock: '2020-01-01T00:00:00Z' } }).fixed_clock).toBe('unmet');
    expect(of({ env_set: { TZ: 'Asia/Tokyo' } }).time_zone).toBe('unmet');
  });
  it('counts unknown and absent as not met', () => {
    const policy = defaultPolicy({ network: 'external', require: ['network_denied', 'no_survivors', 'no_aslr'] });
    expect(unmetRequirements(policy, writeReceipt('b', probed, policy))).toEqual(['network_denied', 'no_survivors']);
  });
});
