import { setImmediate as breathe } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { inflate, isGzip } from './inflate.ts';
import type { Request } from './page-request.ts';
import { addressIn, type Site } from './site-address.ts';

/** Of one site and one sync. */
const FILES_MAX = 50;
const ADDRESSES_MAX = 50_000;
/** Uncompressed; the protocol allows 50 MB. */
const BYTES_MAX = 10_000_000;
/** An index in an index in an index is none. */
const DEPTH_MAX = 3;
const DEPTH_OF_XML_MAX = 20;
const PIECE_CHARS = 16_384;
const ADDRESS_CHARS_MAX = 2_048;

/** Addresses that a site lists. `isWhole`: each file that there is could be read. */
export type Sitemaps = { addresses: URL[]; isWhole: boolean };

export async function fetchSitemaps(deps: {
  site: Site;
  /** From robots.txt. */
  named: readonly string[];
  request: Request;
  isAllowed: (url: URL) => boolean;
  signal: AbortSignal;
}): Promise<Sitemaps> {
  const { site, named } = deps;
  const seen = new Set<string>();
  const found = new Map<string, URL>();
  const queue: { url: URL; depth: number }[] = [];
  let isWhole = true;
  const add = (raw: string, base: string, depth: number): void => {
    const url = addressIn(site, raw, base);
    if (url === undefined || seen.has(url.href) || depth > DEPTH_MAX) return;
    if (seen.size >= FILES_MAX || !deps.isAllowed(url)) return;
    seen.add(url.href);
    queue.push({ url, depth });
  };
  for (const raw of [...named, '/sitemap.xml']) add(raw, site.origin, 1);

  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { url, depth } = next;
    const read = await fetchSitemap(url, deps);
    if (read === 'failed') isWhole = false;
    if (typeof read === 'string') continue;
    for (const raw of read.sitemaps) add(raw, url.href, depth + 1);
    for (const raw of read.pages) {
      const page = found.size < ADDRESSES_MAX ? addressIn(site, raw, url.href) : undefined;
      if (page !== undefined) found.set(page.href, page);
    }
  }
  return { addresses: [...found.values()], isWhole };
}

async function fetchSitemap(
  url: URL,
  { request, signal }: { request: Request; signal: AbortSignal },
): Promise<SitemapContent | 'none' | 'failed'> {
  const answer = await request({
    url,
    accept: 'application/xml, text/xml, */*;q=0.5',
    maxBytes: BYTES_MAX,
    signal,
  });
  if (answer.kind === 'failed') return answer.isSite ? 'failed' : 'none';
  if (answer.kind !== 'body') return 'none';
  const { bytes } = answer;
  const plain = isGzip(bytes) ? await inflate(bytes, 'gzip', BYTES_MAX) : { bytes };
  return 'problem' in plain ? 'none' : await readSitemap(plain.bytes.toString('utf8'), signal);
}

export type SitemapContent = { pages: string[]; sitemaps: string[] };

/**
 * The addresses in a sitemap or an index of sitemaps. No entity is known but the five of XML, so that
 * none can be made of others; other work goes on meanwhile.
 */
export async function readSitemap(xml: string, signal: AbortSignal): Promise<SitemapContent> {
  const content: SitemapContent = { pages: [], sitemaps: [] };
  const open: string[] = [];
  let text: string | undefined;
  // urlset, url, loc: whoever nests deeper is writing something else.
  const isOver = (): boolean =>
    open.length > DEPTH_OF_XML_MAX ||
    content.pages.length + content.sitemaps.length >= ADDRESSES_MAX;
  const parser = new Parser(
    {
      onopentagname: (name) => {
        open.push(local(name));
        if (local(name) === 'loc') text = '';
      },
      ontext: (piece) => {
        if (text !== undefined && text.length <= ADDRESS_CHARS_MAX) text += piece;
      },
      onclosetag: () => {
        const name = open.pop();
        if (name !== 'loc' || text === undefined) return;
        const list = listOf(content, open.at(-1));
        if (text.length <= ADDRESS_CHARS_MAX && text.trim() !== '') list?.push(text.trim());
        text = undefined;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let at = 0; at < xml.length && !isOver(); at += PIECE_CHARS) {
    parser.write(xml.slice(at, at + PIECE_CHARS));
    await breathe(undefined, { signal });
  }
  return content;
}

function listOf(content: SitemapContent, parent: string | undefined): string[] | undefined {
  if (parent === 'url') return content.pages;
  return parent === 'sitemap' ? content.sitemaps : undefined;
}

/** Without its namespace. */
function local(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
