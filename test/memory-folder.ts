import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const SHM = '/dev/shm';
/** Of all databases of a run; a container has 64 MB unless it is given more. */
const NEEDED_BYTES = 2 ** 31;

/**
 * Where servers of a run keep what nobody reads after it: in memory when there is room, else where
 * temporary files are. A database is cloned there in 24 ms and not in 220 to 350.
 */
export function memoryFolder(): string {
  try {
    accessSync(SHM, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHM);
    return bavail * bsize >= NEEDED_BYTES ? SHM : tmpdir();
  } catch {
    return tmpdir();
  }
}
