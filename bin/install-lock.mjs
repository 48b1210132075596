/**
 * Two starts at the same moment must not run `npm ci` in one folder, nor build the dashboard. The lock is a file beside
 * node_modules, which npm empties; it names the process that holds it, so that one left behind by a
 * crash is known as such.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SetupError, say } from './setup-error.mjs';

const pollMs = 100;
/** A lock is created and written in two steps; an empty one that is older was never going to be. */
const emptyLockMs = 5_000;

/** Runs `work` while no other process does; waits for its turn as long as the holder lives. */
export async function withInstallLock(root, work) {
  const file = join(root, '.parley-install.lock');
  const self = `${process.pid} ${startTime(process.pid)}`;
  for (let announced = false; !take(file, self); await delay(pollMs)) {
    const holder = read(file);
    if (isStale(file, holder)) breakLock(file, holder);
    else if (!announced) {
      say(
        `waiting for another start (pid ${holder?.split(' ')[0]}) to finish installing or building …`,
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
      `the dependencies are missing or outdated and cannot be installed here: ${error.message}. Run 'npm ci --ignore-scripts' as a user who may write to this folder`,
    );
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // Released a moment ago.
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

/** By rename, which one of two waiters wins; if it took a lock made meanwhile, that is put back. */
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
 * When the process started, in the system's own words: a pid alone is soon another process, in a
 * container at once. Undefined when there is none.
 */
function startTime(pid) {
  try {
    if (process.platform === 'linux') {
      // Field 22; field 2 is the program's name in brackets and may hold spaces.
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[19];
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
