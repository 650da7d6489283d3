import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ArtifactStore, directoryArtifacts, memoryArtifacts, sha256Hex } from '../src/index.ts';
import { rejectionOf } from './check-error.ts';

const encode = (text: string) => new TextEncoder().encode(text);

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'h-contracts-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const fileOf = (sha: string) => join(dir, 'store', sha.slice(0, 2), sha.slice(2));
const files = async () =>
  (await readdir(dir, { recursive: true, withFileTypes: true }))
    .filter((item) => item.isFile())
    .map(({ name }) => name);

describe.each<[string, () => ArtifactStore]>([
  ['memoryArtifacts', memoryArtifacts],
  ['directoryArtifacts', () => directoryArtifacts(join(dir, 'store'))],
])('%s', (_, create) => {
  test('gives back what was put, under the hash of it', async () => {
    const store = create();
    for (const bytes of [encode(''), encode('abc'), Uint8Array.from([0, 255, 10]), new Uint8Array(100_000)]) {
      const sha = await store.put(bytes);
      expect(sha).toBe(sha256Hex(bytes));
      expect(await store.get(sha)).toStrictEqual(bytes);
      expect(await store.put(bytes)).toBe(sha);
    }
  });

  test('keeps a copy: what a caller does to its bytes afterwards changes nothing', async () => {
    const store = create();
    const bytes = encode('abc');
    const putting = store.put(bytes);
    bytes[0] = 120;
    const sha = await putting;
    expect(sha).toBe(sha256Hex('abc'));
    (await store.get(sha))[0] = 120;
    expect(new TextDecoder().decode(await store.get(sha))).toBe('abc');
  });

  test('says which artifact it does not hold', async () => {
    expect(await rejectionOf('artifact_missing', create().get(sha256Hex('none')))).toContain(sha256Hex('none'));
    await rejectionOf('artifact_missing', create().get('../../../etc/passwd'));
  });

  test('an aborted signal: nothing happens', async () => {
    const store = create();
    const options = { signal: AbortSignal.abort(new Error('stop')) };
    await expect(store.put(encode('abc'), options)).rejects.toThrow('stop');
    await rejectionOf('artifact_missing', store.get(sha256Hex('abc')));
    await store.put(encode('abc'));
    await expect(store.get(sha256Hex('abc'), options)).rejects.toThrow('stop');
  });
});

describe('directoryArtifacts', () => {
  test('many stores may put the same and different bytes at once; one file each and no temporary file is left', async () => {
    const stores = Array.from({ length: 8 }, () => directoryArtifacts(join(dir, 'store')));
    const shas = await Promise.all(
      stores.flatMap((store) =>
        Array.from({ length: 10 }, (_, index) => store.put(encode(`text ${index}`.repeat(5000)))),
      ),
    );
    expect(new Set(shas).size).toBe(10);
    expect((await files()).sort()).toEqual([...new Set(shas)].map((sha) => sha.slice(2)).sort());
    for (const sha of shas) expect(sha256Hex((await stores[0]?.get(sha)) ?? encode(''))).toBe(sha);
  });

  test('a corrupt file is said, and one that was cut is written anew', async () => {
    const store = directoryArtifacts(join(dir, 'store'));
    const sha = await store.put(encode('whole'));
    await writeFile(fileOf(sha), 'Whole');
    expect(await rejectionOf('artifact_corrupt', store.get(sha))).toContain(sha256Hex('Whole'));
    await writeFile(fileOf(sha), 'who');
    await rejectionOf('artifact_corrupt', store.get(sha));
    await store.put(encode('whole'));
    expect(new TextDecoder().decode(await store.get(sha))).toBe('whole');
  });

  test('an abort between writing and renaming leaves neither file nor temporary file', async () => {
    const store = directoryArtifacts(join(dir, 'store'));
    const controller = new AbortController();
    const putting = store.put(new Uint8Array(4_000_000), { signal: controller.signal });
    const outcome = putting.then(
      () => 'put',
      (error: Error) => error.message,
    );
    while ((await files()).length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('stop'));
    const said = await outcome;
    expect((await files()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(['stop', 'put']).toContain(said);
    if (said === 'stop') expect(await files()).toEqual([]);
  });

  test('an abort while it reads rejects with the reason', async () => {
    const store = directoryArtifacts(join(dir, 'store'));
    const sha = await store.put(new Uint8Array(4_000_000));
    const controller = new AbortController();
    const getting = store.get(sha, { signal: controller.signal });
    controller.abort(new Error('stop'));
    await expect(getting).rejects.toThrow('stop');
  });

  test('the leftover of a killed writer is in nobody’s way', async () => {
    const store = directoryArtifacts(join(dir, 'store'));
    const sha = await store.put(encode('abc'));
    await rm(fileOf(sha));
    await writeFile(`${fileOf(sha)}.1.tmp`, 'half');
    expect(await store.put(encode('abc'))).toBe(sha);
    expect(await readFile(fileOf(sha), 'utf8')).toBe('abc');
  });

  test('a name that is no hash reaches no file outside', async () => {
    const store = directoryArtifacts(join(dir, 'store'));
    await store.put(encode('abc'));
    await writeFile(join(dir, 'outside'), 'secret');
    await rejectionOf('artifact_missing', store.get('../outside'));
  });

  test('bytes it holds are not written again', async () => {
    const store = directoryArtifacts(join(dir, 'store'));
    const sha = await store.put(encode('abc'));
    const { ino } = await stat(fileOf(sha));
    await store.put(encode('abc'));
    expect((await stat(fileOf(sha))).ino).toBe(ino);
  });

  test('making a store touches nothing', async () => {
    directoryArtifacts(join(dir, 'store'));
    await expect(stat(join(dir, 'store'))).rejects.toThrow('ENOENT');
  });
});
