/**
 * Lock that keeps two processes from running `npm ci` or a build in the same folder at the same time. The lock is a
 * file next to node_modules, because npm empties node_modules itself. The file names the process that holds the lock,
 * so that a lock left behind by a crash is recognized.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SetupError, say } from './setup-error.mjs';

const pollMs = 100;
/** Age in ms after which an empty lock file is stale: its process died between creating and writing the file. */
const emptyLockMs = 5_000;

/** Runs `work` while holding the lock. Waits as long as another running process holds it. */
export async function withInstallLock(root, work) {
  const file = join(root, '.parley-install.lock');
  const self = `${process.pid} ${startTime(process.pid)}`;
  for (let announced = false; !take(file, self); await delay(pollMs)) {
    const holder = read(file);
    if (isStale(file, holder)) breakLock(file, holder);
    else if (!announced) {
      say(
        `waiting for another process (pid ${holder?.split(' ')[0]}) to finish installing or building …`,
      );
      announced = true;
    }
  }
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file, self) {
  try {
    writeFileSync(file, self, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new SetupError(
      `the dependencies are missing or outdated and cannot be installed here: ${error.message}. Run 'npm ci --ignore-scripts' as a user with write access to this folder`,
    );
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // The lock has just been released.
  }
}

function isStale(file, holder) {
  if (holder === undefined) return false;
  if (holder === '')
    return (
      Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > emptyLockMs
    );
  const [pid, startedAt] = holder.split(/ (.*)/);
  return startTime(Number(pid)) !== startedAt;
}

/**
 * Removes a stale lock. It is renamed first, because only one of several waiting processes can rename the file. If the
 * file turns out to be a new lock of another process, it is renamed back.
 */
function breakLock(file, holder) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (read(aside) === holder) rmSync(aside, { force: true });
  else renameSync(aside, file);
}

/**
 * Returns the start time of a process as the system prints it, or undefined if no such process exists. A process ID
 * alone does not identify a process, because IDs are reused, in a container even immediately.
 */
function startTime(pid) {
  try {
    if (process.platform === 'linux') {
      // The start time is field 22. Field 2 is the program's name in brackets, which may contain spaces.
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[19];
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
