import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * One JSON line per entry on stderr; stdout belongs to the commands (`start` prints its ready
 * line there). Secrets and credentials are cut out wherever they might ride along.
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
    // Synchronous: a process that is killed has written what it said.
    pino.destination({ dest: 2, sync: true }),
  );
}
