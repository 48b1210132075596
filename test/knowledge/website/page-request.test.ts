import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Ask } from '../../../packages/web-reader/src/site/page-request.ts';
import { createGuardedRequest } from '../../../src/knowledge/website/website-fetcher.ts';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import type { EgressClient } from '../../../src/platform/egress/client.ts';
import { holdTime } from '../../clock.ts';

/** What one request to a site comes to. The egress client is a stand-in that answers what a test gives it. */

type Outcome = {
  statusCode?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  isWhole?: boolean;
};
type Sent = Parameters<EgressClient['send']>[0];

const guard = createAddressGuard({ allow: [] });

function asking(outcome: Outcome | { kind: 'error'; message: string; errorClass: string }) {
  const sent: Sent[] = [];
  const { statusCode = 200, headers = {}, body = '', isWhole = true } = outcome as Outcome;
  const send = async (request: Sent): Promise<unknown> => {
    sent.push(request);
    const bytes = Buffer.from(body);
    return 'kind' in outcome
      ? outcome
      : {
          kind: 'response',
          statusCode,
          headers,
          body: Promise.resolve(bytes.subarray(0, request.maxResponseBytes)),
          isWhole: Promise.resolve(
            isWhole && bytes.length <= (request.maxResponseBytes ?? Infinity),
          ),
        };
  };
  const egress = { send } as unknown as EgressClient;
  const request = createGuardedRequest({ egress, guard, userAgent: 'ua', timeoutMs: 20_000 });
  const ask = (over: Partial<Ask> = {}) =>
    request({
      url: new URL('https://site.test/a'),
      accept: 'text/html',
      maxBytes: 1_000,
      signal: new AbortController().signal,
      ...over,
    });
  return { ask, sent };
}
const answerTo = (outcome: Outcome, over: Partial<Ask> = {}) => asking(outcome).ask(over);

describe('a page', () => {
  test('is its bytes, with what tells a later request that it is the same', async () => {
    const headers = { etag: '"a"', 'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT' };
    const answer = await answerTo({ headers, body: 'text' });
    expect(answer).toMatchObject({
      kind: 'body',
      bytes: Buffer.from('text'),
      validators: { etag: '"a"', lastModified: headers['last-modified'] },
    });
    expect(answer).not.toHaveProperty('isCut');
    const etagOf = async (etag: string) =>
      (await answerTo({ headers: { etag } })) as { validators: { etag: string | null } };
    expect((await etagOf('e'.repeat(500))).validators.etag).toHaveLength(500);
    expect((await etagOf('e'.repeat(501))).validators.etag).toBeNull();
    expect((await etagOf('')).validators.etag).toBeNull();
  });

  test('is asked for with what is known of it', async () => {
    const { ask, sent } = asking({});
    await ask();
    await ask({ validators: { etag: 'e', lastModified: null } });
    await ask({ validators: { etag: null, lastModified: 'm' } });
    const shared = {
      accept: 'text/html',
      'accept-encoding': 'gzip, br, deflate',
      'user-agent': 'ua',
    };
    expect(sent.map(({ headers }) => headers)).toEqual([
      shared,
      { ...shared, 'if-none-match': 'e' },
      { ...shared, 'if-modified-since': 'm' },
    ]);
  });

  test('is inflated, up to what is wanted of it', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect(await answerTo({ headers, body: gzipSync('text') })).toMatchObject({
      kind: 'body',
      bytes: Buffer.from('text'),
    });
    const long = gzipSync('x'.repeat(2_000));
    expect(await answerTo({ headers, body: long })).toMatchObject({
      kind: 'failed',
      isSite: false,
    });
    expect(await answerTo({ headers, body: long }, { isStartEnough: true })).toMatchObject({
      kind: 'body',
      bytes: Buffer.from('x'.repeat(1_000)),
      isCut: true,
    });
    expect(await answerTo({ headers: { 'content-encoding': 'zip' }, body: 'x' })).toMatchObject({
      kind: 'failed',
      isSite: false,
    });
  });

  test('that is too long fails, unless its start is enough', async () => {
    const body = 'x'.repeat(1_001);
    expect(await answerTo({ body })).toMatchObject({ kind: 'failed', isSite: false });
    expect(await answerTo({ body }, { isStartEnough: true })).toMatchObject({
      kind: 'body',
      bytes: Buffer.from('x'.repeat(1_000)),
      isCut: true,
    });
    expect(await answerTo({ body: 'short' }, { isStartEnough: true })).not.toHaveProperty('isCut');
  });

  test('that breaks off fails, also where its start would be enough', async () => {
    for (const isStartEnough of [false, true]) {
      expect(await answerTo({ body: 'x', isWhole: false }, { isStartEnough })).toMatchObject({
        kind: 'failed',
        reason: 'the server closed the connection in the middle of its response',
        isSite: true,
      });
    }
  });

  test('of a type that nobody wants is not read', async () => {
    const headers = { 'content-type': 'Image/PNG; a=b' };
    const wants = (type: string): boolean => type === 'text/html';
    expect(await answerTo({ headers }, { wants })).toEqual({
      kind: 'other',
      mediaType: 'image/png',
    });
    expect(await answerTo({ headers }, { wants: () => true })).toMatchObject({ kind: 'body' });
    expect(await answerTo({ headers })).toMatchObject({ kind: 'body' });
    const unnamed = { wants: (type: string): boolean => type === '' };
    expect(await answerTo({}, unnamed)).toMatchObject({ kind: 'body' });
  });
});

