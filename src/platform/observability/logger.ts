import { pino, type Logger } from 'pino';
import { epochMs } from '../../clock.ts';

export type { Logger } from 'pino';

/**
 * One JSON line per entry on stderr; stdout belongs to the commands (`start` prints its ready
 * line there). Secrets and credentials are redacted wherever they might appear.
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
    // One for all: it listens to stderr for as long as the process lives.
    (toStderr ??= createLogDestination(process.stderr)),
  );
}

let toStderr: LogDestination | undefined;

export type LogDestination = { write: (line: string) => void };
type Output = Pick<NodeJS.WritableStream, 'on'> & {
  /** Bytes that were written and not taken yet; undefined of a file, which takes all at once. */
  writableLength?: number;
  write: (text: string) => boolean;
};

/** Bounds what waits for a reader that is slow, or gone without closing the pipe. */
const WAITING_BYTES_MAX = 1 << 20;

/**
 * Never waits for whoever reads the log: not pino's own destinations, which either wait for a full
 * pipe, and with it the whole process, or keep lines back that a SIGKILL then loses. Node writes
 * what the pipe has room for at once; the rest waits here, up to WAITING_BYTES_MAX, and then lines
 * are dropped and counted. What still waits at the exit is lost: nobody was reading.
 */
export function createLogDestination(output: Output): LogDestination {
  let dropped = 0;
  output.on('error', () => undefined); // The reader is gone: we go on without.
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
