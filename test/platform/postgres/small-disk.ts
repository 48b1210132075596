import { execFile } from 'node:child_process';
import { chmod, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** A disk of a few megabytes (tmpfs) that can be filled completely. */
export type SmallDisk = {
  fill: () => Promise<void>;
  /** Frees the space that `fill` took. */
  free: () => Promise<void>;
  unmount: () => Promise<void>;
};

const run = promisify(execFile);

/**
 * Mounts a small disk.
 * @throws with the system's message if this process may not mount
 */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<SmallDisk> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'parley-test', folder]);
  await chmod(folder, 0o777);
  const file = path.join(folder, 'filler');
  return {
    fill: async () => {
      const handle = await open(file, 'a');
      try {
        for (const size of [1 << 20, 1 << 12]) await writeUntilFull(handle, Buffer.alloc(size));
      } finally {
        await handle.close();
      }
    },
    free: () => rm(file, { force: true }),
    unmount: async () => {
      await run('umount', ['-l', folder]);
    },
  };
}

async function writeUntilFull(
  handle: { write: (piece: Buffer) => Promise<{ bytesWritten: number }> },
  piece: Buffer,
): Promise<void> {
  try {
    while ((await handle.write(piece)).bytesWritten === piece.length);
  } catch (error) {
    const isFull = typeof error === 'object' && error !== null && 'code' in error;
    if (!isFull || error.code !== 'ENOSPC') throw error;
  }
}

/** Returns why a small disk is not available here; undefined if it is. */
export async function whyNoSmallDisk(folder: string): Promise<string | undefined> {
  try {
    const disk = await mountSmallDisk(folder, 1);
    await disk.unmount();
    return undefined;
  } catch (error) {
    return String(error).split('\n').filter(Boolean).join(' ');
  }
}
