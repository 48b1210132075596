import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { clearTimeout, setTimeout } from '../../clock.ts';
import { StartupError } from '../../errors.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/**
 * Dependencies of the health server, which serves `/metrics` to Prometheus, and `/healthz` (the process is running) and
 * `/readyz` (the process can do its work) to probes (contract/running.md#probes). The API role of `start` serves the
 * same paths on its own port.
 */
export type HealthDeps = {
  metrics: Pick<Metrics, 'render' | 'contentType'>;
  isReady: () => Promise<boolean>;
};

export const HEALTH_PATHS = ['/metrics', '/healthz', '/readyz'] as const;
export type HealthPath = (typeof HEALTH_PATHS)[number];

export type HealthAnswer = { status: number; contentType: string; body: string };

const TEXT = 'text/plain; charset=utf-8';
/** Maximum duration of a readiness check in ms. It is below one second, the usual timeout of a probe. */
const READY_WITHIN_MS = 900;
/** Time limit in ms for receiving a request. It is short, because probes and scrapers send only short requests. */
const REQUEST_TIMEOUT_MS = 5_000;

export async function answerHealth(deps: HealthDeps, path: HealthPath): Promise<HealthAnswer> {
  switch (path) {
    case '/metrics':
      return {
        status: 200,
        contentType: deps.metrics.contentType,
        body: await deps.metrics.render(),
      };
    case '/healthz':
      return { status: 200, contentType: TEXT, body: 'ok\n' };
    case '/readyz': {
      const ready = await within(READY_WITHIN_MS, deps.isReady());
      return ready
        ? { status: 200, contentType: TEXT, body: 'ok\n' }
        : { status: 503, contentType: TEXT, body: 'not ready\n' };
    }
    default:
      return path satisfies never;
  }
}

export function isHealthPath(path: string): path is HealthPath {
  return HEALTH_PATHS.some((known) => known === path);
}

/**
 * Serves the health paths on a separate port, which is not meant for users.
 * @throws StartupError if the server cannot listen on the port
 */
export async function runHealthServer(
  deps: HealthDeps & { port: number; host: string; log: Logger },
): Promise<{ port: number; stop: () => Promise<void> }> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    serve(deps, request, response).catch((error: unknown) => {
      deps.log.error({ err: error }, 'could not respond on the metrics port');
      response.statusCode = 500;
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new StartupError(
          `PARLEY_METRICS_PORT: cannot listen on ${deps.host}:${deps.port} (${error.message})`,
          { cause: error },
        ),
      );
    });
    server.listen(deps.port, deps.host, resolve);
  });
  server.on('error', (error) =>
    deps.log.error({ reason: error.message }, 'cannot accept connections'),
  );
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : deps.port;
  let stopping: Promise<void> | undefined;
  return {
    port,
    stop: () =>
      (stopping ??= new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      })),
  };
}

async function serve(
  deps: HealthDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const answer =
    isRead && isHealthPath(path)
      ? await answerHealth(deps, path)
      : { status: isRead ? 404 : 405, contentType: TEXT, body: `try ${HEALTH_PATHS.join(', ')}\n` };
  if (!isRead) response.setHeader('allow', 'GET, HEAD');
  response.writeHead(answer.status, { 'content-type': answer.contentType });
  response.end(answer.body);
}

/** Returns the result of a check, or false if the check throws or takes too long. */
async function within(limitMs: number, question: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([question, late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    question.catch(() => undefined); // Without this handler, a rejection after the time limit would be unhandled.
  }
}
