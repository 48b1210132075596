import { pino, type Logger } from 'pino';
import { epochMs } from '../../clock.ts';

export type { Logger } from 'pino';

/**
 * Creates a logger that writes one JSON line per entry to stderr. stdout is reserved for the output of commands, such
 * as the ready line of `start`. Secrets and credentials are redacted wherever they might appear.
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
    // All loggers share the destination, because each destination adds a listener to stderr that is never removed.
    (toStderr ??= createLogDestination(process.stderr)),
  );
}

let toStderr: LogDestination | undefined;

export type LogDestination = { write: (line: string) => void };
type Output = Pick<NodeJS.WritableStream, 'on'> & {
  /**
   * Number of bytes that were written but not sent yet. It is undefined for a file, which accepts all bytes
   * immediately.
   */
  writableLength?: number;
  write: (text: string) => boolean;
};

/**
 * Maximum number of bytes to buffer for a reader that is slow, or that has stopped reading without closing the pipe.
 * Further lines are dropped.
 */
const WAITING_BYTES_MAX = 1 << 20;

/**
 * Creates a destination that never waits for the reader of the log. pino's own destinations either block the whole
 * process when the pipe is full, or buffer lines that are lost on a SIGKILL. Here, Node immediately writes as much as
 * the pipe accepts. The rest is buffered up to `WAITING_BYTES_MAX`. Beyond that, lines are dropped and counted. Lines
 * that are still buffered when the process exits are lost.
 */
export function createLogDestination(output: Output): LogDestination {
  let dropped = 0;
  output.on('error', () => undefined); // The reader has closed the pipe. The process continues without a log.
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
  const msg = 'log lines were dropped because the reader was too slow';
  return `${JSON.stringify({ level: pino.levels.values['warn'], time: epochMs(), dropped, msg })}\n`;
}
