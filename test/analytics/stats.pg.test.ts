import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromUuid, newUuid } from '../../src/ids.ts';
import type { Reply } from '../roles/api/api-setup.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';

/** `GET /v1/stats`: all agents of a namespace, by version, by one statement (contract/agents.md#statistics). */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

const stats = (query = '', key = fixture.key): Promise<Reply> =>
  fixture.call('GET', `/v1/stats${query}`, { key });

/** What the figures of one version say beside those of all. */
const LATENCY = { turn_latency_count: 0, turn_latency_p50_ms: 0, turn_latency_p95_ms: 0 };

test('each version has the figures it has by itself, the total those of all, and erased ones count', async () => {
  const { agentId, newAgent, start, say, end, call } = fixture;
  const other = await newAgent();
  const one = await start();
  await say(one, 'How long does delivery take?');
  await say(one, 'How much does a unicorn cost in Patagonia?');
  await end(one, { outcome: 'resolved' });
  await call('POST', `/v1/conversations/${one}/feedback`, { json: { csat: 5 } });
  await call('POST', `/v1/conversations/${await start()}/escalate`, { json: {} });
  await end(await start({ agent_id: other }), { outcome: 'failed' });
  // Of a playground: it is counted nowhere.
  await start({ test: true });
  await call('PATCH', `/v1/agents/${agentId}`, { json: { prompt: 'Help more.' } });
  await start();
  const { body, status } = await stats();
  expect(status).toBe(200);
  const by = ({ agent_id, version }: { agent_id: string; version: number }) => [agent_id, version];
  expect(body.agents[0]).toMatchObject({ agent_id: agentId, version: 1, conversations: 2 });
  expect(new Set(body.agents.map((row: Reply['body']) => String(by(row))))).toEqual(
    new Set([`${agentId},1`, `${agentId},2`, `${other},1`]),
  );
  for (const { agent_id, version, ...figures } of body.agents) {
    const path = `/v1/agents/${agent_id}/stats?version=${version}&from=${body.from}&to=${body.to}`;
    const { from: _, to: __, ...alone } = (await call('GET', path)).body;
    for (const name of Object.keys(LATENCY)) delete alone[name];
    expect({ agent_id, version, ...figures }).toEqual(alone);
  }
  expect(body.total).toMatchObject({
    conversations: 4,
    active: 2,
    ended: 2,
    resolved: 1,
    failed: 1,
    csat_average: 5,
    escalated_conversations: 1,
    escalation_rate: 0.25,
    questions: 2,
    gaps: 1,
  });
  expect(body.has_more).toBe(false);
  await call('DELETE', `/v1/conversations/${one}`);
  expect((await stats()).body.total).toMatchObject({ conversations: 4, resolved: 1, gaps: 1 });
});

test('nothing is zeros, and nothing of other namespaces; a span is refused as an agent’s is', async () => {
  await fixture.start();
  const { body } = await stats('', await fixture.newKey('other'));
  expect(body).toMatchObject({
    total: { conversations: 0, resolution_rate: null, csat_average: null },
    agents: [],
    has_more: false,
  });
  expect(body.to - body.from).toBe(86_400);
  const now = Math.floor(Date.now() / 1_000);
  for (const query of [`?from=${now}&to=${now}`, `?from=${now - 32 * 86_400}`, '?from=x']) {
    expect((await stats(query)).body.code).toBe('invalid_parameter');
  }
  expect((await stats('', await fixture.newKey('default', ['write']))).status).toBe(403);
});

test('of 1,200 versions the 1,000 with the most conversations are shown, and all are counted', async () => {
  const key = await fixture.newKey('many');
  const agent = newUuid();
  await fixture.engine.pool.query(
    `insert into conversations (id, namespace, agent_id, agent_version, channel, status,
                                max_duration_sec, silence_timeout_sec)
     select parley_uuid_v7(), 'many', $1, v, 'chat', 'active', 100, 100
       from generate_series(1, 1200) v, generate_series(1, 1 + (v > 1100)::int)`,
    [agent],
  );
  const { body } = await stats('', key);
  expect(body.total.conversations).toBe(1_300);
  expect(body.agents).toHaveLength(1_000);
  expect(body.has_more).toBe(true);
  expect(body.agents[0]).toMatchObject({ agent_id: fromUuid('agt', agent), version: 1_101 });
  expect(body.agents[99]).toMatchObject({ version: 1_200, conversations: 2 });
  expect(body.agents[100]).toMatchObject({ version: 1, conversations: 1 });
});
