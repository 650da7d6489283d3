import { libraryConfig } from '../../../tools/tsup-config.ts';

export default libraryConfig([
  'index',
  'ports',
  'execution',
  'diagnosis',
  'generation',
  'protection',
  'run',
  'testing',
]);
