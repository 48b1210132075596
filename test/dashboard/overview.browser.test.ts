import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import { toUuid } from '../../src/ids.ts';
import { expectAccessible, follow, openDashboard, WALKED_THEMES } from './dashboard.ts';

/** The first page: is everything all right, and what do I do now. */

async function newAgent(parley: ParleyClient, name: string): Promise<string> {
  const body = { name, display_name: name, prompt: 'You help.' };
  return (await ok(parley.POST('/v1/agents', { body }))).id;
}

const text = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();

test('who is new is led from a model to a webhook, and hides that when it is known', async () => {
  const namespace = 'new';
  const { page, parley, receiver } = await openDashboard({ namespace, at: '/' });
  await text(page, 'All clear.');
  const connect = page.getByRole('link', { name: 'Connect a model' });
  expect(await connect.getAttribute('href')).toBe('/settings/providers/new');
  await text(page, '0 of 6 done');
  await ok(parley.POST('/v1/model_providers', { body: { base_url: 'http://127.0.0.1:1/v1' } }));
  await text(page, '1 of 6 done');
  expect(await connect.count()).toBe(0);
  await ok(parley.POST('/v1/webhooks', { body: { url: receiver.url } }));
  await text(page, '2 of 6 done');
  await page.getByRole('link', { name: 'Create the first agent' }).waitFor();
  const id = await newAgent(parley, 'support');
  const talk = page.getByRole('link', { name: 'Talk with support' });
  await talk.waitFor();
  const live = page.getByRole('region', { name: 'Live agents' });
  await live.getByRole('link', { name: 'no model: connect one' }).waitFor();
  expect(await talk.getAttribute('href')).toBe(`/agents/${id}/playground`);
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.reload();
  await page.getByRole('link', { name: 'support' }).waitFor();
  expect(await talk.count()).toBe(0);
});

test('what needs a person is said at once, and leads to where it is put right', async () => {
  const namespace = 'busy';
  const { page, parley, pool } = await openDashboard({ namespace, at: '/' });
  await text(page, 'All clear.');
  const agent = await newAgent(parley, 'helper');
  const { id } = await ok(parley.POST('/v1/conversations', { body: { agent_id: agent } }));
  const params = { path: { id } };
  await ok(parley.POST('/v1/conversations/{id}/escalate', { params, body: {} }));
  await text(page, '1 customer is waiting.');

  await pool.query(
    `update agents set ready = false, reason = 'KnowledgeSourceNotFound',
            message = 'the source plans is not there' where id = $1`,
    [toUuid('agt', agent)],
  );
  await page.reload();
  await text(page, 'Agent helper is not ready.');
  await text(page, 'the source plans is not there');
  await expectAccessible(page);
  const line = page.getByRole('listitem').filter({ hasText: 'is not ready' });
  await line.getByRole('link', { name: 'View' }).click();
  await text(page, /Not ready: KnowledgeSourceNotFound/);
  await text(page, 'Create the source, or choose another');
});

