import { afterAll, beforeAll, expect, test } from 'vitest';
import { pino } from 'pino';
import { toUuid } from '../../src/ids.ts';
import { removeOld, type Removed } from '../../src/erasure/retention.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';

/**
 * Conversations and audit lines are removed when their days are over, and nothing else is
 * (contract/running.md#settings).
 */

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

const WORD = 'xylophonist';

/** With everything that hangs on one; `endedDaysAgo` undefined: it goes on. */
async function conversation(endedDaysAgo?: number): Promise<string> {
  const id = await fixture.start({ user_id: WORD });
  await fixture.say(id, `Is a ${WORD} welcome?`);
  await fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
  if (endedDaysAgo === undefined) return id;
  await fixture.end(id);
  await fixture.engine.pool.query(
    `update conversations set ended_at = now() - make_interval(days => $2, secs => 60) where id = $1`,
    [toUuid('conv', id), endedDaysAgo],
  );
  return id;
}

async function remove(
  retention: { conversations?: number; audit?: number },
  log = pino({ level: 'silent' }),
): Promise<Removed> {
  const { pool } = fixture.engine;
  const set = { events: 30, conversations: 0, audit: 0, ...retention };
  return removeOld({ pool, log, retention: set }, new AbortController().signal);
}

async function rowsOf(table: string, id: string): Promise<number> {
  const { rows } = await fixture.engine.pool.query<{ count: number }>(
    `select count(*)::int as count from ${table} where conversation_id = $1`,
    [toUuid('conv', id)],
  );
  return rows[0]!.count;
}

test('what ended long ago is removed whole; what ended since, and what goes on, is not touched', async () => {
  const [old, young, live] = [await conversation(7), await conversation(6), await conversation()];
  // However long ago it began.
  await fixture.engine.pool.query(
    `update conversations set started_at = now() - interval '90 days' where id = $1`,
    [toUuid('conv', live)],
  );
  expect(await remove({})).toMatchObject({ conversations: 0 });
  expect(await remove({ conversations: 7 })).toMatchObject({ conversations: 1 });
  expect((await fixture.call('GET', `/v1/conversations/${old}`)).status).toBe(404);
  for (const table of ['turns', 'escalations', 'calls']) expect(await rowsOf(table, old)).toBe(0);
  for (const id of [young, live]) {
    expect((await fixture.call('GET', `/v1/conversations/${id}`)).status).toBe(200);
    expect(await rowsOf('turns', id)).toBeGreaterThan(0);
  }
  expect(await remove({ conversations: 7 })).toMatchObject({ conversations: 0 });
});

test('however many there are, and whoever else removes them at the same time: each once, told once a run', async () => {
  const { pool } = fixture.engine;
  await pool.query(
    `insert into conversations (id, namespace, agent_id, agent_version, channel, status, ended_at,
                                max_duration_sec, silence_timeout_sec)
     select gen_random_uuid(), 'many', gen_random_uuid(), 1, 'chat', 'ended',
            now() - interval '30 days', 1, 1 from generate_series(1, 130)`,
  );
  const told: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void told.push(line) });
  const runs = await Promise.all([1, 2, 3].map(() => remove({ conversations: 14 }, log)));
  await remove({ conversations: 14 }, log); // One that met another leaves the rest to it.
  const { rows } = await pool.query(`select 1 from conversations where namespace = 'many'`);
  expect(rows).toEqual([]);
  const counts = runs.map(({ conversations }) => conversations);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(130);
  expect(told.length).toBeLessThanOrEqual(4);
});

test('calls that nobody answered go too', async () => {
  const { body } = await fixture.call('POST', '/v1/calls', {
    json: { agent_id: fixture.agentId, to: '+442071838750' },
  });
  await fixture.engine.pool.query(
    `update calls set status = 'no_answer', conversation_id = null, due_at = null,
            ended_at = now() - interval '9 days' where id = $1`,
    [toUuid('call', body.id)],
  );
  await remove({ conversations: 8 });
  expect((await fixture.call('GET', `/v1/calls/${body.id}`)).status).toBe(404);
});

test('lines of the audit log go by their own days', async () => {
  const { pool } = fixture.engine;
  const lines = async (): Promise<number> =>
    (await pool.query(`select 1 from audit_log where namespace = 'aged'`)).rows.length;
  await pool.query(
    `insert into audit_log (id, namespace, actor, action, target, at)
     select gen_random_uuid(), 'aged', 'cli', 'api_key.created', 'x',
            now() - make_interval(days => day, secs => 60)
       from generate_series(8, 11) as day`,
  );
  await remove({ conversations: 1 });
  expect(await lines()).toBe(4);
  await remove({ audit: 10 });
  expect(await lines()).toBe(2);
});
