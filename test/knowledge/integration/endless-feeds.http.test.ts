import { afterEach, expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import { json, page, serve, stopFeeds, sync, type Synced } from './feed-harness.ts';

/** A feed that does not end within six hours is refused: it would keep a place of its namespace for ever. */

afterEach(stopFeeds);

const doc = (id: string): object => ({ id, markdown: `Of ${id}.` });

function expectTooSlow({ refused, end }: Synced): void {
  expect(refused).toEqual({
    reason: 'TooSlow',
    message:
      'reading the whole feed took more than 6 hours: ' +
      'return only changes after a cursor, respond faster, or split the feed into several feeds',
  });
  expect(end).toBeUndefined();
}

const HOURS_MS = 6 * 3_600_000;
// No other bound may be reached before.
const patient = { headersMs: 2 * HOURS_MS, pageMs: 3 * HOURS_MS };

test('while it answers a page', async () => {
  const feed = await serve((_, response, nth) => {
    if (nth === 1) json(response, { ...page([doc('a')]), next_cursor: 'b', has_more: true });
  });
  const time = holdTime();
  const synced = sync(feed.url, { times: patient });
  await until('the second page is requested', () => feed.asked.length >= 2);
  await time.advance(HOURS_MS);
  expectTooSlow(await synced);
});

test('while it asks to wait', async () => {
  const feed = await serve((_, response) => {
    response.writeHead(503, { 'retry-after': '86400' }).end();
  });
  const time = holdTime();
  const synced = sync(feed.url, { times: { retryMaxMs: 86_400_000 } });
  await time.armed(86_400_000);
  await time.advance(HOURS_MS);
  expectTooSlow(await synced);
});

test('while its documents are taken, and a little earlier it is not', async () => {
  const feed = await serve((_, response) => json(response, page([doc('a'), doc('b')])));
  const syncOver = (ms: number): Promise<Synced> => {
    const time = holdTime();
    let told = 0;
    const late = sync(feed.url, {
      onTold: async () => {
        told += 1;
        // The page is found, and then its first document.
        if (told === 2) await time.advance(ms);
      },
    });
    return late.finally(time.release);
  };
  expectTooSlow(await syncOver(HOURS_MS));
  expect((await syncOver(HOURS_MS - 1)).told).toHaveLength(2);
});
