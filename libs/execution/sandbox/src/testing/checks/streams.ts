import type { Stream } from '@h/contracts';
import type { ConformanceTrial, Trial } from '../trial.ts';

/** What is kept of output. */
export const STREAM_TRIALS: readonly ConformanceTrial[] = [
  {
    name: 'streams_apart',
    promise: 'Standard output and standard error are told apart, byte for byte.',
    async run({ sh, same }) {
      const { stdout, stderr } = await sh('printf out; printf err >&2; printf "é\\n"; printf more >&2');
      same('both streams', [stdout.text, stderr.text], ['outé\n', 'errmore']);
    },
  },
  {
    name: 'stream_caps',
    promise: 'No more than the cap is kept of each stream, and the bytes written are counted exactly.',
    async run(trial) {
      const { sh, same } = trial;
      const script = 'head -c 200000 /dev/zero | tr "\\0" x; head -c 3000 /dev/zero | tr "\\0" y >&2';
      const { stdout, stderr } = await sh(script, { policy: { stream_bytes: 1000 } });
      same('bytes observed', [stdout.observed_bytes, stderr.observed_bytes], [200_000, 3000]);
      for (const stream of [stdout, stderr]) checkSum(trial, stream, 1000);
      same('bytes kept of 200000', stdout.retained_bytes, 1000);
    },
  },
  {
    name: 'characters_whole',
    promise: 'A cap never cuts a character in two.',
    async run(trial) {
      const script = 'i=0; while [ $i -lt 100 ]; do printf "€"; i=$((i+1)); done';
      const { stdout } = await trial.sh(script, { policy: { stream_bytes: 100 } });
      if (stdout.text.includes('\ufffd')) trial.fail('the text holds U+FFFD');
      if (Buffer.byteLength(stdout.text) !== stdout.retained_bytes)
        trial.fail('the bytes kept are not those of the text');
      checkSum(trial, stdout, 100);
    },
  },
  {
    name: 'output_before_deadline',
    promise: 'What a command wrote before its time was over is kept.',
    async run({ sh, same, restMs }) {
      const wall_ms = 1500 + (await restMs());
      const { ended_by, stdout } = await sh('echo begun; exec sleep 60', { policy: { wall_ms } });
      same('a command past its time', [ended_by, stdout.text], ['wall_limit', 'begun\n']);
    },
  },
];

function checkSum({ fail }: Trial, { observed_bytes, retained_bytes, dropped_bytes }: Stream, cap: number): void {
  if (retained_bytes > cap) fail(`${retained_bytes} bytes were kept, ${cap} allowed`);
  if (observed_bytes !== retained_bytes + dropped_bytes)
    fail(`${observed_bytes} bytes observed are not ${retained_bytes} kept and ${dropped_bytes} dropped`);
}
