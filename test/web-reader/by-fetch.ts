import { setTimeout as delay } from 'node:timers/promises';
import {
  createRequest,
  decodeHtml,
  readHtml,
  readSite,
  type ExtractPage,
  type Send,
  type SiteEvent,
} from '../../packages/web-reader/src/web-reader.ts';

/** The package alone, by Node's fetch: the example of its README. */

const send: Send = async ({ url, headers, signal, maxResponseBytes }) => {
  try {
    const response = await fetch(url, { headers, signal, redirect: 'manual' });
    const answered = new Headers(response.headers);
    // fetch has decompressed it.
    answered.delete('content-encoding');
    const whole = response.arrayBuffer().then(
      (bytes) => Buffer.from(bytes),
      () => undefined,
    );
    return {
      kind: 'response',
      statusCode: response.status,
      headers: Object.fromEntries(answered),
      body: whole.then((bytes) => (bytes ?? Buffer.alloc(0)).subarray(0, maxResponseBytes)),
      isWhole: whole.then((bytes) => bytes !== undefined && bytes.length <= maxResponseBytes),
    };
  } catch (error) {
    return { kind: 'error', message: String(error) };
  }
};

const extract: ExtractPage = ({ bytes, charset, url }) =>
  Promise.resolve({ documents: [readHtml(decodeHtml(bytes, charset), { url })] });

/** Reads a site, and returns its pages as Markdown by path. */
export async function pagesOf(url: string): Promise<Record<string, string>> {
  const refusalOf = (): undefined => undefined;
  const settings = { url, maxDepth: 3, maxPages: 100, delayMs: 0, include: [], exclude: [] };
  const reading = readSite(settings, {
    request: createRequest({
      send,
      refusalOf,
      userAgent: 'example/1',
      timeoutMs: 20_000,
      clock: {
        setTimeout: (fire, ms) => setTimeout(fire, ms),
        clearTimeout: (timer) => clearTimeout(timer),
      },
    }),
    extract,
    refusalOf,
    agent: 'example',
    clock: {
      monotonicMs: () => performance.now(),
      delay: (ms, options) => delay(ms, undefined, options),
    },
    msMax: 3_600_000,
    known: () => Promise.resolve(undefined),
    cursor: null,
    signal: new AbortController().signal,
  });
  const pages: Record<string, string> = {};
  for await (const event of reading as AsyncIterable<SiteEvent>)
    if (event.kind === 'document') pages[event.path] = event.text;
  return pages;
}
