import { beforeAll, expect, test } from 'vitest';
import { measureWaiting } from '../../../src/conversations/escalations/escalations.sql.ts';
import { newUuid } from '../../../src/ids.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';
import { until } from '../../until.ts';
import { shareConversationFixture, type ConversationFixture } from '../conversation-setup.ts';
import { addConversation } from '../stored-conversations.ts';

/** How many wait for a person, and how long: what an alert fires by (contract/metrics.md#product). */

const stored = useRows('conversations', 'escalations');
const AGENT = newUuid();

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await shareConversationFixture();
});

async function add(columns: Columns = {}): Promise<void> {
  await stored.add('escalations', {
    id: newUuid(),
    namespace: 'default',
    agent_id: AGENT,
    conversation_id: await addConversation(stored, { agent_id: AGENT }),
    status: 'requested',
    reason: 'user_request',
    summary: '',
    requested_at: minutesAgo(2),
    times_out_at: minutesAgo(-2),
    ...columns,
  });
}

test('nobody waits', async () => {
  expect(await measureWaiting(stored.pool)).toEqual({ waiting: 0, oldestWaitSec: 0 });
});

test('those of all namespaces count whom nobody has accepted, from their request on', async () => {
  await add();
  await add({ namespace: 'other', requested_at: minutesAgo(5) });
  for (const status of ['accepted', 'declined', 'timed_out', 'completed', 'canceled'])
    await add({ status, requested_at: minutesAgo(60) });
  await add({ test: true, requested_at: minutesAgo(60) });
  const { waiting, oldestWaitSec } = await measureWaiting(stored.pool);
  expect([waiting, Math.floor(oldestWaitSec / 60)]).toEqual([2, 5]);
});

test('the API serves both gauges', async () => {
  // The first measurement begins at the start and may still be in progress.
  const page = await until('the gauges', async () => {
    const text = await fixture.engine.metrics.render();
    return text.includes('parley_escalations_waiting ') && text;
  });
  expect(page).toMatch(/^parley_escalation_oldest_wait_seconds [\d.]+$/m);
});
