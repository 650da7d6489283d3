import type { RealPackage } from './real-package.ts';

/** JavaScript and TypeScript packages that publish their tests. */
export const javascriptPackages: readonly RealPackage[] = [];
