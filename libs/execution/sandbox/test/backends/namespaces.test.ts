import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACES, nodeScript, type Opened, openSandbox, requireTools } from '../open-sandbox.ts';

// Each property by an attempt to break it; the same attempt succeeds outside, or it would show nothing.
describe.each(NAMESPACES)('%s', (backend) => {
  let confined: Opened;
  let host: string;
  let server: Server;
  let port: number;

  beforeAll(async () => {
    requireTools();
    host = mkdtempSync(join(tmpdir(), 'h-test-host-'));
    mkdirSync(join(host, 'read-only'));
    writeFileSync(join(host, 'secret'), 'secret');
    writeFileSync(join(host, 'read-only/file'), 'readable');
    confined = await openSandbox({ backend, readOnlyPaths: [join(host, 'read-only'), process.execPath] });
    server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });

  afterAll(async () => {
    server?.close();
    await confined?.sandbox.close();
    if (host) rmSync(host, { recursive: true, force: true });
  });

  async function bothExits(script: string): Promise<{ outside: number | null; inside: number | undefined }> {
    const outside = spawnSync('/bin/sh', ['-c', script], { stdio: 'ignore' });
    return { outside: outside.status, inside: (await confined.sh(script)).exit_code };
  }

  /** The shell attempt succeeds as an ordinary process and fails in the sandbox. */
  async function blocks(script: string): Promise<void> {
    const { outside, inside } = await bothExits(script);
    expect(outside, 'positive control: works outside').toBe(0);
    expect(inside, 'fails inside').not.toBe(0);
  }

  async function both(body: string): Promise<{ outside: unknown; inside: unknown }> {
    const inside = await confined.run(nodeScript(body));
    const [file = '', ...args] = nodeScript(body);
    // Not awaited by blocking: this process is the server that the attempt connects to.
    const outside = await execa(file, args);
    return { outside: JSON.parse(outside.stdout), inside: JSON.parse(inside.stdout.text) };
  }

  describe('files', () => {
    it('shows no file of the host that was not asked for', () => blocks(`cat ${host}/secret`));
    it.runIf(existsSync(`${process.env.HOME}/.profile`))("shows no home of the host's users", () =>
      blocks(`ls ${process.env.HOME}/..  && ls -d ${process.env.HOME}/.[a-z]*`),
    );
    it.runIf(process.getuid?.() === 0)('shows no password hashes', () => blocks('head -c 1 /etc/shadow'));
    it('keeps a write outside from happening', async () => {
      const file = join(host, 'written');
      // A folder of that name may be there inside, on the way to a read-only path: private, and gone with the run.
      await confined.sh(`echo x > ${file}`);
      expect(existsSync(file)).toBe(false);
      spawnSync('/bin/sh', ['-c', `echo x > ${file}`]);
      expect(readFileSync(file, 'utf8'), 'positive control: works outside').toBe('x\n');
    });
    it('lets read-only paths be read, and not written', async () => {
      expect(await bothExits(`cat ${host}/read-only/file`)).toEqual({ outside: 0, inside: 0 });
      await blocks(`echo x > ${host}/read-only/file`);
      await blocks(`ln ${host}/read-only/file ${host}/read-only/link`);
      await blocks(`touch ${host}/read-only/new`);
    });
    it('does not let a mount be made writable', async () => {
      expect((await confined.sh('mount -o remount,rw /usr || unshare -Urm true')).exit_code).not.toBe(0);
    });
    it('keeps system folders from being written', async () => {
      for (const folder of ['/', '/usr', '/etc', '/dev', '/proc/sys/kernel', '/h']) {
        expect((await confined.sh(`touch ${folder}/x || echo x > ${folder}/x`)).exit_code, folder).not.toBe(0);
      }
    });
    it('gives every run the same inner path, a home and a temporary folder', async () => {
      const result = await confined.sh('pwd; echo $HOME $TMPDIR; touch "$HOME/x" "$TMPDIR/x" /dev/shm/x a.txt new');
      expect(result.exit_code).toBe(0);
      expect(result.stdout.text).toBe('/h/workspace\n/h/home /tmp\n');
    });
    it('starts each run from a fresh copy', async () => {
      await confined.sh('echo changed > a.txt; echo x > new; echo x > "$HOME/left"; echo x > "$TMPDIR/left"');
      expect((await confined.sh('cat a.txt; ls -A . "$HOME"; ls "$TMPDIR/left" 2>&1')).stdout.text).toBe(
        "a\n.:\na.txt\n\n/h/home:\nls: cannot access '/tmp/left': No such file or directory\n",
      );
    });
  });

  describe('network', () => {
    const connect = (options: string) =>
      `const net = require('node:net');
     return new Promise((done) => net.connect(${options}).once('connect', function () { this.destroy(); done(true); }).once('error', () => done(false)));`;
    it('reaches no server of the host', async () => {
      expect(await both(connect(`{ host: '127.0.0.1', port: ${port} }`))).toEqual({ outside: true, inside: false });
    });
    it('reaches no unix socket that came to a readable folder after the last run, or came again', async () => {
      const path = join(host, 'read-only/late');
      const attempt = `const net = require('node:net'); return new Promise((resolve) => net.connect(${JSON.stringify(path)}).once('connect', function () { this.destroy(); resolve('connected'); }).once('error', ({ code }) => resolve(code)));`;
      await confined.sh('true');
      for (let turn = 0; turn < 2; turn += 1) {
        const listener = createServer((socket) => socket.destroy()).listen(path);
        await new Promise((resolve) => listener.once('listening', resolve));
        chmodSync(path, 0o777);
        const { outside, inside } = await both(attempt);
        expect(outside).toBe('connected');
        expect(inside).toMatch(/^E/);
        await new Promise((resolve) => listener.close(resolve));
      }
    });
    it('sees a readable folder that was made anew after the last run', async () => {
      const folder = join(host, 'anew');
      mkdirSync(folder);
      writeFileSync(join(folder, 'file'), 'one');
      const opened = await openSandbox({ backend, readOnlyPaths: [folder], concurrency: 1 });
      const read = async () => (await opened.sh(`cat ${folder}/file`)).stdout.text;
      expect(await read()).toBe('one');
      // What waits for the next run has been made meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 800));
      renameSync(folder, `${folder}-gone`);
      mkdirSync(folder);
      writeFileSync(join(folder, 'file'), 'two');
      expect(await read()).toBe('two');
      await opened.sandbox.close();
    });
    it('reaches no unix socket of the host', async () => {
      const path = join(host, 'socket');
      const listener = createServer((socket) => socket.destroy()).listen(path);
      expect(await both(connect(`{ path: ${JSON.stringify(path)} }`))).toEqual({ outside: true, inside: false });
      listener.close();
    });
    it('has a loopback of its own', async () => {
      const body = `const net = require('node:net');
      const server = net.createServer((socket) => socket.end('x'));
      await new Promise((up) => server.listen(0, '127.0.0.1', up));
      const text = await new Promise((done) => net.connect(server.address().port, '127.0.0.1').once('data', (data) => done(String(data))));
      server.close();
      return text;`;
      expect((await confined.run(nodeScript(body))).stdout.text).toBe('"x"\n');
    });
    it('has no other interface and resolves no name', async () => {
      const result = await confined.sh("sed -n '3,$s/:.*//p' /proc/net/dev; getent hosts example.com");
      expect(result.stdout.text.trim()).toBe('lo');
      expect(result.exit_code).not.toBe(0);
    });
  });

  describe('rights', () => {
    it('is nobody in particular', async () => {
      const result = await confined.sh(
        'id -u; id -un; grep -E "^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Groups)" /proc/self/status',
      );
      expect(result.stdout.text.split('\n')).toEqual([
        '1000',
        'h',
        expect.stringMatching(/^Groups:\t(1000)? $/),
        ...['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'].map((set) => `Cap${set}:\t0000000000000000`),
        'NoNewPrivs:\t1',
        '',
      ]);
    });
    it('sees no process but its own, and cannot signal others', async () => {
      expect((await confined.sh('ls -d /proc/[0-9]* | wc -l')).stdout.text.trim()).toMatch(/^[2-6]$/);
      const target = spawnSync('true').pid;
      expect((await confined.sh(`kill -0 ${process.pid} || kill -0 ${target}`)).exit_code).not.toBe(0);
    });
    it('reads the environment of no process outside', () => blocks(`tr "\\0" " " < /proc/${process.pid}/environ`));
    it('finds nothing in the environment of its first process', async () => {
      expect((await confined.sh('tr "\\0" " " < /proc/1/environ 2>/dev/null')).stdout.text).toBe('');
    });
    it('makes no user namespace', () => blocks('unshare -Ur true'));
  });

  describe('descriptors', () => {
    it('passes on none but 0, 1 and 2', async () => {
      // A program that leaks descriptors of its own: high and low, as shells and editors do.
      const script = new URL('../fixtures/leaking-parent/run.ts', import.meta.url).pathname;
      const leaked = spawnSync(
        '/bin/bash',
        [
          '-c',
          `exec 9<${host}/secret 77<${host}/secret 200<${host}/secret; exec "$@"`,
          'bash',
          process.execPath,
          '--conditions=@h/source',
          '--import',
          'tsx',
          script,
          backend,
        ],
        { encoding: 'utf8' },
      );
      expect(leaked.stderr).toBe('');
      const [control, inside] = JSON.parse(leaked.stdout) as [string, string];
      expect(control, 'positive control: an ordinary child has them').toContain('secret');
      expect(inside).not.toContain('secret');
      const open = inside.split('\n').flatMap((line) => /(\d+) -> (.*)$/.exec(line)?.slice(1, 3).join(' ') ?? []);
      // The folder that ls reads is its own; /dev/null stands in for what this process was given.
      const passed = open.filter((line) => !/^[012] |\/fd$|\/dev\/null$/.test(line));
      expect(open.length).toBeGreaterThan(3);
      expect(passed).toEqual([]);
    });
  });

  describe('environment', () => {
    it('is what the policy lists and nothing else', async () => {
      process.env.H_CANARY = 'secret';
      process.env.H_ALLOWED = 'allowed';
      const policy = { env_allow: ['H_ALLOWED', 'H_ABSENT'], env_set: { PATH: '/usr/bin:/bin', A: "it's\n$HOME `x`" } };
      const result = await confined.run(nodeScript('return process.env'), { policy });
      expect(JSON.parse(result.stdout.text)).toEqual({
        A: "it's\n$HOME `x`",
        HOME: '/h/home',
        H_ALLOWED: 'allowed',
        LANG: 'C.UTF-8',
        LC_ALL: 'C.UTF-8',
        PATH: '/usr/bin:/bin',
        PWD: '/h/workspace',
        PYTHONHASHSEED: '0',
        TMPDIR: '/tmp',
        TZ: 'UTC',
      });
      const outside = spawnSync('env', { encoding: 'utf8' });
      expect(outside.stdout, 'positive control: an ordinary child has it').toContain('H_CANARY=secret');
    });
    it('keeps preloaded code away from the programs that set the run up', async () => {
      const result = await confined.sh('echo "$LD_PRELOAD"', {
        policy: { env_set: { PATH: '/usr/bin:/bin', LD_PRELOAD: './evil.so' } },
      });
      expect(result.stdout.text).toBe('./evil.so\n');
      // One complaint each by the payload's own programs; none by bwrap, setpriv or the shell before them.
      expect(result.stderr.text.split('evil.so').length - 1).toBeLessThanOrEqual(2);
    });
    it('fixes addresses where asked', async () => {
      const stack = 'grep -c . /proc/self/maps >/dev/null; grep stack /proc/self/maps | cut -d" " -f1';
      const [one, two, free] = [
        await confined.sh(stack),
        await confined.sh(stack),
        await confined.sh(stack, {
          policy: { determinism: { hash_seed: '0', tz: 'UTC', locale: 'C.UTF-8', no_aslr: false } },
        }),
      ];
      expect(two.stdout.text).toBe(one.stdout.text);
      expect(free.stdout.text).not.toBe(one.stdout.text);
    });
  });

  describe('receipt', () => {
    it('shows every property that these tests attack as enforced', async () => {
      const { receipt } = await confined.sh('true');
      expect(receipt?.backend).toBe(backend);
      const unmet = Object.entries(receipt?.properties ?? {})
        .filter(([, state]) => state !== 'enforced')
        .map(([name]) => name);
      const groups = ['cpu_cores_limit', 'cpu_time_limit', 'memory_limit', 'pids_limit'];
      expect(unmet.filter((name) => !groups.includes(name)).sort()).toEqual([]);
    });
    it("leaves a network that is the caller's unknown", async () => {
      const open = await openSandbox(
        { backend, readOnlyPaths: [process.execPath] },
        { ...(await import('../../src/index.ts')).defaultPolicy(), network: 'external' },
      );
      const result = await open.run(
        nodeScript(
          `const net = require('node:net'); return new Promise((done) => net.connect(${port}, '127.0.0.1').once('connect', () => done(true)).once('error', () => done(false)))`,
        ),
        { policy: { network: 'external' } },
      );
      expect(result.receipt?.properties.network_denied).toBe('unknown');
      await open.sandbox.close();
    });
  });
});
