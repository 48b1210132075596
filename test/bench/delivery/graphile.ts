import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { Pool } from 'undici';
import { serve } from './worker.ts';

/**
 * The baseline: graphile-worker as somebody would use it to send webhooks, in one process. `POST
 * /jobs {id, url, payload}` adds a job, the job posts the payload. No endpoints, no signatures, no
 * record of attempts. Batched as its documentation advises for throughput. A longer delay of the
 * batches was no cheaper here (250 ms: the same CPU per job within the noise).
 */

const CONCURRENCY = 50;
const LOCAL_QUEUE = 200;
const BATCH_DELAY_MS = 5;
const POOL = 20;
const TIMEOUT_MS = 10_000;

type Job = { id: string; url: string; payload: unknown };

const pgPool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: POOL });
// The worker asks for both; the server goes down after us, but a connection may see it first.
pgPool.on('error', () => undefined);
pgPool.on('connect', (client) => void client.on('error', () => undefined));
const senders = new Map<string, Pool>();

async function deliver({ id, url, payload }: Job): Promise<void> {
  const { origin, pathname } = new URL(url);
  let sender = senders.get(origin);
  if (!sender) {
    sender = new Pool(origin, { connections: 2 * CONCURRENCY, headersTimeout: TIMEOUT_MS });
    senders.set(origin, sender);
  }
  const { statusCode, body } = await sender.request({
    method: 'POST',
    path: pathname,
    headers: {
      'content-type': 'application/json',
      'parley-event-id': id,
      'parley-delivery-attempt': '1',
    },
    body: JSON.stringify(payload),
  });
  await body.dump();
  if (statusCode >= 300) throw new Error(`status ${statusCode}`);
}

async function start(): Promise<{ port: number }> {
  // Else it logs each job twice: a service would turn that off, too.
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  await run({
    pgPool,
    logger,
    noHandleSignals: true,
    concurrency: CONCURRENCY,
    preset: {
      worker: {
        localQueue: { size: LOCAL_QUEUE },
        completeJobBatchDelay: BATCH_DELAY_MS,
        failJobBatchDelay: BATCH_DELAY_MS,
      },
    },
    // What the front below has put in.
    taskList: { hook: (payload) => deliver(payload as Job) },
  });
  const server = createServer((request, response) => {
    const answer = (status: number): void => void response.writeHead(status).end();
    bodyOf(request)
      .then((text) => utils.addJob('hook', JSON.parse(text) as Job))
      .then(
        () => answer(202),
        () => answer(500),
      );
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

serve({ start });
