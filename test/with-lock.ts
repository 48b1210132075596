import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './until.ts';

const BUILT_WITHIN_MS = 3_600_000;

/** Runs `work` under a lock, so that only one process on this machine builds. Takes over the lock of a dead process. */
export async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await until(`the lock ${path}`, () => tryLock(path), {
    timeoutMs: BUILT_WITHIN_MS,
    everyMs: 500,
  });
  try {
    await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch {
    const holder = Number(await readFile(path, 'utf8').catch(() => '0'));
    // An empty file is a lock that another process is writing. The next check follows half a second later.
    if (holder > 0 && !isRunning(holder)) await rm(path, { force: true });
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
