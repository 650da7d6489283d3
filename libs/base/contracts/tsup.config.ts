import { libraryConfig } from '../../../tools/tsup-config.ts';

export default libraryConfig([
  'index',
  'ports',
  'execution',
  'diagnosis',
  'def-use-log',
  'line-sets',
  'parse-loc',
  'generation',
  'protection',
  'run',
  'testing',
]);
