import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { planLinks } from '../../src/workspace/plan-links.ts';

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'h-test-links-')));
  const write = (path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  };
  const link = (path: string, target: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(target, join(root, path));
  };
  write('repo/node_modules/plain/index.js');
  write('repo/node_modules/@scope/inner/index.js');
  write('repo/node_modules/.vite-temp/x');
  write('repo/node_modules/.package-lock.json');
  write('repo/node_modules/.pnpm/y@1/node_modules/y/index.js');
  link('repo/node_modules/y', '.pnpm/y@1/node_modules/y');
  write('repo/libs/own/cli.js');
  link('repo/node_modules/own', '../libs/own');
  link('repo/node_modules/@scope/own', '../../libs/own');
  link('repo/node_modules/.bin/plain', '../plain/index.js');
  link('repo/node_modules/.bin/own', '../own/cli.js');
  write('elsewhere/linked/index.js');
  link('repo/node_modules/linked', '../../elsewhere/linked');
  link('repo/node_modules/broken', '../nowhere');
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

it('makes a real folder of links, one level deeper for scopes and .bin, with the tree’s own packages linked inside', () => {
  const target = `${root}/repo/node_modules`;
  const plan = planLinks({ at: 'node_modules', target });
  expect([...plan.folders].sort()).toEqual(['node_modules', 'node_modules/.bin', 'node_modules/@scope']);
  expect(Object.fromEntries(plan.links.map((link) => [link.path, link.target]))).toEqual({
    'node_modules/.bin/own': '../../libs/own/cli.js',
    'node_modules/.bin/plain': `${target}/.bin/plain`,
    'node_modules/.package-lock.json': `${target}/.package-lock.json`,
    'node_modules/.pnpm': `${target}/.pnpm`,
    'node_modules/@scope/inner': `${target}/@scope/inner`,
    'node_modules/@scope/own': '../../libs/own',
    'node_modules/broken': `${target}/broken`,
    'node_modules/linked': `${root}/elsewhere/linked`,
    'node_modules/own': '../libs/own',
    'node_modules/plain': `${target}/plain`,
    'node_modules/y': `${target}/y`,
  });
  expect(plan.readOnlyPaths).toEqual([target, `${root}/elsewhere/linked`]);
});

it('knows the workspace’s own packages also for a folder further in', () => {
  const target = `${root}/repo/packages/a/node_modules`;
  mkdirSync(target, { recursive: true });
  symlinkSync('../../../libs/own', `${target}/own`);
  expect(planLinks({ at: 'packages/a/node_modules', target }).links).toEqual([
    { path: 'packages/a/node_modules/own', target: '../../../libs/own' },
  ]);
});

it.each(['/abs', '../up', 'a/../../up', '.', ''])('refuses a place outside the workspace: %j', (at) => {
  expect(() => planLinks({ at, target: `${root}/repo/node_modules` })).toThrowError(
    expect.objectContaining({ code: 'bad_request' }),
  );
});

it('refuses a target that is not there', () => {
  const plan = () => planLinks({ at: 'node_modules', target: `${root}/absent` });
  expect(plan).toThrowError(
    expect.objectContaining({ code: 'bad_request', message: expect.stringContaining('is not a folder') }),
  );
});
