import { expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { until } from '../until.ts';
import { openDashboard } from './dashboard.ts';

/** What a page knows of what happens elsewhere: at once, after a gap, and where streams are cut. */

async function talk(parley: ParleyClient, userId: string): Promise<string> {
  const { data } = await parley.GET('/v1/agents', { params: { query: { name: 'live' } } });
  const body = { name: 'live', prompt: 'You help.' };
  const agent = data?.data[0] ?? (await ok(parley.POST('/v1/agents', { body })));
  const about = { agent_id: agent.id, user_id: userId };
  return (await ok(parley.POST('/v1/conversations', { body: about }))).id;
}

function row(page: Page, text: string): ReturnType<Page['getByRole']> {
  return page.getByRole('row').filter({ hasText: text });
}

/** The addresses of the streams that were opened, from now on. */
function streamsOf(page: Page): string[] {
  const opened: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v1/events/stream')) opened.push(request.url());
  });
  return opened;
}

test('one stream serves all pages of a tab, and what happens is on them without a click', async () => {
  const { page, parley } = await openDashboard({ at: '/settings/usage', namespace: 'live-one' });
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  const opened = streamsOf(page);
  for (const place of ['Agents', 'Conversations', 'Escalations', 'Webhooks', 'Conversations']) {
    await page
      .getByRole('navigation', { name: 'Parley' })
      .getByRole('link', { name: place })
      .click();
    await page.getByRole('heading', { name: place, level: 1 }).waitFor();
  }
  await talk(parley, 'somebody-new');
  await row(page, 'somebody-new').waitFor();
  expect(opened).toEqual([]);
});

test('what happened while the network was away is there when it is back, from the last event on', async () => {
  const { page, parley } = await openDashboard({ at: '/webhooks/events', namespace: 'live-gap' });
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  const before = await talk(parley, 'before');
  await page.getByText(before.slice(-6)).first().waitFor();
  const resumed = page.waitForResponse(/\/v1\/events\/stream.*last_event_id=evt_/);
  await page.route('**/v1/events/stream**', (route) => route.abort());
  await page.evaluate(() => window.dispatchEvent(new Event('online'))); // The old one is given up.
  await page.getByText('Connecting', { exact: true }).waitFor();
  const missed = await talk(parley, 'missed');
  await page.unroute('**/v1/events/stream**');
  await resumed;
  await page.getByText(missed.slice(-6)).first().waitFor();
});

test('a tab that slept asks for what it missed', async () => {
  const { page, server } = await openDashboard();
  await page.clock.install();
  await page.goto(`${server.url}/calls`);
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  const again = page.waitForRequest(/\/v1\/events\/stream/);
  // The machine slept: no timer ran, and the clock went on.
  await page.clock.setSystemTime(Date.now() + 3_600_000);
  await page.clock.runFor(6_000);
  await again;
});

test('where streams are cut the page reads again by itself, and says so', async () => {
  const { page, parley } = await openDashboard({ namespace: 'live-cut' });
  await page.route('**/v1/events/stream**', (route) => route.abort());
  await page.clock.install();
  await page.goto('/conversations');
  const isShown = (what: string, shown: Locator): Promise<unknown> =>
    until(what, async () => {
      await page.clock.runFor(1_000);
      return (await shown.count()) > 0;
    });
  await isShown('the polling', page.getByText('Polling', { exact: true }));
  await talk(parley, 'seen-by-polling');
  await isShown('the row', row(page, 'seen-by-polling'));
});

test.runIf(IS_NIGHTLY)(
  'sums are read seldom, however much happens, and are right in the end',
  async () => {
    const { page, parley } = await openDashboard({ namespace: 'live-seldom' });
    await talk(parley, 'the first of all');
    await page.clock.install();
    await page.goto('/');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await page.getByText(/^1 in progress/).waitFor();
    let reads = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/stats')) reads += 1;
    });
    await page.clock.pauseAt(Date.now() + 60_000);
    let passedMs = 0;
    const pass = async (ms: number): Promise<void> => {
      passedMs += ms;
      await page.clock.runFor(ms);
    };
    reads = 0;
    for (let talks = 2; talks <= 9; talks += 1) {
      await talk(parley, `user ${talks}`);
      await pass(500);
    }
    await until('the sum', async () => {
      await pass(500);
      return (await page.getByText(/^9 in progress/).count()) > 0;
    });
    // Five seconds are to lie between two reads.
    expect(reads).toBeLessThanOrEqual(1 + Math.ceil(passedMs / 5_000));
  },
);

/** Many in the nightly lane: their rows take a minute to write. */
const [MANY, PAGES_READ] = IS_NIGHTLY ? [100_000, 20] : [1_000, 4];

test('of many conversations those are drawn that are seen, however far one scrolls', async () => {
  const { page, parley, pool, namespace } = await openDashboard({ namespace: 'live-many' });
  const id = await talk(parley, 'first');
  const PART = Math.min(MANY, 10_000);
  // In parts: each is to stay within a statement's time on a slow machine too.
  for (let from = 1; from <= MANY; from += PART) {
    await pool.query(
      `insert into conversations (id, namespace, agent_id, agent_version, channel, user_id, status,
         max_duration_sec, silence_timeout_sec)
       select (lpad(to_hex(n), 8, '0') || '-0000-7' || substr(gen_random_uuid()::text, 16))::uuid,
         namespace, agent_id, agent_version, channel, 'user ' || n, status, max_duration_sec,
         silence_timeout_sec
         from conversations, generate_series($1::int, $1 + ${PART - 1}) n
         where namespace = $2 and user_id is not distinct from 'first'`,
      [from, namespace],
    );
  }
  await page.goto('/conversations');
  await row(page, 'first').waitFor();
  expect(id).toMatch(/^conv_/);
  const height = (): Promise<number> => page.evaluate(() => document.documentElement.scrollHeight);
  for (let turn = 0; turn < PAGES_READ; turn += 1) {
    const before = await height();
    await until('more rows', async () => {
      // Again, as people do: the browser goes to what was the end when the key came.
      await page.keyboard.press('End');
      return (await height()) > before || undefined;
    });
  }
  const drawn = await page.getByRole('row').count();
  expect(drawn).toBeLessThan(80);
  await until('the first row', async () => {
    // Again likewise: a page that still grows goes on to its end.
    await page.keyboard.press('Home');
    return (await row(page, 'first').isVisible()) || undefined;
  });
}, 90_000);
