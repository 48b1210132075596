import { closeSync, fdatasync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';

/** A file that only grows: what was appended is written at once and durable within the second. */
export type AppendOnlyFile = {
  /** Tab-separated fields of one line each, in one write. */
  append: (lines: readonly (readonly (string | number)[])[]) => void;
  /** All of it is on the disk. */
  sync: () => void;
  close: () => void;
};

const SYNC_MS = 1_000;

export function openAppendOnly(file: string): AppendOnlyFile {
  const fd = openSync(file, 'a');
  let unsynced = false;
  let closed = false;
  const timer = setInterval(() => {
    if (!unsynced) return;
    unsynced = false;
    fdatasync(fd, () => undefined);
  }, SYNC_MS).unref();
  const sync = (): void => {
    unsynced = false;
    fdatasyncSync(fd);
  };
  return {
    append: (lines) => {
      writeSync(fd, lines.map((fields) => `${fields.join('\t')}\n`).join(''));
      unsynced = true;
    },
    sync,
    close: () => {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      sync();
      closeSync(fd);
    },
  };
}

/** Reads what another process appends, each line once. */
export type Tail = { read: (take: (fields: string[]) => void) => void; close: () => void };

const PIECE = 1 << 20;

export function openTail(file: string): Tail {
  const fd = openSync(file, 'r');
  const piece = Buffer.allocUnsafe(PIECE);
  let begun = '';
  return {
    read: (take) => {
      for (;;) {
        const length = readSync(fd, piece, 0, PIECE, null);
        if (length === 0) return;
        // Only ASCII is written.
        const lines = (begun + piece.toString('latin1', 0, length)).split('\n');
        begun = lines.pop() ?? '';
        for (const line of lines) take(line.split('\t'));
      }
    },
    close: () => closeSync(fd),
  };
}
