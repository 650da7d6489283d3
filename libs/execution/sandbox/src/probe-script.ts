/** What the probe program prints, as one line of JSON. */
export interface ProbeObservations {
  readonly readSecret: boolean;
  readonly wroteOutside: boolean;
  readonly readReadOnly: boolean;
  readonly wroteReadOnly: boolean;
  readonly wroteWorkspace: boolean;
  readonly wroteTmp: boolean;
  readonly leftGroup: boolean;
  /** Whether more than the disk holds could be written, in bytes and in files, to all places of the run together. */
  readonly overBytes: boolean;
  readonly overFiles: boolean;
  readonly connected: boolean;
  readonly abstractConnected: boolean;
  readonly loopback: boolean;
  readonly environment: Readonly<Record<string, string>>;
  readonly descriptors: readonly string[];
  readonly status: Readonly<Record<string, string>>;
  readonly uid: number;
  readonly namespaces: Readonly<Record<string, string | undefined>>;
  /** Hexadecimal personality flags; empty where they may not be read. */
  readonly personality: string;
}

/** Node program (CommonJS, for `node -e`) whose argument is the JSON of what to attempt. */
export const PROBE_SCRIPT = String.raw`
const fs = require('node:fs'), net = require('node:net'), { spawn } = require('node:child_process');
const bait = JSON.parse(process.argv[1]);
const works = (attempt) => { try { attempt(); return true; } catch { return false; } };
const text = (path) => { try { return fs.readFileSync(path, 'latin1'); } catch { return ''; } };
const link = (path) => { try { return fs.readlinkSync(path); } catch { return undefined; } };
const connects = (options) => new Promise((resolve) => {
  const timer = setTimeout(() => resolve(false), 1000);
  const done = (answer) => { clearTimeout(timer); socket.destroy(); resolve(answer); };
  const socket = net.connect(options);
  socket.once('connect', () => done(true)).once('error', () => done(false));
});
const ownLoopback = () => new Promise((resolve) => {
  const server = net.createServer((socket) => socket.destroy());
  server.once('error', () => resolve(false));
  server.listen({ host: '127.0.0.1', port: 0 }, async () => {
    resolve(await connects({ host: '127.0.0.1', port: server.address().port }));
    server.close();
  });
});
(async () => {
  const environment = { ...process.env };
  const child = spawn('/bin/sh', ['-c', 'sleep 30'], { detached: true, stdio: 'ignore', env: { H_PROBE: bait.token, PATH: '/usr/bin:/bin' } });
  child.on('error', () => {});
  child.unref();
  const seen = {
    readSecret: works(() => fs.readFileSync(bait.secret)),
    wroteOutside: works(() => fs.writeFileSync(bait.outside + '/written', 'x')),
    readReadOnly: works(() => fs.readFileSync(bait.readOnly + '/file')),
    wroteReadOnly: works(() => fs.writeFileSync(bait.readOnly + '/written', 'x')),
    wroteWorkspace: works(() => fs.writeFileSync('written', 'x')),
    wroteTmp: works(() => fs.writeFileSync(process.env.TMPDIR + '/written', 'x')) && works(() => fs.writeFileSync(process.env.HOME + '/written', 'x')),
    leftGroup: bait.groupExits.some((file) => works(() => fs.writeFileSync(file, String(process.pid)))),
    connected: await connects({ host: '127.0.0.1', port: bait.port }),
    abstractConnected: bait.abstract !== undefined && (await connects({ path: '\0' + bait.abstract })),
    loopback: await ownLoopback(),
    overBytes: works(() => ['.', process.env.TMPDIR, process.env.HOME].forEach((folder) => fs.writeFileSync(folder + '/large', Buffer.alloc(bait.disk.bytes / 2)))),
    environment,
    descriptors: fs.readdirSync('/proc/self/fd').map((fd) => link('/proc/self/fd/' + fd)).filter(Boolean),
    status: Object.fromEntries(text('/proc/self/status').split('\n').map((line) => line.split(':\t')).filter((pair) => pair.length === 2)),
    uid: process.getuid(),
    namespaces: Object.fromEntries(['user', 'pid', 'ipc', 'uts', 'mnt', 'net'].map((name) => [name, link('/proc/self/ns/' + name)])),
    personality: text('/proc/self/personality').trim(),
  };
  for (const folder of ['.', process.env.TMPDIR, process.env.HOME]) works(() => fs.unlinkSync(folder + '/large'));
  seen.overFiles = works(() => {
    for (let i = 0; i < bait.disk.inodes * 2; i += 1) fs.writeFileSync((i % 2 ? process.env.TMPDIR : '.') + '/many-' + i, '');
  });
  process.stdout.write(JSON.stringify(seen));
})();
`;
