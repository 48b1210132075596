import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COMPILE_CACHE } from '../../compile-cache.ts';
import { freePort } from '../../free-port.ts';
import type { StubReply, StubRequest } from '../../models/stub-model.ts';
import { createCall, type Reply } from '../../roles/api/api-setup.ts';
import { until } from '../../until.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { settled, startModelFixture, type ModelFixture } from './model-fixture.ts';

/**
 * A process is killed at each step of a turn with a model and a tool that has an effect; another one
 * lives. What is told is whole, the same key finishes it, and no money is refunded twice.
 */

const STEPS = [
  'turn.claimed',
  'turn.noting',
  'turn.noted',
  'turn.noting=kill@2',
  'turn.noted=kill@2',
  'turn.streaming',
  'turn.streaming=kill@2',
  'turn.storing',
  'transaction.committed',
  'turn.stored',
  'api.answering',
];
/** These come after the commit. */
const STORED = ['transaction.committed', 'turn.stored', 'api.answering'];

let api: ModelFixture;
let agent: string;
let killed: ChildProcess | undefined;

beforeAll(async () => {
  api = await startModelFixture();
  const parameters = { type: 'object', properties: {} };
  agent = await api.newAgent({ tools: [api.order({ name: 'refund', parameters })] });
});
beforeEach(() => {
  api.shop.received.length = 0;
  api.stub.answer(refund);
});
afterAll(async () => {
  killed?.kill('SIGKILL');
  await api?.stop();
});

/** Refunds once, as far as it can know. */
function refund({ body }: StubRequest): StubReply {
  const last = body.messages?.at(-1);
  if (last?.role === 'tool') return { text: ['Your money ', 'is on its way.'], tokenDelayMs: 20 };
  return { toolCalls: [{ name: 'refund', arguments: {} }] };
}

const send = (call: ModelFixture['call'], id: string, key?: string): Promise<Reply> =>
  call('POST', `/v1/conversations/${id}/messages`, {
    json: { text: 'Refund me' },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

/** Sends the message to a process that dies of it. */
async function killedBy(step: string, id: string, key?: string): Promise<void> {
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'model-api.ts')], {
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      DATABASE_URL: api.engine.databaseUrl,
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      PORT: String(port),
      MODEL_URL: api.stub.url,
      KILL_AT: step.includes('=') ? step : `${step}=kill`,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  killed = child;
  const arm = async (): Promise<void> => {
    const armed = once(child.stdout, 'data');
    child.stdin.write('arm\n');
    await armed;
  };
  await once(child.stdout, 'data');
  // What comes before the model is asked belongs to other requests.
  if (step === 'turn.claimed') await arm();
  else {
    api.stub.script(async (request) => {
      await arm();
      return refund(request);
    });
  }
  const gone = once(child, 'exit');
  await send(createCall(`http://127.0.0.1:${port}`, api.key), id, key).catch(() => undefined);
  expect(await gone).toEqual([null, 'SIGKILL']);
}

/** As if lease and mark had run out: nobody waits half a minute here. */
async function timePasses(): Promise<void> {
  const { pool } = api.engine;
  await pool.query(`update live_turns set leased_until = '-infinity'`);
  await pool.query(`update idempotency_marks set claimed_at = '-infinity' where answer is null`);
}

async function told(id: string): Promise<string[]> {
  const turns = await api.turns(id);
  expect(turns.map(({ index }) => index)).toEqual(turns.map((_, i) => i));
  expect(await api.read(id)).toMatchObject({ turn_count: turns.length, status: 'active' });
  return turns.map(({ role, error }) => (error ? `${role} ${error.code}` : role));
}

/** Until it is answered: the server of the killed process may not have noticed its end yet. */
async function insist(id: string, key: string): Promise<Reply> {
  return until('an answer', async () => {
    const reply = await send(api.call, id, key);
    if (reply.body.code !== 'idempotency_in_progress') return reply;
    await timePasses();
    return undefined;
  });
}

describe.each(IS_NIGHTLY ? STEPS : ['turn.noted'])('killed at %s', (step) => {
  test('the same key finishes it, and nothing is done twice', async () => {
    const id = await api.start({ agent_id: agent });
    const key = `kill-${id}`;
    await killedBy(step, id, key);
    await timePasses();
    const reply = await insist(id, key);
    expect(reply).toMatchObject({ status: 200, body: { conversation: { status: 'active' } } });
    const turns = await told(id);
    expect(turns.filter((turn) => turn === 'user')).toHaveLength(1);
    expect(turns.filter((turn) => turn === 'tool')).toHaveLength(1);
    expect(turns.at(-1)).toBe('agent');
    expect(reply.body.turns.at(-1).text).toBe('Your money is on its way.');
    // What was noted and not done is not known to be undone.
    expect(api.shop.received).toHaveLength(step === 'turn.noted' ? 0 : 1);
    expect((await send(api.call, id, key)).body).toEqual(reply.body);
    await api.checkWhole(id);
  });
});

const WITHOUT_KEY = ['turn.claimed', 'turn.noted=kill@2', 'turn.streaming=kill@2', 'turn.stored'];

describe.runIf(IS_NIGHTLY)('without a key', () => {
  test.each(WITHOUT_KEY)(
    'killed at %s it is told as failed, whole, and the next message goes on',
    async (step) => {
      const id = await api.start({ agent_id: agent });
      await killedBy(step, id);
      await timePasses();
      await settled(api, id);
      const turns = await told(id);
      const tools = step === 'turn.claimed' ? [] : ['tool'];
      const reply = STORED.includes(step) ? 'agent' : 'agent process_lost';
      expect(turns).toEqual(['user', ...tools, reply]);
      api.stub.answer({ text: 'I am here.' });
      expect((await api.say(id, 'And now?')).body.turns.at(-1).text).toBe('I am here.');
      await api.checkWhole(id);
    },
  );
});
