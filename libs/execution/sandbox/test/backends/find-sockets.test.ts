import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findSockets } from '../../src/backends/find-sockets.ts';

let root: string;
const servers: Server[] = [];
const listen = async (path: string) => {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
};
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'h-sockets-'));
  for (const folder of ['shown/deep', 'other']) mkdirSync(join(root, folder), { recursive: true });
  symlinkSync(join(root, 'shown'), join(root, 'alias'));
  await listen(join(root, 'shown/deep/a socket'));
  await listen(join(root, 'alias/é'));
  await listen(join(root, 'other/one'));
  await listen('\0h-sockets-test');
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(root, { recursive: true, force: true });
});

it('finds the sockets below the folders that are shown, under each name they are shown by', () => {
  const places = ['shown/deep/a socket', 'shown/é'];
  expect(findSockets([join(root, 'shown')])).toEqual(places.map((place) => join(root, place)));
  expect(findSockets([join(root, 'alias')])).toEqual(
    ['alias/deep/a socket', 'alias/é'].map((place) => join(root, place)),
  );
  expect(findSockets([join(root, 'shown/deep')])).toEqual([join(root, 'shown/deep/a socket')]);
  expect(findSockets([join(root, 'other/one')])).toEqual([join(root, 'other/one')]);
  expect(findSockets([])).toEqual([]);
});

it('leaves out what the list names and is not there, or is no socket', () => {
  writeFileSync(join(root, 'shown/file'), '');
  const line = (path: string) => `0000000000000000: 00000002 00000000 00010000 0001 01 123456 ${path}`;
  const list = ['Num RefCount', line(join(root, 'shown/gone')), line(join(root, 'shown/file')), line('@shown')].join(
    '\n',
  );
  expect(findSockets([join(root, 'shown')], list)).toEqual([]);
});
