// The packages that faults are put into: those of the lists whose suites take a few seconds.
import { javascriptPackages } from '../real-packages/javascript.ts';
import { pythonPackages } from '../real-packages/python.ts';
import type { RealPackage } from '../real-packages/real-package.ts';

const NAMES = new Set([
  ...['boltons', 'inflection', 'itsdangerous', 'more-itertools', 'sqlparse', 'tabulate', 'toolz'],
  ...['@fastify/forwarded', 'find-my-way', 'flat', 'ml-regression-base', 'ml-regression-polynomial', 'promise-retry'],
]);

export const faultPackages: readonly RealPackage[] = [...pythonPackages, ...javascriptPackages].filter(({ name }) =>
  NAMES.has(name),
);
