import { libraryTests } from '../../../tools/vitest-config.ts';

export default libraryTests('ekstazi-select');
