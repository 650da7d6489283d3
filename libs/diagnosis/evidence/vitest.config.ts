import { libraryTests } from '../../../tools/vitest-config.ts';

export default libraryTests('evidence');
