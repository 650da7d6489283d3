import { type PlaceOptions, placeFile } from '@h/coverage';
import { describe, expect, it } from 'vitest';

const check = (given: string, options: PlaceOptions, expected: string) => {
  const { status, path } = placeFile(given, options);
  expect(status === 'placed' ? path : `${status} ${path}`).toBe(expected);
};

describe('placeFile', () => {
  it.each([
    ['src/a.py', {}, 'src/a.py'],
    ['./src//b/../a.py', {}, 'src/a.py'],
    ['src\\shop\\a.py', {}, 'src/shop/a.py'],
    ['.\\a.py', {}, 'a.py'],
    ['a b/ä#1.py', {}, 'a b/ä#1.py'],
    ['/ci/app/src/a.py', {}, '/ci/app/src/a.py'],
    ['C:\\ci\\a.py', {}, 'C:/ci/a.py'],
    ['src/a.ts', { folder: 'packages/app' }, 'packages/app/src/a.ts'],
    ['../lib/a.ts', { folder: 'packages/app' }, 'packages/lib/a.ts'],
    ['../../../a.ts', { folder: 'packages/app' }, 'outside_root ../../../a.ts'],
    ['src/a.ts', { folder: '/packages/app/' }, 'packages/app/src/a.ts'],
    ['../a.ts', {}, 'outside_root ../a.ts'],
    ['.', {}, 'outside_root .'],
    ['', {}, 'outside_root '],
  ])('%s with %j is %s', check);

  it.each([
    ['/ci/app/src/a.py', '/ci/app', 'src/a.py'],
    ['/ci/app/src/a.py', '/ci/app/', 'src/a.py'],
    ['/ci/app/../app/src/a.py', '/ci/./app', 'src/a.py'],
    ['/ci/app/src/a.py', '/', 'ci/app/src/a.py'],
    ['/ci/apple/a.py', '/ci/app', 'outside_root /ci/apple/a.py'],
    ['/ci/App/a.py', '/ci/app', 'outside_root /ci/App/a.py'],
    ['/usr/lib/python3/os.py', '/ci/app', 'outside_root /usr/lib/python3/os.py'],
    ['/ci/app', '/ci/app', 'outside_root /ci/app'],
    ['/ci/app/..', '/ci/app', 'outside_root /ci'],
    ['src/a.py', '/ci/app', 'src/a.py'],
    ['D:\\a\\App\\src\\a.cs', 'd:\\a\\app', 'src/a.cs'],
    ['d:/a/app/src/a.cs', 'D:\\a\\app\\', 'src/a.cs'],
    ['D:\\a\\a.cs', 'C:\\a', 'outside_root D:/a/a.cs'],
    ['\\\\server\\share\\src\\a.cs', '\\\\SERVER\\share', 'src/a.cs'],
    ['file:///ci/app/src/a%20b.js', '/ci/app', 'src/a b.js'],
    ['file://localhost/ci/app/a.js', '/ci/app', 'a.js'],
    ['file:///C:/ci/app/a.js', 'C:\\ci\\app', 'a.js'],
    ['file:///ci/app/100%.js', '/ci/app', '100%.js'],
    ['file:///ci/app/%ff.js', '/ci/app', '%ff.js'],
    ['/ci/app/100%25.js', '/ci/app', '100%25.js'],
  ])('%s below %s is %s', (given, root, expected) => check(given, { root }, expected));

  it('takes the first of several roots that holds the file', () => {
    const root = ['/private/var/app', '/var/app', '/var'];
    check('/var/app/a.py', { root }, 'a.py');
    check('/private/var/app/a.py', { root }, 'a.py');
    check('/var/b.py', { root }, 'b.py');
    check('/a.py', { root }, 'outside_root /a.py');
    check('/a.py', { root: [] }, '/a.py');
  });

  it('leaves out what the repository has not', () => {
    const exists = (path: string) => path === 'src/a.py';
    check('/ci/src/a.py', { root: '/ci', exists }, 'src/a.py');
    check('/ci/src/b.py', { root: '/ci', exists }, 'absent_file src/b.py');
    check('/x/src/a.py', { root: '/ci', exists }, 'outside_root /x/src/a.py');
  });
});
