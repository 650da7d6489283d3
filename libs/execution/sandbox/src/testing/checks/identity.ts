import { ExecutionResult, IsolationProperty } from '@h/contracts';
import type { ConformanceTrial } from '../trial.ts';

/** What a result says of itself. */
export const IDENTITY_TRIALS: readonly ConformanceTrial[] = [
  {
    name: 'record',
    promise: 'A result is a valid ExecutionResult, the same after a round trip through JSON.',
    async run({ sh, fail }) {
      const result = await sh('echo x > x', { request: { collect: ['x'] } });
      const parsed = ExecutionResult.safeParse(JSON.parse(JSON.stringify(result)));
      if (!parsed.success) fail(parsed.error.message);
    },
  },
  {
    name: 'execution_ids',
    promise: 'The same request has the same execution_id; another command or ordinal has another.',
    async run({ sh, fail, same }) {
      const [one, again] = [await sh('exit 0'), await sh('exit 0')];
      same('the id of the same request', again.execution_id, one.execution_id);
      const others = [await sh('exit 0', { request: { ordinal: 1 } }), await sh('exit 1')];
      if (new Set([one, ...others].map(({ execution_id }) => execution_id)).size !== 3)
        fail('different requests have one id');
    },
  },
  {
    name: 'artifact_version',
    promise: 'A result names the version that the request named.',
    async run({ sh, same }) {
      const artifact_version = 'c'.repeat(64);
      same('the version', (await sh('exit 0', { request: { artifact_version } })).artifact_version, artifact_version);
    },
  },
  {
    name: 'receipts',
    promise: 'A receipt names its backend and shows as enforced whatever the executor says it enforces.',
    async run({ sh, executor, fail }) {
      const { receipt } = await sh('exit 0', { policy: { cpu_ms: 10_000 } });
      if (typeof receipt?.backend !== 'string' || receipt.backend === '') fail('it names no backend');
      for (const property of executor.capabilities.enforces) {
        const state = receipt?.properties[property];
        if (state !== 'enforced') fail(`${property} is claimed, and ${state ?? 'absent'} in the receipt`);
      }
    },
  },
  {
    name: 'requirements',
    promise: 'A run that requires a property which is not enforced does not start.',
    async run({ sh, executor, same, skip }) {
      const claimed = new Set(executor.capabilities.enforces);
      const missing = IsolationProperty.options.find((property) => !claimed.has(property));
      if (missing === undefined) return skip('it enforces everything there is');
      const require = [missing];
      const result = await sh('echo ran; echo ran > ran', { policy: { require }, request: { collect: ['ran'] } });
      const seen = [result.ended_by, result.stdout.observed_bytes, result.files];
      same(`a run that requires ${missing}`, seen, ['policy_unmet', 0, []]);
    },
  },
  {
    name: 'requirements_met',
    promise: 'A run that requires what is enforced runs.',
    async run({ sh, executor, same, skip }) {
      const { enforces } = executor.capabilities;
      if (enforces.length === 0) return skip('it says that it enforces nothing');
      const { ended_by } = await sh('exit 0', { policy: { require: [...enforces], cpu_ms: 10_000 } });
      same('the end', ended_by, 'exit');
    },
  },
];
