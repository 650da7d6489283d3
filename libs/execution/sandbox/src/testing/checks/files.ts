import type { ConformanceTrial } from '../trial.ts';

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, index) => index);

/** How a tree comes to the command, and what comes back. */
export const FILE_TRIALS: readonly ConformanceTrial[] = [
  {
    name: 'tree',
    promise: 'The command finds the tree as it is: contents, rights to run, links, hidden folders, names with spaces.',
    async run({ sh, same }) {
      const files = {
        'a.txt': 'a\n',
        empty: '',
        'name with spaces/é.txt': 'é\n',
        '.h-agent/loader.py': 'agent\n',
        'bin/run': { text: '#!/bin/sh\necho ran\n', mode: 0o100755 },
        link: { text: 'a.txt', mode: 0o120000 },
      };
      const script =
        './bin/run; cat link "name with spaces/é.txt" .h-agent/loader.py empty; test -L link && echo link; test -x a.txt || echo not executable';
      same('the tree', (await sh(script, { files })).stdout.text, 'ran\na\né\nagent\nlink\nnot executable\n');
    },
  },
  {
    name: 'bytes_as_they_are',
    promise: 'Bytes of any value go there and come back unchanged.',
    async run({ sh, same, artifacts }) {
      const files = { 'every.bin': EVERY_BYTE };
      const { files: back } = await sh('cp every.bin copy.bin', { files, request: { collect: ['*.bin'] } });
      same(
        'files that came back',
        back.map(({ path }) => path),
        ['copy.bin', 'every.bin'],
      );
      for (const { path, sha } of back) same(path, [...(await artifacts.get(sha))], [...EVERY_BYTE]);
    },
  },
  {
    name: 'collected_files',
    promise: 'Files that the globs name come back, sorted, with their hashes, and no others; also after a failure.',
    async run(trial) {
      const script =
        'mkdir -p out/deep; echo b > out/b.txt; echo a > out/a.txt; echo d > out/deep/d.txt; echo no > out/other.log; exit 3';
      const result = await trial.sh(script, { request: { collect: ['out/**/*.txt'] } });
      trial.same('the exit code', result.exit_code, 3);
      trial.same(
        'the paths',
        result.files.map(({ path }) => path),
        ['out/a.txt', 'out/b.txt', 'out/deep/d.txt'],
      );
      const texts = await Promise.all(result.files.map(({ path }) => trial.textOf(result, path)));
      trial.same('the contents', texts, ['a\n', 'b\n', 'd\n']);
    },
  },
  {
    name: 'links_not_followed',
    promise:
      'A link that leads out of the workspace brings nothing back, be it a file, a folder or what a folder of the tree became.',
    async run({ sh, same }) {
      const files = { 'src/passwd': 'of the tree\n', 'a.txt': 'a\n' };
      const script =
        'mkdir out; ln -s /etc/passwd out/file; ln -s /etc out/folder; rm -r src; ln -s /etc src; echo own > out/own';
      const { files: back } = await sh(script, { files, request: { collect: ['out/**', 'src/**'] } });
      same(
        'files that came back',
        back.map(({ path }) => path),
        ['out/own'],
      );
    },
  },
  {
    name: 'much_of_both',
    promise:
      'Files come back whole beside much output, be they large, odd by name or many; the output is counted without them.',
    async run(trial) {
      const script =
        'mkdir -p out; head -c 9000000 /dev/zero > out/large; i=0; while [ $i -lt 60 ]; do echo $i > "out/$i x"; i=$((i+1)); done; head -c 3000000 /dev/zero | tr "\\0" y; printf "[end]"';
      const { stdout, files } = await trial.sh(script, { request: { collect: ['out/**'] } });
      trial.same('bytes of output', stdout.observed_bytes, 3_000_005);
      trial.same('the last of it', stdout.text.slice(-6), 'y[end]');
      const sizes = new Map(files.map(({ path, bytes }) => [path, bytes]));
      trial.same(
        'files that came back, and the size of the large one',
        [sizes.size, sizes.get('out/large')],
        [61, 9_000_000],
      );
      const result = await trial.sh('mkdir out; echo whole > "out/é [1]"; seq 1 30000 > out/lines', {
        request: { collect: ['out/*'] },
      });
      trial.same('a file with an odd name', await trial.textOf(result, 'out/é [1]'), 'whole\n');
      trial.same('a file of many lines', (await trial.textOf(result, 'out/lines'))?.slice(-12), '29999\n30000\n');
    },
  },
  {
    name: 'surroundings_spoilt',
    promise: 'Whatever a run does to other copies of its tree that it can reach, a later run finds the tree as it is.',
    async run({ sh, same }) {
      // Only files of this name are touched, and only near by.
      const name = `h-conformance-${crypto.randomUUID()}`;
      const files = { [name]: 'a\n', [`src/${name}`]: { text: '#!/bin/sh\necho ran\n', mode: 0o100755 } };
      const near = `for at in . .. ../..; do case $(cd $at && pwd) in /|/home|/root|/tmp|/var/tmp) ;; *) find $at -name ${name}`;
      const harms = [
        `${near} -exec sh -c 'for at; do echo evil > "$at"; done' sh {} + ;; esac; done`,
        `${near} -exec chmod 644 {} + ;; esac; done`,
        `${near} -exec rm {} + ;; esac; done`,
        'chmod 000 src .',
      ];
      for (const harm of harms) {
        await sh(`{ ${harm}; } 2>/dev/null`, { files });
        const { stdout } = await sh(`cat ${name}; src/${name}; ls`, { files });
        same('what the next run finds', stdout.text, `a\nran\n${name}\nsrc\n`);
      }
    },
  },
  {
    name: 'nothing_persists',
    promise:
      'A run sees nothing of another: not in the workspace, its home, its temporary folder or the tree’s own files.',
    async run({ sh, same, executor }) {
      const shared = executor.capabilities.enforces.includes('scratch_private') ? ' /tmp /dev/shm' : '';
      const places = `. "$HOME" "$TMPDIR"${shared}`;
      const own = '[ -n "$HOME" ] || HOME=.; [ -n "$TMPDIR" ] || TMPDIR=.;';
      const mark = `h-conformance-${process.pid}`;
      const files = { 'a.txt': 'a\n', 'src/b.txt': 'b\n' };
      const script = `${own} for at in ${places}; do { echo left > "$at/${mark}"; } 2>/dev/null; done; echo changed > a.txt; rm -r src`;
      for (let turn = 0; turn < 3; turn += 1) {
        const look = `${own} for at in ${places}; do cat "$at/${mark}" 2>/dev/null; done; cat a.txt src/b.txt`;
        same('what a later run sees', (await sh(look, { files })).stdout.text, 'a\nb\n');
        await sh(script, { files });
      }
    },
  },
  {
    name: 'store_untouched',
    promise: 'What a command does to its files changes nothing in the store.',
    async run({ sh, same, artifacts }) {
      const sha = await artifacts.put(new TextEncoder().encode('kept\n'));
      await sh('echo changed > kept.txt', { files: { 'kept.txt': 'kept\n' } });
      same('the stored file', new TextDecoder().decode(await artifacts.get(sha)), 'kept\n');
    },
  },
];
