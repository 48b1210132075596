import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestSecrets } from '../../../src/agents/tools/request-secrets.ts';
import { newUuid } from '../../../src/ids.ts';
import { createExtractor } from '../../../src/knowledge/formats/extractor.ts';
import type { FeedLimits } from '../../../src/knowledge/integration/feed-limits.ts';
import {
  createIntegrationFetcher,
  type Integration,
} from '../../../src/knowledge/integration/integration-fetcher.ts';
import type { RequestTimes } from '../../../src/knowledge/integration/request-page.ts';
import {
  FetchRefused,
  type FetchEnd,
  type Fetched,
} from '../../../src/knowledge/sources/fetching.ts';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { createEgressFetch } from '../../../src/platform/egress/fetch.ts';

import { silent, waiting } from '../formats/extracting.ts';

/** Feeds on loopback that answer as a test says, and syncs of them by the real fetcher. */

const extractor = createExtractor({ ...waiting, log: silent });

const open: (() => Promise<void>)[] = [];

/** For `afterEach`. */
export async function stopFeeds(): Promise<void> {
  for (const stop of open.splice(0)) await stop();
}

export type Asked = { target: string; cursor: string | null; headers: IncomingHttpHeaders };
export type Feed = { url: string; asked: Asked[] };

/** Answers each request by `answer`. */
export async function serve(
  answer: (asked: Asked, response: ServerResponse, nth: number) => void,
): Promise<Feed> {
  const asked: Asked[] = [];
  const url = await listening(
    createServer((request, response) => {
      const target = request.url ?? '';
      const { searchParams } = new URL(target, 'http://feed');
      const one = { target, cursor: searchParams.get('cursor'), headers: request.headers };
      asked.push(one);
      answer(one, response, asked.length);
    }),
  );
  return { url: `${url}/feed`, asked };
}

/** An origin. */
export async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function json(
  response: ServerResponse,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
}

/** A feed of pages that are what a test says, whoever asks. */
export function pages(...bodies: unknown[]): Promise<Feed> {
  return serve((_, response, nth) => json(response, bodies[Math.min(nth, bodies.length) - 1]));
}

export const page = (
  documents: unknown,
  more: { next_cursor?: unknown; has_more?: unknown } = {},
): Record<string, unknown> => ({ documents, next_cursor: null, has_more: false, ...more });

export type Synced = {
  told: Exclude<Fetched, { kind: 'found' }>[];
  found: number;
  end: FetchEnd | undefined;
  refused: { reason: string; message: string } | undefined;
};

type Options = {
  integration?: Partial<Integration>;
  cursor?: string | null;
  secrets?: () => RequestSecrets | Promise<RequestSecrets>;
  limits?: Partial<FeedLimits>;
  times?: Partial<RequestTimes>;
  signal?: AbortSignal;
  /** Called before whatever is told is taken. */
  onTold?: (told: Fetched) => void | Promise<void>;
};

export const SOURCE_ID = newUuid();

/** One sync, to its end or its refusal. */
export async function sync(url: string, options: Options = {}): Promise<Synced> {
  const client = createEgressFetch({
    guard: createAddressGuard({ allow: ['127.0.0.0/8'] }),
    maxResponseBytes: 64 * 1024 * 1024,
  });
  const { secrets = () => ({}), limits, integration } = options;
  const fetcher = createIntegrationFetcher({
    send: client.fetch,
    extractFor: extractor.extractFor,
    userAgent: 'parley/test',
    nowMs: Date.now,
    secretsOf: async () => secrets(),
    ...(limits && { limits }),
    times: { retryMs: 1, retryMaxMs: 50, ...options.times },
  });
  const spec = { type: 'integration' as const, integration: { url, ...integration } };
  const synced: Synced = { told: [], found: 0, end: undefined, refused: undefined };
  const running = fetcher({
    source: { id: SOURCE_ID, namespace: 'default', name: 'feed', spec },
    known: async () => undefined,
    cursor: options.cursor ?? null,
    signal: options.signal ?? new AbortController().signal,
  });
  try {
    for (;;) {
      const { value, done } = await running.next();
      if (done) {
        synced.end = value;
        return synced;
      }
      await options.onTold?.(value);
      if (value.kind === 'found') synced.found = value.count;
      else synced.told.push(value);
    }
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    synced.refused = { reason: error.reason, message: error.message };
    return synced;
  } finally {
    await client.stop();
  }
}
