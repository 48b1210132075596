import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

export type ServerLog = {
  write: (chunk: Buffer) => void;
  /** The last lines, oldest first: what to show when the server does not start. */
  tail: () => readonly string[];
  close: () => Promise<void>;
};

const MAX_BYTES = 5 * 1024 * 1024;
const TAIL_LINES = 20;

/**
 * PostgreSQL's own log in `file`, with one older part beside it in `file.1`. Written here and not
 * by PostgreSQL's collector, which limits a file's size but not the number of files. Synchronous: a
 * few lines a day, and the last ones must be there when the process dies.
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
      // A full disk must not end the service for the sake of a log.
    }
  }

  function rotate(old: number): void {
    closeSync(old);
    descriptor = undefined; // If opening fails there is no log, and no closed descriptor in use.
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

/** Undefined where it cannot be: a log of root's must not keep the folder's owner from starting. */
function openLog(file: string): number | undefined {
  try {
    return openSync(file, 'a', 0o600);
  } catch {
    return undefined;
  }
}
