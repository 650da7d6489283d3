import { libraryConfig } from '../../../tools/tsup-config.ts';

export default libraryConfig(['index', 'testing']);
