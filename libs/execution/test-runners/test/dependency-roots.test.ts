import { describe, expect, it } from 'vitest';
import { dependencyRoots } from '../src/index.ts';

function check(repository: string, cwd: string, present: string[], expected: [string, string][]) {
  const found = dependencyRoots(repository, cwd, (path) => present.includes(path));
  expect(found).toEqual(expected.map(([at, target]) => ({ at, target })));
}

describe('dependencyRoots', () => {
  it('finds those of the root', () => check('/r', '', ['/r/node_modules'], [['node_modules', '/r/node_modules']]));

  it('finds those of a package before those of the root', () =>
    check(
      '/r',
      'p/a',
      ['/r/p/a/node_modules', '/r/node_modules'],
      [
        ['p/a/node_modules', '/r/p/a/node_modules'],
        ['node_modules', '/r/node_modules'],
      ],
    ));

  it('finds hoisted ones above the repository when the root has none', () => {
    check('/w/fixtures/r/', '', ['/w/node_modules', '/node_modules'], [['node_modules', '/w/node_modules']]);
    check(
      '/w/r',
      'p',
      ['/w/r/p/node_modules', '/w/node_modules'],
      [
        ['p/node_modules', '/w/r/p/node_modules'],
        ['node_modules', '/w/node_modules'],
      ],
    );
    check('/w/r', '', ['/node_modules'], [['node_modules', '/node_modules']]);
  });

  it('finds none', () => check('/w/r', 'p', [], []));
});
