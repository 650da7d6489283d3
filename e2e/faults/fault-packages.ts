// The packages that faults are put into: those of the list whose suites take a few seconds.
import { pythonPackages } from '../real-packages/python.ts';
import type { RealPackage } from '../real-packages/real-package.ts';

const NAMES = ['inflection', 'toolz', 'boltons', 'tabulate', 'more-itertools', 'sqlparse', 'isodate', 'itsdangerous'];

export const faultPackages: readonly RealPackage[] = pythonPackages.filter(({ name }) => NAMES.includes(name));
