import type { RealPackage } from './real-package.ts';

/** JavaScript and TypeScript packages that publish their tests: few do. */
export const javascriptPackages: readonly RealPackage[] = [
  published('@fastify/forwarded', '3.1.2', '95e4fb5d279b8275b02c6e4cb55a3b61e6fec2e6e43763baf9b268423b8ee8a6', {
    runner: 'node:test',
    install: [],
  }),
  published('find-my-way', '9.10.2', '85eba7364db72f208f2cc5f9fa805811fd1b8207d1c75dec2985439a9276bbd5', {
    runner: 'node:test',
    install: ['fast-deep-equal@3.1.3', 'fast-querystring@1.1.2', 'safe-regex2@5.1.2', 'rfdc@1.4.1', 'proxyquire@2.1.3'],
  }),
  published('flat', '5.0.2', 'd772de42fa0c5e2b3d940c351873743d9149e5d343f11523dcfb6619f8feed42', {
    runner: 'mocha',
    install: ['mocha@11.8.0'],
    args: ['-u', 'tdd'],
    inCi: true,
  }),
  published('ml-random', '0.5.0', 'e90e7764297506e0ee0ebb97dda5d59dc7160608a2300f57916e2ac33eaff4d5', {
    language: 'typescript',
    runner: 'jest',
    install: ['jest@29.7.0', 'ts-jest@29.4.15', 'typescript@5.9.3', '@types/jest@29.5.8', 'ml-xsadd@2.0.0'],
  }),
  published('ml-regression-base', '3.0.0', 'a48d186cc5ba25f35bbb128c91ab4fb015eaa27b8e973f2688505cd0108d84e6', {
    language: 'typescript',
    runner: 'vitest',
    install: ['vitest@3.0.1', 'is-any-array@2.0.1', 'cheminfo-types@1.16.0'],
  }),
  published('ml-regression-polynomial', '3.0.0', 'b7df79ce8613293e165f363fd16e3abd55518e9a34cc44ac49367b2d1dd419fd', {
    language: 'typescript',
    runner: 'vitest',
    install: ['vitest@3.0.1', 'ml-matrix@6.12.1', 'ml-regression-base@3.0.0', 'cheminfo-types@1.16.0'],
  }),
  published('promise-retry', '2.0.1', '58963726cda40bdf4ea694a9a84335ab3d203617703fd6a71f50f025056b55cc', {
    runner: 'mocha',
    install: ['mocha@11.8.0', 'expect.js@0.3.1', 'err-code@2.0.3', 'retry@0.12.0', 'sleep-promise@8.0.1'],
    args: ['-t', '10000'],
  }),
];

function published(
  name: string,
  version: string,
  sha256: string,
  more: Pick<RealPackage, 'runner' | 'install'> & Partial<RealPackage>,
): RealPackage {
  return { name, version, source: 'npm', language: 'javascript', sha256, ...more };
}
