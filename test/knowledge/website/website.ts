import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeHtml } from '../../../packages/web-reader/src/html/decode-html.ts';
import { readHtml } from '../../../packages/web-reader/src/html/read-html.ts';
import {
  FetchRefused,
  type Fetched,
  type FetchEnd,
  type Validators,
} from '../../../src/knowledge/sources/fetching.ts';
import type { Extracted, ExtractInput } from '../../../src/knowledge/formats/extractor.ts';
import { openWebsites, type WebsiteDeps } from '../../../src/knowledge/website/website-fetcher.ts';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';

/** Sites on loopback, and syncs of them by the fetcher alone. */

const closing: (() => Promise<void>)[] = [];

export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

export type Reply =
  | string
  | Buffer
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer };
export type Site = {
  url: string;
  port: number;
  /** `GET /path` for each request, in order. */
  asked: string[];
  requests: IncomingMessage[];
};
type Answer = (request: IncomingMessage, response: ServerResponse) => Reply | undefined | void;

/** What is not there is 404; a reply without a status is 200 and HTML. */
export async function serve(
  pages: Record<string, Reply | Answer> | Answer,
  host = '127.0.0.1',
): Promise<Site> {
  const site: Site = { url: '', port: 0, asked: [], requests: [] };
  const server = createServer((request, response) => {
    site.asked.push(request.url!);
    site.requests.push(request);
    const page = typeof pages === 'function' ? pages : pages[request.url!];
    const reply = typeof page === 'function' ? page(request, response) : (page ?? { status: 404 });
    if (reply !== undefined) send(response, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  site.port = (server.address() as AddressInfo).port;
  site.url = `http://${host}:${site.port}`;
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return site;
}

/** Pages with an ETag each, which can change. */
export async function servePages(pages: Record<string, string>): Promise<Site> {
  return await serve((request): Reply => {
    const body = pages[request.url!];
    if (body === undefined) return { status: 404 };
    const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
    return request.headers['if-none-match'] === etag
      ? { status: 304, headers: { etag } }
      : { headers: { etag }, body };
  });
}

function send(response: ServerResponse, reply: Reply): void {
  const {
    status = 200,
    headers = {},
    body = '',
  } = typeof reply === 'string' || Buffer.isBuffer(reply) ? { body: reply } : reply;
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
  response.end(body);
}

export const redirect = (location: string): Reply => ({ status: 302, headers: { location } });

/** A page with this text and these links. */
export function html(text: string, ...links: string[]): string {
  const list = links.map((link) => `<a href="${link}">${link}</a>`).join(' ');
  return `<!doctype html><html lang="en"><body><nav>${list}</nav><main><p>${text}</p></main></body></html>`;
}

/** In this process: what matters here is what is fetched. */
export async function extractHere(input: ExtractInput): Promise<Extracted> {
  const { bytes, mediaType, charset = null, name, url } = input;
  const text = decodeHtml(bytes, charset);
  const isHtml = mediaType === 'text/html' || mediaType === null;
  const read = isHtml ? readHtml(text, { url: url! }) : { title: null, text, language: null };
  return { documents: [{ name, bytes: bytes.length, ...read }], failed: [] };
}

export type Website = {
  url: string;
  maxDepth?: number;
  maxPages?: number;
  include?: string[];
  exclude?: string[];
  delayMs?: number;
};
export type Told = {
  events: Fetched[];
  end: FetchEnd;
  documents: Map<string, Extract<Fetched, { kind: 'document' }>>;
  unchanged: string[];
  /** By path: why. */
  skipped: Record<string, string>;
  failed: Record<string, string>;
};

/** What is indexed, as the engine would keep it. */
export type Index = { validators: Map<string, Validators>; cursor: string | null };
export const nothing = (): Index => ({ validators: new Map(), cursor: null });

/** One sync, which an index that is given takes over. */
export async function sync(
  website: Website,
  options: Partial<WebsiteDeps> & { index?: Index; signal?: AbortSignal } = {},
): Promise<Told> {
  const { index = nothing(), signal = new AbortController().signal, ...deps } = options;
  const websites = openWebsites({
    guard: createAddressGuard({ allow: ['127.0.0.1/32'] }),
    extractFor: () => extractHere,
    version: '1.2.3',
    ...deps,
  });
  try {
    const reading = websites.fetch({
      source: {
        id: 'a',
        namespace: 'default',
        name: 'docs',
        spec: { type: 'website', website: { delayMs: 0, ...website } },
      },
      known: (path) => Promise.resolve(index.validators.get(path)),
      cursor: index.cursor,
      signal,
    });
    const events: Fetched[] = [];
    for (;;) {
      const { done, value } = await reading.next();
      if (done) return takeOver(index, events, value);
      events.push(value);
    }
  } finally {
    await websites.stop();
  }
}

function takeOver(index: Index, events: Fetched[], end: FetchEnd): Told {
  const of = <K extends Fetched['kind']>(kind: K): Extract<Fetched, { kind: K }>[] =>
    events.filter((event): event is Extract<Fetched, { kind: K }> => event.kind === kind);
  const documents = new Map(of('document').map((document) => [document.path, document]));
  const kept = new Set([...of('unchanged'), ...of('failed')].map(({ path }) => path));
  for (const path of index.validators.keys()) {
    if (end.unseen === 'remove' && !kept.has(path)) index.validators.delete(path);
  }
  for (const [path, { validators }] of documents) index.validators.set(path, validators);
  index.cursor = end.cursor;
  return {
    events,
    end,
    documents,
    unchanged: of('unchanged').map(({ path }) => path),
    skipped: Object.fromEntries(of('skipped').map(({ path, reason }) => [path, reason])),
    failed: Object.fromEntries(of('failed').map(({ path, reason }) => [path, reason])),
  };
}

/** Why a sync was refused as a whole. */
export async function refusalOf(
  sync: Promise<unknown>,
): Promise<{ reason: string; message: string }> {
  const error = await sync.catch((caught: unknown) => caught);
  if (!(error instanceof FetchRefused)) throw new Error(`no FetchRefused: ${String(error)}`);
  return { reason: error.reason, message: error.message };
}

/** The paths of what a sync has read, in order. */
export const paths = ({ documents }: { documents: Map<string, unknown> }): string[] =>
  [...documents.keys()].sort();
