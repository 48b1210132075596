import { expect, test } from 'vitest';
import type { ParleyClient } from '../../packages/client/src/client.ts';
import type { Answer } from '../webhooks/receiver.ts';
import { until } from '../until.ts';
import { expectAccessible, follow, openDashboard, type Opened } from './dashboard.ts';

/** Deliveries, replays and events: seen through an outage of a receiver and after it. */

const well: Answer = (_, response) => void response.writeHead(200).end('ok');
const down: Answer = (_, response) => void response.writeHead(503).end('{"down":true}');

async function scene(namespace: string, types: 'conversation.started'[] | ['agent.*']) {
  const opened = await openDashboard({ namespace });
  const { parley, receiver } = opened;
  const agent = await parley.POST('/v1/agents', {
    body: { name: 'support', prompt: 'Help.' },
  });
  const endpoint = await parley.POST('/v1/webhooks', {
    body: { url: receiver.url, event_types: types },
  });
  return { ...opened, agentId: agent.data!.id, endpointId: endpoint.data!.id };
}

async function talk(parley: ParleyClient, agentId: string): Promise<string> {
  const { data } = await parley.POST('/v1/conversations', { body: { agent_id: agentId } });
  return data!.id;
}

const toUs = ({ receiver }: Opened, conversationId: string) =>
  receiver.received.filter(({ json }) => json.data['conversation_id'] === conversationId);

test('a delivery shows each attempt with its answer, and is retried at once', async () => {
  const all = await scene('outage', ['conversation.started']);
  const { page, parley, receiver, agentId, endpointId } = all;
  receiver.answer(down);
  const conversation = await talk(parley, agentId);
  await receiver.until(() => toUs(all, conversation).length > 0);
  await page.goto(`/webhooks/deliveries?status=retrying&endpoint_id=${endpointId}`);
  expect(await page.getByLabel('Status').inputValue()).toBe('retrying');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'conversation.started' }).click();

  // On a busy machine a second attempt may stand there too.
  await page.getByText('The receiver did not respond with a 2xx status.').first().waitFor();
  await page.getByText('"down": true').first().waitFor();
  await page.getByText(/due in/).waitFor();
  const body = await page.getByLabel('Body').innerText();
  expect(body).toBe(toUs(all, conversation)[0]!.body.toString());
  await page.getByRole('link', { name: conversation }).waitFor();
  await expectAccessible(page);

  receiver.answer(well);
  await page.getByRole('button', { name: 'Retry now' }).click();
  await page.getByRole('heading', { level: 1 }).getByText('delivered').waitFor();
  const tried = await page.getByText(/^Attempt \d+$/).count();
  const { rows } = await all.pool.query<{ n: number }>(
    `select count(*)::int as n from delivery_attempts a join deliveries d on d.id = a.delivery_id
      where d.endpoint_id = (select id from webhook_endpoints where namespace = $1)`,
    [all.namespace],
  );
  expect(tried).toBe(rows[0]!.n);

  await page.getByRole('button', { name: 'Send it again' }).click();
  await page.getByText('by a replay').waitFor();
  await receiver.until(() => toUs(all, conversation).length > tried);
});

test('an attempt that is overdue says for how long, and why', async () => {
  const all = await scene('overdue', ['conversation.started']);
  const { page, parley, pool, receiver, agentId, endpointId: id } = all;
  receiver.answer(down);
  const conversation = await talk(parley, agentId);
  await receiver.until(() => toUs(all, conversation).length > 0);
  await parley.PATCH('/v1/webhooks/{id}', { params: { path: { id } }, body: { enabled: false } });
  await until('the first attempt to be recorded', async () => {
    const { rowCount } = await pool.query(
      `update delivery_queue set due_at = now() - interval '41 seconds'
        where namespace = $1 and attempt > 0 and lease_token is null`,
      [all.namespace],
    );
    return rowCount === 1;
  });
  await page.goto(`/webhooks/deliveries?endpoint_id=${id}`);
  await page.getByText(/overdue for 0:[45]\d/).waitFor();
  await page.getByRole('link', { name: 'conversation.started' }).click();
  await page.getByText(/overdue for \d:\d\d/).waitFor();
  await page.getByText('The endpoint is disabled, so the delivery waits.').waitFor();
  // The outage is in the figures of the endpoint, long before Parley gives up.
  await follow(page, `/webhooks/${id}`);
  await page.getByText(/0 failed, 1 pending; \d of (1 attempt|[2-9] attempts) failed/).waitFor();
});

