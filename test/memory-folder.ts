import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const SHM = '/dev/shm';
/** Bytes that all databases of a run need. By default, a container has only 64 MB of shared memory. */
const NEEDED_BYTES = 2 ** 31;

/**
 * Returns the folder for server data that is not needed after the run. It is in memory if there is enough space, and
 * otherwise the folder for temporary files. In memory, cloning a database takes 24 ms instead of 220 to 350 ms.
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
