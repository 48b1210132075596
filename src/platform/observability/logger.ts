import { pino, type Logger } from 'pino';
import { epochMs } from '../../clock.ts';

export type { Logger } from 'pino';

/**
 * Creates a logger: one JSON line per entry on stderr. stdout belongs to the commands (`start` prints its ready line
 * there). Secrets and credentials are redacted wherever they might appear.
 */
export function createLogger(level: string, role: string): Logger {
  return pino(
    {
      level,
      base: { role },
      redact: {
        paths: [
          '*.secret',
          '*.authorization',
          'req.headers.authorization',
          'req.headers.cookie',
          '*.password',
          '*.api_key',
        ],
        censor: '[redacted]',
      },
    },
    // All loggers share one destination, which listens to stderr for the life of the process.
    (toStderr ??= createLogDestination(process.stderr)),
  );
}

let toStderr: LogDestination | undefined;

export type LogDestination = { write: (line: string) => void };
type Output = Pick<NodeJS.WritableStream, 'on'> & {
  /** Bytes written but not yet taken; undefined for a file, which takes all immediately. */
  writableLength?: number;
  write: (text: string) => boolean;
};

/** Bounds the bytes that wait for a reader that is slow, or has left without closing the pipe. */
const WAITING_BYTES_MAX = 1 << 20;

/**
 * Creates a destination that never waits for the log's reader. pino's own destinations either block the whole process
 * on a full pipe, or hold back lines that a SIGKILL then loses. Node writes immediately what the pipe can take. The
 * rest waits here up to WAITING_BYTES_MAX; beyond that, lines are dropped and counted. Lines that still wait at the
 * exit are lost, because nobody was reading.
 */
export function createLogDestination(output: Output): LogDestination {
  let dropped = 0;
  output.on('error', () => undefined); // The reader is gone, and the process continues without it.
  return {
    write: (line) => {
      if ((output.writableLength ?? 0) + line.length > WAITING_BYTES_MAX) {
        dropped += 1;
        return;
      }
      if (dropped > 0) output.write(droppedLine(dropped));
      dropped = 0;
      output.write(line);
    },
  };
}

function droppedLine(dropped: number): string {
  const msg = 'log lines were dropped: they were not read in time';
  return `${JSON.stringify({ level: pino.levels.values['warn'], time: epochMs(), dropped, msg })}\n`;
}
