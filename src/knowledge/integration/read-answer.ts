import { epochMs } from '../../clock.ts';
import { mediaTypeOf } from '../../platform/egress/media-type.ts';
import { retryAfterMs } from '../../platform/egress/retry-after.ts';
import { FetchRefused } from '../sources/fetching.ts';
import type { FeedLimits } from './feed-limits.ts';
import { invalidFeed, tooLarge, TryAgain } from './feed-refused.ts';
import { PageScanner, type FeedPage } from './scan-page.ts';

export type PageAnswer =
  | { kind: 'page'; page: FeedPage; etag: string | null }
  /** Plain-text response that is the whole feed. */
  | { kind: 'text'; text: string; etag: string | null }
  /** Response with status 304: nothing has changed. */
  | { kind: 'unchanged' }
  /** Response with status 410: the cursor has expired, or the feed no longer exists. */
  | { kind: 'gone' };

const TEXT_TYPES = ['text/markdown', 'text/plain'];

/**
 * Reads the response to a page request.
 * @throws FetchRefused, TryAgain and the errors of the body's stream
 */
export async function readAnswer(response: Response, limits: FeedLimits): Promise<PageAnswer> {
  const { status, headers } = response;
  if (status !== 200) {
    await response.body?.cancel();
    if (status === 304) return { kind: 'unchanged' };
    if (status === 410) return { kind: 'gone' };
    throw refusedBy(status, headers);
  }
  try {
    return await readBody(response, limits);
  } catch (error) {
    // Cancels the rest of the body, which is not needed.
    await response.body?.cancel().catch(() => undefined);
    throw error;
  }
}

async function readBody(response: Response, limits: FeedLimits): Promise<PageAnswer> {
  const mediaType = plainTypeOf(response.headers);
  const etag = etagOf(response.headers);
  if (TEXT_TYPES.includes(mediaType)) {
    let text = '';
    for await (const piece of piecesOf(response, limits)) text += piece;
    return { kind: 'text', text, etag };
  }
  if (!/^application\/([-.a-z0-9]+\+)?json$/.test(mediaType)) throw otherType(mediaType);
  const scanner = new PageScanner(limits);
  for await (const piece of piecesOf(response, limits)) scanner.push(piece);
  return { kind: 'page', page: scanner.end(), etag };
}

async function* piecesOf({ body }: Response, limits: FeedLimits): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > limits.pageBytes) {
      throw tooLarge(`sent a page larger than ${limits.pageBytes / 1024 / 1024} MiB`);
    }
    yield decoded(() => decoder.decode(chunk, { stream: true }));
  }
  yield decoded(() => decoder.decode());
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw invalidFeed('sent a body that is not valid UTF-8');
  }
}

function plainTypeOf(headers: Headers): string {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    throw invalidFeed('sent a `Content-Encoding` that the request does not accept');
  }
  return mediaTypeOf(headers.get('content-type'));
}

function otherType(mediaType: string): FetchRefused {
  const asked = 'application/json, text/markdown or text/plain';
  if (mediaType === '')
    return invalidFeed(`responded without a \`Content-Type\`; it must be ${asked}`);
  const what = mediaType === 'text/html' ? 'an HTML page' : 'another content type';
  return invalidFeed(`returned ${what}; it must return ${asked}`);
}

/** Returns the ETag, or `null` if a request header cannot carry it, because it is too long or not visible ASCII. */
function etagOf(headers: Headers): string | null {
  const etag = headers.get('etag');
  return etag !== null && /^(W\/)?"[!#-~]{0,1000}"$/.test(etag) ? etag : null;
}

function refusedBy(status: number, headers: Headers): Error {
  const answered = `the feed responded with status ${status}`;
  if (status === 401 || status === 403) {
    const check = 'check the Secrets that `secret_ref` and `signing_secret_ref` name';
    return new FetchRefused('Unauthorized', `${answered}: ${check}`);
  }
  if (status === 404) return new FetchRefused('NotFound', `${answered}: check \`integration.url\``);
  if (status >= 300 && status < 400) {
    const instead = 'redirects are not followed; set `integration.url` to the target address';
    return new FetchRefused('Redirected', `${answered}: ${instead}`);
  }
  const isOfLimit = status === 429;
  if (!isOfLimit && status < 500) return invalidFeed(`responded with status ${status}`);
  const reason = isOfLimit ? 'RateLimited' : 'NotAnswering';
  return new TryAgain(new FetchRefused(reason, answered), retryAfterMs(headers, epochMs()));
}
