import { readRobotsWords } from '../html/page-facts.ts';
import type { Validators } from './site-event.ts';
import { mediaTypeOf, type Answer, type Request } from './page-request.ts';
import type { Pace } from './pace.ts';

/** Result of requesting and reading a page. */
export type Page =
  | {
      kind: 'document';
      title: string | null;
      text: string;
      language: string | null;
      validators: Validators;
      links: string[];
      /** Facts from the header and footer. Other pages of the site usually repeat them. */
      around?: string;
      canonical: string | null;
      noindex: boolean;
      nofollow: boolean;
    }
  | { kind: 'unchanged' }
  | { kind: 'redirect'; to: string; isLasting?: boolean }
  /** Page that is not indexed. `isUnclear` means that the response does not clearly show that the page was deleted. */
  | { kind: 'skipped'; reason: string; isUnclear?: boolean }
  /** Page that could not be read. `isSite` means that the problem may affect the whole site. */
  | { kind: 'failed'; reason: string; isSite: boolean };

/** Extracts the text of a document that a server sent. Rejects if `signal` aborts. */
export type ExtractPage = (
  input: {
    bytes: Uint8Array;
    /** Media type without parameters; `null` if the server sent none. */
    mediaType: string | null;
    charset: string | null;
    /** Path of the document's address. Its extension may decide the format if the media type does not. */
    name: string;
    url: string;
  },
  signal: AbortSignal,
) => Promise<
  /**
   * Result of the extraction. `code` is `no_text` for an empty document. `detail` is a sentence without its full stop.
   */
  { refused: { code: string; detail: string } } | { documents: ExtractedPage[] }
>;

export type ExtractedPage = {
  title: string | null;
  /** The text in Markdown. */
  text: string;
  /** Language that the page declares, as an ISO 639-1 code. */
  language: string | null;
  /** Absolute addresses of the links of an HTML page. */
  links?: string[];
  canonical?: string | null;
  robots?: { noindex: boolean; nofollow: boolean };
  /** Facts from the header and footer, which `text` leaves out. */
  around?: string;
};

const BYTES_MAX = 5_000_000;
const TRIES = 3;
const RETRY_AFTER_MAX_MS = 120_000;
const HTML = ['text/html', 'application/xhtml+xml'];
const DOCUMENTS = [
  ...HTML,
  'text/plain',
  'text/markdown',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
];
const ACCEPT = `${HTML.join(', ')}, ${DOCUMENTS.slice(2).join(';q=0.9, ')};q=0.9, */*;q=0.1`;

type Body = Extract<Answer, { kind: 'body' }>;
type Deps = {
  request: Request;
  extract: ExtractPage;
  pace: Pace;
  /** Product token of this robot in `X-Robots-Tag` headers, in lower case. */
  agent: string;
  signal: AbortSignal;
};

/**
 * Requests and reads a page as soon as the rate limit allows it. If the server requests a pause, retries after the
 * pause.
 */
export async function readPage(
  url: URL,
  validators: Validators | undefined,
  deps: Deps,
): Promise<Page> {
  const { pace, signal } = deps;
  for (let tried = 1; ; tried += 1) {
    // Parses the page before its request slot is released, so that the limit on concurrent requests also limits the
    // number of pages in memory.
    const read = await pace.inTurn(() => readOnce(url, validators, deps));
    signal.throwIfAborted();
    if (!('retryAfterMs' in read)) return read;
    const { retryAfterMs, reason } = read;
    if (retryAfterMs > RETRY_AFTER_MAX_MS || tried === TRIES) {
      const seconds = Math.ceil(retryAfterMs / 1000);
      const asked = `${reason} and requested a retry after ${seconds} s`;
      return { kind: 'failed', reason: asked, isSite: true };
    }
    pace.pauseMs(retryAfterMs);
  }
}

async function readOnce(
  url: URL,
  validators: Validators | undefined,
  deps: Deps,
): Promise<Page | { retryAfterMs: number; reason: string }> {
  const answer = await deps.request({
    url,
    validators,
    accept: ACCEPT,
    wants: (mediaType) => mediaType === '' || DOCUMENTS.includes(mediaType),
    maxBytes: BYTES_MAX,
    signal: deps.signal,
  });
  switch (answer.kind) {
    case 'unchanged':
    case 'redirect':
      return answer;
    case 'gone':
      return { kind: 'skipped', reason: `the page does not exist (status ${answer.status})` };
    case 'other':
      return { kind: 'skipped', reason: otherType(answer.mediaType), isUnclear: true };
    case 'failed': {
      const { reason, isSite, retryAfterMs } = answer;
      if (retryAfterMs !== undefined) return { retryAfterMs, reason };
      return { kind: 'failed', reason, isSite };
    }
    case 'body':
  }
  return await readBody(url, answer, deps);
}

async function readBody(
  url: URL,
  { bytes, headers, validators }: Body,
  { extract, agent, signal }: Deps,
): Promise<Page> {
  const mediaType = mediaTypeOf(headers.get('content-type'));
  const extracted = await extract(
    {
      bytes,
      mediaType: mediaType === '' ? null : mediaType,
      charset: charsetOf(headers),
      name: url.pathname,
      url: url.href,
    },
    signal,
  );
  if ('refused' in extracted) {
    const { code, detail } = extracted.refused;
    return code === 'no_text'
      ? { kind: 'skipped', reason: detail, isUnclear: true }
      : { kind: 'failed', reason: detail, isSite: false };
  }
  const [document] = extracted.documents;
  if (document === undefined) {
    return { kind: 'skipped', reason: 'the response contains no document', isUnclear: true };
  }
  const said = robotsTagOf(headers, agent);
  return {
    kind: 'document',
    title: document.title,
    text: document.text,
    language: document.language,
    validators,
    links: document.links ?? [],
    around: document.around ?? '',
    canonical: canonicalOf(headers) ?? document.canonical ?? null,
    noindex: said.noindex || (document.robots?.noindex ?? false),
    nofollow: said.nofollow || (document.robots?.nofollow ?? false),
  };
}

function otherType(mediaType: string): string {
  return `the media type ${mediaType.slice(0, 100)} is not supported`;
}

function charsetOf(headers: Headers): string | null {
  const given = headers.get('content-type') ?? '';
  return /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i.exec(given)?.[1] ?? null;
}

/**
 * Returns the directives of `X-Robots-Tag` headers that apply to all robots or to this one, as in `parley: noindex`.
 */
function robotsTagOf(headers: Headers, own: string): { noindex: boolean; nofollow: boolean } {
  const parts = (headers.get('x-robots-tag') ?? '').toLowerCase().split(',');
  let agent = '';
  const ours: string[] = [];
  for (const part of parts) {
    const [, name, rest = part] = /^\s*([a-z0-9_-]+)\s*:(.*)$/.exec(part) ?? [];
    // `unavailable_after: …` and `max-snippet: …` are directives with a value. Any other word before a colon is the
    // name of a robot.
    if (name !== undefined && !/^(unavailable_after|max-.*)$/.test(name)) agent = name;
    if (agent === '' || agent === own) ours.push(rest);
  }
  return readRobotsWords(ours.join(','));
}

/** Returns the address in `Link: <…>; rel="canonical"` (RFC 8288). */
function canonicalOf(headers: Headers): string | undefined {
  const given = (headers.get('link') ?? '').slice(0, 8_000);
  return /<([^<>]+)>\s*;[^<,]*\brel\s*=\s*"?canonical\b/i.exec(given)?.[1];
}
