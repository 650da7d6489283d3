// The packages that faults are put into: those of the lists whose suites take a few seconds.
import { javascriptPackages } from '../real-packages/javascript.ts';
import { pythonPackages } from '../real-packages/python.ts';
import type { RealPackage } from '../real-packages/real-package.ts';

const NAMES = new Set([
  ...['boltons', 'inflection', 'itsdangerous', 'more-itertools', 'sqlparse', 'tabulate', 'toolz'],
  ...['@fastify/forwarded', 'find-my-way', 'flat', 'ml-regression-base', 'ml-regression-polynomial', 'promise-retry'],
]);

const LEARNING = new Set(['jmespath', 'markdown', 'ml-random', 'parse', 'xmltodict']);

export const faultPackages: readonly RealPackage[] = [...pythonPackages, ...javascriptPackages].filter(({ name }) =>
  NAMES.has(name),
);

/** Packages whose faults may be looked at while templates and their order are worked on: no check judges by them. */
export const learningPackages: readonly RealPackage[] = [...pythonPackages, ...javascriptPackages].filter(({ name }) =>
  LEARNING.has(name),
);
