import type { RealPackage } from './real-package.ts';

const PYTEST = ['pytest==8.3.4', 'iniconfig==2.0.0', 'pluggy==1.5.0', 'packaging==24.2'];

/** Python packages whose sdists hold their tests. Suites of a few seconds; `attrs` takes about twenty. */
export const pythonPackages: readonly RealPackage[] = [
  sdist('attrs', '24.3.0', '8f5c07333d543103541ba7be0e2ce16eeee8130cb0b3f9238ab904ce1e85baff', {
    sources: 'src',
    install: [...PYTEST, 'hypothesis==6.122.3', 'sortedcontainers==2.4.0', 'cloudpickle==3.1.0'],
  }),
  sdist('boltons', '24.1.0', '4a49b7d57ee055b83a458c8682a2a6f199d263a8aa517098bda9bab813554b87'),
  sdist('click', '8.1.8', 'ed53c9d8990d83c2a27deae68e4ee337473f6330c040a31d4225c9574d16096a', { sources: 'src' }),
  sdist('inflection', '0.5.1', '1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417', { inCi: true }),
  sdist('itsdangerous', '2.2.0', 'e0050c0b7da1eea53ffaf149c0cfbb5c6e2e2b69c4bef22c81fa6eb73e5f6173', {
    sources: 'src',
    install: [...PYTEST, 'freezegun==1.5.1', 'python-dateutil==2.9.0.post0', 'six==1.17.0'],
  }),
  sdist('jmespath', '1.0.1', '90261b206d6defd58fdd5e85f478bf633a2901798906be2ad389150c5c60edbe'),
  sdist('markdown', '3.7', '2ae2471477cfd02dbbf038d5d9bc226d40def84b4fe2986e49b59b6b472bbed2', {
    runner: 'unittest',
    install: ['unittest-xml-reporting==3.2.0', 'lxml==5.3.0', 'PyYAML==6.0.2'],
  }),
  sdist('more-itertools', '10.5.0', '5482bfef7849c25dc3c6dd53a6173ae4795da2a41a80faea6700d9f5846c5da6'),
  sdist('parse', '1.20.2', 'b41d604d16503c79d81af5165155c0b20f6c8d6c559efa66b4b695c3e5a0a0ce'),
  sdist('sqlparse', '0.5.3', '09f67787f56a0b16ecdbde1bfc7f5d9c3371ca683cfeaa8e6ff60b4807ec9272'),
  sdist('tabulate', '0.9.0', '0095b12bf5966de529c0feb1fa08671671b3368eec77d7ef7ab114be2c068b3c'),
  sdist('toolz', '1.0.0', '2c86e3d9a04798ac556793bced838816296a2f085017664e4995cb40a1047a02'),
  sdist('xmltodict', '0.14.2', '201e7c28bb210e374999d1dde6382923ab0ed1a8a5faeece48ab525b7810a553', {
    runner: 'unittest',
    install: ['unittest-xml-reporting==3.2.0', 'lxml==5.3.0'],
  }),
];

function sdist(
  name: string,
  version: string,
  sha256: string,
  more: Partial<Omit<RealPackage, 'name' | 'version' | 'sha256'>> = {},
): RealPackage {
  return { name, version, source: 'sdist', language: 'python', runner: 'pytest', sha256, install: PYTEST, ...more };
}