describe('another answer', () => {
  test.each([
    [200, 'body'],
    [299, 'body'],
    [304, 'unchanged'],
    [404, 'gone'],
    [410, 'gone'],
    [199, 'failed'],
    [206, 'failed'],
    [300, 'failed'],
    [400, 'failed'],
  ])('%d is %s', async (statusCode, kind) => {
    expect((await answerTo({ statusCode })).kind).toBe(kind);
  });

  test.each([
    [300, false],
    [301, true],
    [302, false],
    [308, true],
    [399, false],
  ])('%d with a place is a redirect', async (statusCode, isLasting) => {
    const headers = { location: '/b' };
    expect(await answerTo({ statusCode, headers })).toEqual({
      kind: 'redirect',
      to: '/b',
      isLasting,
    });
  });

  test('with a place is no redirect beyond 3xx', async () => {
    const headers = { location: '/b' };
    for (const [statusCode, kind] of [
      [200, 'body'],
      [299, 'body'],
      [400, 'failed'],
      [304, 'unchanged'],
    ] as const) {
      expect((await answerTo({ statusCode, headers })).kind).toBe(kind);
    }
  });

  test.each([
    [400, false, undefined],
    [403, false, undefined],
    [429, true, 5_000],
    [499, false, undefined],
    [500, true, undefined],
    [503, true, 5_000],
  ])('%d affects the site: %s', async (statusCode, isSite, retryAfterMs) => {
    const answer = await answerTo({ statusCode });
    expect(answer).toMatchObject({
      status: statusCode,
      isSite,
      reason: `the server responded with status ${statusCode}`,
    });
    expect((answer as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
  });

  test.each([
    ['7', 7_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', 5_000],
  ])('503 with retry-after %s waits %d ms', async (value, retryAfterMs) => {
    const headers = { 'retry-after': value };
    expect(await answerTo({ statusCode: 503, headers })).toMatchObject({ retryAfterMs });
  });

  test('cuts a long rest, and reads a short one', async () => {
    const isCutAfter = async (statusCode: number, length?: string): Promise<boolean> => {
      const headers: Record<string, string> =
        length === undefined ? {} : { 'content-length': length };
      const { ask, sent } = asking({ statusCode, headers });
      await ask();
      return sent[0]!.signal!.aborted;
    };
    expect(await isCutAfter(404, '65536')).toBe(false);
    expect(await isCutAfter(404, '65537')).toBe(true);
    expect(await isCutAfter(404)).toBe(true);
    expect(await isCutAfter(304)).toBe(false);
    expect(await isCutAfter(200)).toBe(false);
  });
});

describe('no answer', () => {
  test('affects the site, and may be its certificate', async () => {
    const failed = (errorClass: string) =>
      asking({ kind: 'error', message: 'The server is gone.', errorClass }).ask();
    expect(await failed('tls')).toEqual({
      kind: 'failed',
      reason: 'the server is gone',
      status: null,
      isSite: true,
      isTls: true,
    });
    expect(await failed('dns')).not.toHaveProperty('isTls');
  });

  test('within the time is the fault of the site', async () => {
    const time = holdTime();
    const send = async ({ signal }: Sent): Promise<unknown> => {
      await new Promise((resolve) => signal!.addEventListener('abort', resolve));
      return { kind: 'error', message: 'aborted', errorClass: 'timeout' };
    };
    const egress = { send } as unknown as EgressClient;
    const request = createGuardedRequest({ egress, guard, userAgent: 'ua', timeoutMs: 20_000 });
    const answer = request({
      url: new URL('https://site.test/a'),
      accept: '*/*',
      maxBytes: 1,
      signal: new AbortController().signal,
    });
    await time.armed(20_000);
    await time.advance(20_000);
    expect(await answer).toMatchObject({
      reason: 'the server did not send the whole response within 20 s',
      isSite: true,
    });
    expect(time.waiting()).toEqual([]);
  });
});
