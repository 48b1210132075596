import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import { FetchRefused, type Fetcher } from '../../../src/knowledge/sources/fetching.ts';
import { LEASE_TIMES, type LeaseTimes } from '../../../src/knowledge/syncs/hold-lease.ts';

/** Times of an operator that finds a queued or canceled sync soon, so that tests need not wait for it. */
export const OFTEN: LeaseTimes = { ...LEASE_TIMES, checkMs: 100, lookMs: 20 };

/** Documents behind HTTP: a list at `/`, each at its path, with its ETag. */
export type Site = {
  url: string;
  /** By path; what a test puts here is served from now on. */
  pages: Map<string, string>;
  /** Paths in the order they were asked for. */
  asked: string[];
  /** Whether it answers conditional requests. */
  hasTags: boolean;
  /** Called before each answer; one that never resolves makes a server that hangs. */
  hold: (path: string, response: ServerResponse) => Promise<void>;
  stop: () => Promise<void>;
};

export async function startSite(pages: Record<string, string> = {}): Promise<Site> {
  const site: Site = {
    url: '',
    pages: new Map(Object.entries(pages)),
    asked: [],
    hasTags: true,
    hold: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const server = createServer((request, response) => {
    const path = String(request.url).slice(1);
    site.asked.push(path);
    const answer = (): void => {
      const text = path === '' ? JSON.stringify([...site.pages.keys()]) : site.pages.get(path);
      if (text === undefined) return void response.writeHead(404).end();
      const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`;
      if (!site.hasTags) return void response.writeHead(200).end(text);
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
      response.writeHead(200, { etag }).end(text);
    };
    void site.hold(path, response).then(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // Listening on TCP, so it has one.
  site.url = `http://127.0.0.1:${port}/`;
  site.stop = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return site;
}

/** Reads such a site with conditional requests, as a fetcher would. */
export const siteFetcher: Fetcher = async function* ({ source, known, signal }) {
  const { url } = source.spec.website!;
  const list = await fetch(url, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  if (!list?.ok) throw new FetchRefused('NotReachable', `${url} did not answer`);
  const paths = (await list.json()) as string[];
  yield { kind: 'found', count: paths.length };
  for (const path of paths) {
    const before = await known(path);
    const response = await fetch(url + path, {
      signal,
      headers: before?.etag ? { 'if-none-match': before.etag } : {},
    });
    if (response.status === 304) yield { kind: 'unchanged', path };
    else if (!response.ok) yield { kind: 'failed', path, reason: `answered ${response.status}` };
    else {
      const text = await response.text();
      if (text === 'noindex') yield { kind: 'skipped', path, reason: 'it asks not to be indexed' };
      else {
        const validators = { etag: response.headers.get('etag'), lastModified: null };
        yield {
          kind: 'document',
          path,
          title: path,
          text,
          url: url + path,
          language: null,
          validators,
        };
      }
    }
  }
  return { unseen: 'remove', cursor: null };
};
