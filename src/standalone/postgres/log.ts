import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

export type ServerLog = {
  write: (chunk: Buffer) => void;
  /** Returns the last lines, oldest first. They are shown if the server does not start. */
  tail: () => readonly string[];
  close: () => Promise<void>;
};

const MAX_BYTES = 5 * 1024 * 1024;
const TAIL_LINES = 20;

/**
 * Writes PostgreSQL's log to `file`, and keeps one older part in `file.1`. PostgreSQL's own collector limits the size
 * of a file but not the number of files. Writes are synchronous, because there are only a few lines a day, and the last
 * ones must be on disk when the process dies.
 */
export function createServerLog(file: string, maxBytes = MAX_BYTES): ServerLog {
  let descriptor = openLog(file);
  let size = descriptor === undefined ? 0 : fstatSync(descriptor).size;
  let lines: string[] = [];

  function write(chunk: Buffer): void {
    lines = [...lines, ...chunk.toString().split('\n').filter(Boolean)].slice(-TAIL_LINES);
    if (descriptor === undefined) return;
    try {
      if (size > maxBytes) rotate(descriptor);
      size += writeSync(descriptor, chunk);
    } catch {
      // If the disk is full, log lines are lost, but the service continues.
    }
  }

  function rotate(old: number): void {
    closeSync(old);
    descriptor = undefined; // If the new file cannot be opened, logging stops, and the closed descriptor is not used.
    renameSync(file, `${file}.1`);
    descriptor = openLog(file);
    size = 0;
  }

  async function close(): Promise<void> {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  }

  return { write, tail: () => lines, close };
}

/**
 * Opens the log file. Returns undefined if that fails, because a log file owned by root must not prevent the folder's
 * owner from starting Parley.
 */
function openLog(file: string): number | undefined {
  try {
    return openSync(file, 'a', 0o600);
  } catch {
    return undefined;
  }
}
