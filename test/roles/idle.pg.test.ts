import { expect, onTestFinished, test } from 'vitest';
import { holdTime } from '../clock.ts';
import { startApi } from './api/api-setup.ts';
import { recordStatements } from './statements.ts';

/** Maximum number of each statement per minute, for an idle operator, API and delivery with a database of their own. */
const AT_MOST: Record<string, number> = {
  list_due_endpoints: 60,
  is_reaper_due: 60,
  'select 1': 30, // Heartbeat of the leader.
  list_delivery_processes: 12,
  find_expired_delivery: 4,
  has_deferred_event: 6,
  has_conversation_fact: 6,
  next_sync: 12,
  look_at_calls: 12,
  list_running_jobs: 6,
  list_oldest_running_erasures: 6,
  watch_resources: 12,
  list_endpoints_not_copied: 12,
  'select w.namespace, w.name from telephony_providers': 12,
  owners_to_embed: 10,
  list_embeddings: 10,
  'select count(*) as pending': 6,
  "select case when not e.enabled then 'disabled'": 6,
  measure_waiting: 6,
};
/** Maximum number of statements per minute for work that is done once a minute. */
const ONCE_A_MINUTE = 12;

test('the limits of all statements add up to five a second', () => {
  const total = Object.values(AT_MOST).reduce((sum, count) => sum + count, ONCE_A_MINUTE);
  expect(total).toBeLessThanOrEqual(5 * 60);
});

const WRITES = /\b(begin|commit|insert into|update (?!skip|of)|delete from)\b/;

test('an idle system keeps each limit, and sends nothing that writes or begins a transaction', async () => {
  const statements = recordStatements();
  onTestFinished(() => api.stop());
  const time = holdTime();
  const api = await startApi({ delivery: true });
  const pass = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds * 10; passed += 1) {
      await time.advance(100);
      await statements.settled();
    }
  };
  await statements.settled();
  await pass(5);
  statements.take();
  await pass(60);
  const sent = statements.take();
  expect(sent.filter(({ text }) => WRITES.test(text))).toEqual([]);
  const counts = new Map<string, number>();
  for (const { name, text, count } of sent) {
    const known = Object.keys(AT_MOST).find((key) => name === key || text.startsWith(key));
    const key = known ?? 'once a minute';
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  // A window of a minute may contain one run more than the rate of its statement.
  const tooMany = [...counts].filter(([key, count]) => count > (AT_MOST[key] ?? ONCE_A_MINUTE) + 1);
  expect({ tooMany, sent: tooMany.length > 0 && sent }).toEqual({ tooMany: [], sent: false });
  // Checks that every statement is still sent, because a part that has stopped working would look idle too.
  for (const key of Object.keys(AT_MOST)) expect([key, counts.get(key) ?? 0]).not.toEqual([key, 0]);
}, 120_000);