test('who waited in vain stays listed until somebody opens the escalation', async () => {
  const namespace = 'missed';
  const { page, parley, pool, server } = await openDashboard({ namespace });
  const agent = await newAgent(parley, 'helper');
  const miss = async (reason: string): Promise<void> => {
    const { id } = await ok(parley.POST('/v1/conversations', { body: { agent_id: agent } }));
    const params = { path: { id } };
    const asked = await ok(
      parley.POST('/v1/conversations/{id}/escalate', { params, body: { reason } }),
    );
    await pool.query(
      `update escalations set requested_at = requested_at - interval '300 s',
              times_out_at = times_out_at - interval '300 s' where id = $1`,
      [toUuid('esc', asked.id)],
    );
    await server.engine.eventually(async () => {
      const one = { params: { path: { id: asked.id } } };
      return (await ok(parley.GET('/v1/escalations/{id}', one))).missed;
    });
  };
  await miss('Lost parcel');
  await miss('Angry user');
  // A person who may only read looks at it, and it stays.
  const reader = await openDashboard({ namespace, scopes: ['read'], at: '/' });
  const needs = (one: Page, reason: string) =>
    one
      .getByRole('listitem')
      .filter({ hasText: /waited 5:\d\d for a human agent/ })
      .filter({ hasText: reason });
  await needs(reader.page, 'Lost parcel').getByRole('link', { name: 'View' }).click();
  await text(reader.page, 'Nobody accepted the escalation in time');

  await page.goto('/');
  await needs(page, 'Angry user').waitFor();
  await needs(page, 'Lost parcel').getByRole('link', { name: 'View' }).click();
  await text(page, /Seen by Ana/);
  await page.getByRole('link', { name: 'Missed 1' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Overview' }).click();
  await needs(page, 'Angry user').waitFor();
  expect(await needs(page, 'Lost parcel').count()).toBe(0);
});

test('what was talked and delivered is counted, and the figures follow by themselves', async () => {
  const namespace = 'figures';
  const { page, parley, receiver } = await openDashboard({ namespace, at: '/' });
  await ok(
    parley.POST('/v1/webhooks', {
      body: { url: receiver.url, event_types: ['conversation.ended'] },
    }),
  );
  const agent = await newAgent(parley, 'counter');
  for (const outcome of ['resolved', 'resolved', 'failed'] as const) {
    const body = { agent_id: agent };
    const { id } = await ok(parley.POST('/v1/conversations', { body }));
    const params = { path: { id } };
    await ok(parley.POST('/v1/conversations/{id}/end', { params, body: { outcome } }));
  }
  const talked = page.getByRole('region', { name: 'Conversations' });
  await talked.getByText('67% of ended conversations resolved').waitFor();
  await talked.getByRole('listitem').filter({ hasText: 'failed' }).getByText('1').waitFor();
  const delivered = page.getByRole('region', { name: 'Deliveries' });
  await delivered.getByText('3 acknowledged').waitFor();
  const chart = delivered.getByRole('slider', { name: /: median, 95th percentile$/ });
  await delivered.getByText('target 500 ms').waitFor();
  await chart.press('Home');
  const first = await chart.getAttribute('aria-valuetext');
  expect(first).toMatch(/^[A-Z][a-z]{2} \d+.*: median –, 95th percentile –$/);
  await chart.press('ArrowRight');
  expect(await chart.getAttribute('aria-valuenow')).toBe('1');
  await delivered.locator('.chart-readout').getByText('95th percentile').waitFor();
  await chart.blur();
  await delivered.locator('.chart-readout').waitFor({ state: 'detached' });
  const agents = page.getByRole('region', { name: 'Live agents' });
  await agents.getByRole('listitem').filter({ hasText: 'counter' }).getByText('3').waitFor();
});

test.each(WALKED_THEMES)('it and its trends are accessible, %s, and at 360 px', async (theme) => {
  const { page, parley } = await openDashboard({
    at: '/',
    theme,
    viewport: { width: 360, height: 740 },
  });
  const agent = await newAgent(parley, `agent-${theme}`);
  await page.getByRole('link', { name: `agent-${theme}`, exact: true }).waitFor();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await ok(parley.POST('/v1/conversations', { body: { agent_id: agent } }));
  await follow(page, '/analytics');
  await page.getByRole('region', { name: 'Agents' }).waitFor();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

test('trends by day and group, compared with the period before, as a chart, a table and a file', async () => {
  const namespace = 'trends';
  const { page, parley, pool } = await openDashboard({ namespace, at: '/' });
  const agent = await newAgent(parley, 'counter');
  const started = (daysAgo: number): Date => new Date(Date.now() - daysAgo * 86_400_000);
  const lives: [daysAgo: number, outcome: string, topics: string[]][] = [
    [1, 'resolved', ['billing']],
    [1, 'resolved', ['billing', 'delivery']],
    [2, 'failed', []],
    [30, 'resolved', []],
    [31, 'resolved', []],
  ];
  for (const [daysAgo, outcome, topics] of lives) {
    await pool.query(
      `insert into conversations (id, namespace, agent_id, agent_version, channel, status, outcome, judgement, started_at,
                                  ended_at, max_duration_sec, silence_timeout_sec)
       select parley_uuid_v7(), namespace, id, 1, 'chat', 'ended', $2, $3, $4, $4, 60, 60 from agents where id = $1`,
      [toUuid('agt', agent), outcome, { topics }, started(daysAgo)],
    );
  }
  await page.getByRole('link', { name: 'Trends' }).click();
  await page.getByRole('heading', { name: 'Analytics' }).waitFor();
  await page
    .getByRole('button', { name: /^Conversations 3 \+50 ?% against the previous 28 days$/ })
    .waitFor();
  await page
    .getByRole('region', { name: 'Agents' })
    .getByRole('row', { name: /counter/ })
    .waitFor();

  // The chart by keyboard: two days ago is the third last.
  await page.getByText('Conversations in the last 28 days: 3. By day.').waitFor();
  const chart = page.getByRole('slider', { name: 'Values over time: resolved, failed' });
  await chart.focus();
  for (const _ of [1, 2]) await page.keyboard.press('ArrowLeft');
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 1: resolved 0, failed 1$/);

  await page.getByRole('button', { name: /^Resolved 67 ?% 2 of 3 −33 points/ }).click();
  await page.getByText('Values as a table').click();
  const values = page.getByRole('region', { name: 'Resolved as a table' });
  expect(await values.getByRole('row').count()).toBe(29);
  await values.getByRole('cell', { name: /^100 ?%$/ }).waitFor();
  await expectAccessible(page);

  await page.getByLabel('Group by').selectOption('topic');
  await page
    .getByRole('region', { name: 'Topics' })
    .getByRole('button', { name: 'billing' })
    .click();
  await page.getByRole('combobox', { name: 'Topic' }).waitFor();
  await page.getByRole('button', { name: /^Conversations 2/ }).waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const file = await (await downloading).createReadStream();
  const chunks: string[] = await file.setEncoding('utf8').toArray();
  expect(chunks.join('')).toMatch(/^start,agent_id,conversations,.*\r\n\S+,agt_\w+,2,0,2,2,/);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('button', { name: /^Conversations 3/ }).waitFor();
});
