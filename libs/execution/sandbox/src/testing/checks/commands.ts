import type { ExecutionResult } from '@h/contracts';
import type { ConformanceTrial, Trial } from '../trial.ts';

const STRANGE = ["it's", 'a b', '$HOME', '`x`', '"q"', 'new\nline', '\\', '', '*', 'é€', '-n', '--'];

/** How a command is started, and how its end is told. */
export const COMMAND_TRIALS: readonly ConformanceTrial[] = [
  {
    name: 'exit_codes',
    promise: 'An exit code is the command’s own, also one that systems use for themselves.',
    async run({ sh, same }) {
      for (const code of [0, 1, 3, 125, 126, 127]) {
        const { ended_by, exit_code } = await sh(`exit ${code}`);
        same(`a command that exits with ${code}`, [ended_by, exit_code], ['exit', code]);
      }
    },
  },
  {
    name: 'signals',
    promise: 'A command that dies by a signal is said to have died by that signal.',
    async run({ sh, same }) {
      for (const name of ['SEGV', 'KILL']) {
        const { ended_by, signal } = await sh(`kill -${name} $$; sleep 5`);
        same(`a command that kills itself by SIG${name}`, [ended_by, signal], ['signal', `SIG${name}`]);
      }
    },
  },
  {
    name: 'missing_program',
    promise: 'A program that is not there is never taken for one that ran well.',
    async run({ run, fail }) {
      const outcome = await run(['h-conformance-no-such-program']).catch(() => undefined);
      if (outcome?.ended_by === 'exit' && outcome.exit_code === 0) fail('it is said to have exited with 0');
    },
  },
  {
    name: 'arguments',
    promise: 'Arguments arrive as they are; no shell reads them on the way.',
    async run({ run, same }) {
      const { stdout } = await run(['printf', '[%s]', ...STRANGE]);
      same('the arguments', stdout.text, STRANGE.map((word) => `[${word}]`).join(''));
    },
  },
  {
    name: 'standard_input',
    promise: 'Standard input is the text given, whole, and at its end where none is.',
    async run({ sh, same }) {
      const long = 'é'.repeat(100_000);
      const counted = await sh('wc -c', { request: { stdin: long } });
      same('bytes that came of 200000', counted.stdout.text.trim(), '200000');
      same('what a command read of no input', (await sh('cat; echo end')).stdout.text, 'end\n');
    },
  },
  {
    name: 'environment',
    promise: 'The environment is the policy’s: what it sets and lets pass, and nothing else of the caller.',
    async run(trial) {
      const { sh, same, fail } = trial;
      // A name of its own: several executors may be tried at once.
      const canary = `H_CONFORMANCE_${crypto.randomUUID().replaceAll('-', '')}`;
      process.env[canary] = 'from the caller';
      try {
        const hidden = await variables(trial, await sh('env'));
        if (hidden.has(canary)) fail('a variable of the caller reached the command');
        const env_set = { PATH: '/usr/local/bin:/usr/bin:/bin', H_SET: 'a=b c' };
        const shown = await variables(trial, await sh('env', { policy: { env_allow: [canary], env_set } }));
        same('a variable that the policy sets', shown.get('H_SET'), 'a=b c');
        same('a variable that the policy lets pass', shown.get(canary), 'from the caller');
      } finally {
        delete process.env[canary];
      }
    },
  },
  {
    name: 'determinism_settings',
    promise: 'Hash seed, time zone and locale are those of the policy.',
    async run(trial) {
      const determinism = { hash_seed: '7', tz: 'Asia/Tokyo', locale: 'C.UTF-8', no_aslr: true };
      const seen = await variables(trial, await trial.sh('env', { policy: { determinism } }));
      const names = ['PYTHONHASHSEED', 'TZ', 'LC_ALL'];
      trial.same(
        names.join(', '),
        names.map((name) => seen.get(name)),
        ['7', 'Asia/Tokyo', 'C.UTF-8'],
      );
    },
  },
  {
    name: 'working_folder',
    promise: 'A command stands in the folder of the tree that the request names.',
    async run({ sh, same, fail }) {
      const files = { 'src/inner/here.txt': 'here\n', 'here.txt': 'not here\n' };
      const { stdout } = await sh('cat here.txt; pwd', { files, request: { cwd: 'src/inner' } });
      if (!/^here\n\/.*\/src\/inner\n$/.test(stdout.text)) fail(`it said ${JSON.stringify(stdout.text)}`);
      for (const cwd of ['../outside', '/etc', 'missing']) {
        const outcome = await sh('pwd', { files, request: { cwd } }).catch(() => undefined);
        if (outcome?.ended_by === 'exit' && outcome.exit_code === 0) fail(`it ran in ${cwd}: ${outcome.stdout.text}`);
      }
      same('the root of the tree', (await sh('cat here.txt', { files })).stdout.text, 'not here\n');
    },
  },
];

async function variables({ fail }: Trial, { ended_by, stdout }: ExecutionResult): Promise<Map<string, string>> {
  if (ended_by !== 'exit') fail(`env ended by ${ended_by}`);
  const pairs = stdout.text.split('\n').filter((line) => line.includes('='));
  return new Map(pairs.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
