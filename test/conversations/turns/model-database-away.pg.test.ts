import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createContext } from '../../../src/roles/context.ts';
import { runApi } from '../../../src/roles/api/run.ts';
import { startFaultProxy, type FaultProxy } from '../../platform/fault-proxy.ts';
import { createCall, type Call, type Reply } from '../../roles/api/api-setup.ts';
import { until } from '../../until.ts';
import { startModelFixture, type ModelFixture } from './model-fixture.ts';

/** The database goes away in the middle of a turn with a model, and comes back. */

let api: ModelFixture;
let proxy: FaultProxy;
let call: Call;
let stop: () => Promise<void>;
let agent: string;

beforeAll(async () => {
  api = await startModelFixture();
  const parameters = { type: 'object', properties: {} };
  agent = await api.newAgent({ tools: [api.order({ name: 'refund', parameters })] });
  proxy = await startFaultProxy(api.engine.databaseUrl);
  // Its own connections go by way of the proxy; the fixture looks directly.
  const context = createContext({
    role: 'api',
    databaseUrl: proxy.through(api.engine.databaseUrl),
    encryptionKey: Buffer.alloc(32, 1),
    egressAllow: ['127.0.0.0/8'],
    logLevel: 'silent',
    model: { url: api.stub.url, key: 'sk-stub', model: 'stub-1' },
    poolMax: 10,
  });
  const { store } = api.engine;
  const listen = { host: '127.0.0.1', port: 0, fallbackToFreePort: false, serveHealth: true };
  const behind = await runApi({ ...context, ...listen, store, rateLimit: 0 });
  call = createCall(behind.url, api.key);
  stop = async () => {
    await behind.stop();
    await context.close();
  };
});
beforeEach(() => {
  api.shop.received.length = 0;
});
afterAll(async () => {
  proxy?.accept();
  await stop?.();
  await proxy?.stop();
  await api?.stop();
});

const goAway = (): void => {
  proxy.refuse();
  proxy.cut();
};

const send = (id: string): Promise<Reply> =>
  call('POST', `/v1/conversations/${id}/messages`, {
    json: { text: 'Refund me' },
    headers: { 'idempotency-key': `away-${id}` },
  });

/** As if lease and mark had run out: nobody waits half a minute here. */
async function timePasses(): Promise<void> {
  const { pool } = api.engine;
  await pool.query(`update live_turns set leased_until = '-infinity'`);
  await pool.query(`update idempotency_marks set claimed_at = '-infinity' where answer is null`);
}

async function finished(id: string): Promise<Reply> {
  return until('the repeat finishes it', async () => {
    await timePasses();
    const reply = await send(id);
    return reply.status === 200 && reply;
  });
}

const CALL = { toolCalls: [{ name: 'refund', arguments: {} }] };
const DONE = { text: 'Your money is on its way.' };

test('before the reply is stored: the caller is told to repeat, which finishes it', async () => {
  const id = await api.start({ agent_id: agent });
  api.stub.script(CALL, () => {
    goAway();
    return DONE;
  });
  api.stub.answer(DONE);
  const { status, body } = await send(id);
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
  // Nothing of it is half stored.
  const before = (await api.turns(id)).map(({ role }) => role);
  expect([[], ['user', 'tool', 'agent']]).toContainEqual(before);
  proxy.accept();
  const reply = await finished(id);
  expect(reply.body.turns.at(-1).text).toBe(DONE.text);
  expect(api.shop.received).toHaveLength(1);
  const turns = (await api.turns(id)).map(({ role, error }) => error?.code ?? role);
  expect(turns.filter((one) => one !== 'process_lost')).toEqual(['user', 'tool', 'agent']);
  await api.checkWhole(id);
}, 60_000);

test('before a tool is noted: it is not called, until the repeat', async () => {
  const id = await api.start({ agent_id: agent });
  api.stub.script(() => {
    goAway();
    return CALL;
  });
  api.stub.answer(({ body }) => (body.messages?.at(-1)?.role === 'tool' ? DONE : CALL));
  const { status } = await send(id);
  expect(status).toBe(503);
  expect(api.shop.received).toHaveLength(0);
  proxy.accept();
  const reply = await finished(id);
  expect(reply.body.turns.at(-1).text).toBe(DONE.text);
  expect(api.shop.received).toHaveLength(1);
  await api.checkWhole(id);
}, 60_000);
