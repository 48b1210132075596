import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { listDeletedAgents } from '../../../src/conversations/ending/due.sql.ts';
import { until } from '../../until.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/** The conversations of an agent that is deleted end with it. */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

const ended = (id: string) =>
  fixture.engine.eventually(async () => {
    const body = await fixture.read(id);
    return body.summary !== null && body;
  });
const remove = async (agent: string): Promise<void> => {
  expect((await fixture.call('DELETE', `/v1/agents/${agent}`)).status).toBe(204);
};

test('they end, with their escalations and the events of every end', async () => {
  const agent_id = await fixture.newAgent();
  const id = await fixture.start({ agent_id });
  const { body } = await fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
  const other = await fixture.start();
  await remove(agent_id);
  expect(await ended(id)).toMatchObject({
    status: 'ended',
    ended_reason: 'agent_deleted',
    summary: expect.stringContaining('its agent was deleted'),
  });
  const escalation = await fixture.call('GET', `/v1/escalations/${body.id}`);
  expect(escalation.body.status).toBe('canceled');
  expect(await fixture.eventTypes(id)).toEqual([
    'conversation.started',
    'escalation.requested',
    'conversation.ended',
    'conversation.transcript.ready',
  ]);
  expect((await fixture.read(other)).status).toBe('active');
});

test('with the history of the agent gone too', async () => {
  const name = 'short-lived';
  await fixture.engine.store.apply(
    {
      kind: 'Agent',
      namespace: 'default',
      name,
      spec: { prompt: 'Help.', deletionPolicy: 'Delete' },
    },
    { fieldManager: 'kubectl' },
  );
  await fixture.engine.settled('Agent', name);
  const { body } = await fixture.call('GET', `/v1/agents?name=${name}`);
  const id = await fixture.start({ agent_id: body.data[0].id });
  await fixture.engine.store.delete('Agent', { namespace: 'default', name });
  expect(await ended(id)).toMatchObject({ ended_reason: 'agent_deleted' });
});

test('a message meanwhile is refused and says why', async () => {
  const agent_id = await fixture.newAgent();
  const id = await fixture.start({ agent_id });
  const { pool } = fixture.engine;
  // As if the reaper had not come yet.
  await pool.query('alter table agents disable trigger keep_deleted_agent');
  await remove(agent_id);
  await pool.query('alter table agents enable trigger keep_deleted_agent');
  const { status, body } = await fixture.say(id, 'Hello?');
  expect([status, body.code]).toEqual([409, 'conversation_ended']);
  expect(body.detail).toContain('its agent was deleted');
  expect(await ended(id)).toMatchObject({ ended_reason: 'agent_deleted', turn_count: 0 });
});

test('however many there are, and one that starts while the agent goes', async () => {
  const agent_id = await fixture.newAgent();
  const { pool } = fixture.engine;
  const add = (count: number) =>
    pool.query(
      `insert into conversations (id, namespace, agent_id, agent_version, channel, status, tally,
                                  max_duration_sec, silence_timeout_sec, expires_at)
       select parley_uuid_v7(), c.namespace, c.agent_id, 1, 'chat', 'active', c.tally, 600, 600,
              now() + interval '1 h'
         from conversations c cross join generate_series(1, $2) where c.id = $1`,
      [toUuid('conv', id), count],
    );
  const id = await fixture.start({ agent_id });
  await add(IS_NIGHTLY ? 101 : 3); // At night more than are ended in one go.
  await remove(agent_id);
  const live = async (): Promise<boolean> => {
    const { rows } = await pool.query(
      `select from conversations where agent_id = $1 and ended_at is null`,
      [toUuid('agt', agent_id)],
    );
    return rows.length === 0;
  };
  await until('all have ended', live, { timeoutMs: 60_000 });
  await add(1);
  const due = `update deleted_agents set deleted_at = deleted_at - interval '61 s',
                      look_at = clock_timestamp() where agent_id = $1`;
  await pool.query(due, [toUuid('agt', agent_id)]);
  await fixture.engine.eventually(live);
  await fixture.engine.eventually(async () => {
    const { rows } = await pool.query('select from deleted_agents where agent_id = $1', [
      toUuid('agt', agent_id),
    ]);
    return rows.length === 0;
  });
  expect(await listDeletedAgents(pool, 10)).toEqual([]);
});