test('who waits at an empty list sees what comes', async () => {
  const all = await scene('awaited', ['conversation.started']);
  const { page, parley, receiver, agentId, endpointId } = all;
  // The attempt fails after the page has read the list because of the event; no event reports an attempt.
  let isRead: Promise<unknown> | undefined;
  receiver.answer((request, response) => void isRead?.then(() => down(request, response)));
  await page.goto(`/webhooks/deliveries?status=retrying&endpoint_id=${endpointId}`);
  await page.getByText('No deliveries match these filters.').waitFor();
  isRead = page.waitForResponse(/\/v1\/deliveries\?/);
  await talk(parley, agentId);
  await page.getByRole('link', { name: 'conversation.started' }).waitFor();
});

test('what was missed is counted, then sent again, with its progress', async () => {
  const all = await scene('missed', ['conversation.started']);
  const { page, parley, receiver, agentId, endpointId: id } = all;
  receiver.answer(well);
  const set = (enabled: boolean) =>
    parley.PATCH('/v1/webhooks/{id}', { params: { path: { id } }, body: { enabled } });
  await set(false);
  const missed: string[] = [];
  for (let at = 0; at < 3; at += 1) missed.push(await talk(parley, agentId));
  await set(true);

  await page.goto(`/webhooks/${id}`);
  await page.getByRole('button', { name: 'Replay since' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('No events between').waitFor();
  await dialog.getByLabel(/^missing/).check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Send 3 events again' }).click();
  await receiver.until(() => missed.every((one) => toUs(all, one).length === 1));
  await page.getByText('3 of 3').waitFor();
  const { data } = await parley.GET('/v1/jobs', { params: { query: { endpoint_id: id } } });
  expect(data!.data).toMatchObject([{ mode: 'missing', progress: { total: 3, done: 3 } }]);
});

test('an event says why it did not arrive, and is sent after all', async () => {
  const all = await scene('unsubscribed', ['agent.*']);
  const { page, parley, receiver, agentId } = all;
  receiver.answer(well);
  const conversation = await talk(parley, agentId);
  await page.goto('/webhooks/events?view=all&type=conversation.*');
  await page.getByRole('link', { name: 'conversation.started' }).click();
  await page.getByText('The endpoint is not subscribed to conversation.started').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send it to this endpoint' }).click();
  await receiver.until(() => toUs(all, conversation).length === 1);
  await page.getByText('Why it did not arrive').waitFor({ state: 'detached' });
});

test('events stand there as they happen, are held by a pause and filtered by type', async () => {
  const all = await scene('live', ['agent.*']);
  const { page, parley, agentId } = all;
  await page.goto('/webhooks/events');
  await page.getByText('Receiving events').waitFor();
  const rows = page.getByRole('list', { name: /^Events/ }).getByRole('listitem');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('Waiting for events').waitFor();
  await talk(parley, agentId);
  await rows.filter({ hasText: 'conversation.started' }).waitFor();
  expect(await rows.count()).toBe(1);

  await page.getByRole('button', { name: 'Pause' }).click();
  const held = await talk(parley, agentId);
  await page.getByRole('button', { name: 'Resume (1 new)' }).click();
  await rows.nth(1).waitFor();
  await rows.first().locator('summary').click();
  await page.getByText(`"conversation_id": "${held}"`).waitFor();
  await expectAccessible(page);

  await page.getByLabel('Event type').selectOption('agent.*');
  await page.waitForURL('**/events?type=agent.*');
  await rows.filter({ hasText: 'agent.published' }).waitFor();
  expect(await rows.filter({ hasText: 'conversation.started' }).count()).toBe(0);
});
