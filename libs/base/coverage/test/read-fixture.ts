import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of a file that a tool wrote. */
export function readFixture(name: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, 'fixtures', name));
}
