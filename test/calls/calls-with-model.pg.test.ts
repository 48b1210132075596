import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runApi } from '../../src/roles/api/run.ts';
import { toUuid } from '../../src/ids.ts';
import { startModelFixture, type ModelFixture } from '../conversations/turns/model-fixture.ts';
import { until } from '../until.ts';

/** Simulated calls whose agent uses a model and tools, and hangs up. */

let api: ModelFixture;
let agent: string;
beforeAll(async () => {
  api = await startModelFixture();
  const parameters = { type: 'object', properties: {} };
  agent = await api.newAgent({
    first_message: 'Hello.',
    tools: [api.order({ name: 'refund', parameters }), { type: 'end_call', name: 'bye' }],
  });
});
beforeEach(() => {
  api.stub.requests.length = 0;
  api.shop.received.length = 0;
});
afterAll(() => api?.stop());

const REFUND = { toolCalls: [{ name: 'refund', arguments: {} }] };
const BYE = { text: 'Goodbye.', toolCalls: [{ name: 'bye', arguments: {} }] };

async function place(...texts: string[]): Promise<string> {
  const turns = texts.map((text) => ({ text }));
  const json = { agent_id: agent, to: '+442071838750', simulated: { turns } };
  const { status, body } = await api.call('POST', '/v1/calls', { json });
  expect(status).toBe(201);
  return String(body.id);
}

const ended = (id: string) =>
  until('the call ends', async () => {
    const { body } = await api.call('GET', `/v1/calls/${id}`);
    return body.ended_reason !== null && body;
  });

const rolesIn = async (id: string): Promise<string[]> =>
  (await api.turns(id)).map(({ role }) => role);

test('the agent refunds, says goodbye and hangs up; what the user would have said is not said', async () => {
  api.stub.script(REFUND, { text: 'Your money is on its way.' }, BYE);
  const call = await ended(await place('Refund me', 'Thank you, bye.', 'One more thing.'));
  expect(call).toMatchObject({ status: 'completed', ended_reason: 'agent_hangup' });
  const id = String(call.conversation_id);
  expect(await rolesIn(id)).toEqual(['agent', 'user', 'tool', 'agent', 'user', 'tool', 'agent']);
  expect(await api.read(id)).toMatchObject({ status: 'ended', ended_reason: 'agent_hangup' });
  const types = await api.eventTypes(id);
  expect(types.filter((type) => type === 'conversation.ended')).toHaveLength(1);
  await api.checkWhole(id);
});

test('a provider that fails is a turn that says so, and the call goes on', async () => {
  api.stub.script({ status: 401 }, BYE);
  const call = await ended(await place('Refund me', 'Bye.'));
  expect(call).toMatchObject({ status: 'completed', ended_reason: 'agent_hangup' });
  const turns = await api.turns(String(call.conversation_id));
  expect(turns[2]).toMatchObject({ role: 'agent', error: { code: 'model_unauthorized' } });
  await api.checkWhole(String(call.conversation_id));
});

test('what a process that is gone has begun another one finishes, without a second refund', async () => {
  const second = await runApi({
    ...api.engine,
    modelSettings: { url: api.stub.url, key: 'sk-stub', model: 'stub-1' },
    host: '127.0.0.1',
    port: 0,
    fallbackToFreePort: false,
    serveHealth: true,
    rateLimit: 0,
  });
  try {
    api.stub.script(REFUND, { hang: 'before_headers' });
    api.stub.answer(BYE);
    const placed = await place('Refund me');
    await until('it thinks after the refund', () => api.stub.requests.length >= 2);
    // Simulates a process that was killed here: its leases are lost, and it stores nothing more.
    const { pool } = api.engine;
    await pool.query(`update live_turns set leased_until = '-infinity', token = gen_random_uuid()`);
    await pool.query(`update calls set lease_until = now() - interval '1 minute' where id = $1`, [
      toUuid('call', placed),
    ]);
    const call = await ended(placed);
    expect(call).toMatchObject({ status: 'completed', ended_reason: 'agent_hangup' });
    const refunds = api.shop.received.map(({ headers }) => ({
      of: headers['parley-conversation-id'],
      call: headers['parley-tool-call-id'],
    }));
    expect(refunds).toEqual([{ of: call.conversation_id, call: expect.any(String) }]);
    const turns = await api.turns(String(call.conversation_id));
    expect(turns.filter(({ role }) => role === 'user')).toHaveLength(1);
    expect(turns.at(-1)).toMatchObject({ role: 'agent', text: 'Goodbye.' });
    await api.checkWhole(String(call.conversation_id));
  } finally {
    await second.stop();
  }
}, 60_000);
