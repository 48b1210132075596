import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { freePort } from '../../free-port.ts';
import { startStubModel, type StubModel, type StubRequest } from '../../models/stub-model.ts';
import { createCall } from '../../roles/api/api-setup.ts';
import { startRole, type Parley } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/**
 * A process dies while a model judges: the transcript is told of by rule, once, when the minute is over. One
 * that stops in an orderly way tells before it goes.
 */

let fixture: ConversationFixture;
let stub: StubModel;
let agent_id: string;
/** The process that ends conversations and judges them; `fixture` is another one. */
let api: Parley | undefined;

const isJudging = ({ body }: StubRequest): boolean =>
  String(body.messages?.[0]?.content).startsWith('You judge a conversation');
const asked = (): number => stub.requests.filter(isJudging).length;

beforeAll(async () => {
  stub = await startStubModel();
  stub.answer((request) => (isJudging(request) ? { hang: 'before_headers' } : { text: 'Yes.' }));
  const modelSettings = { url: stub.url, key: undefined, model: 'stub-1' };
  fixture = await startConversationFixture({ modelSettings });
  agent_id = await fixture.newAgent({ knowledge: undefined, judgement: { by: 'model' } });
});
afterEach(async () => {
  await api?.kill();
  api = undefined;
  stub.requests.length = 0;
});
afterAll(async () => {
  await fixture?.stop();
  await stub?.stop();
});

/** One that has ended, and is being judged by `api`. */
async function judging(): Promise<string> {
  const port = String(await freePort());
  const env = {
    PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    PARLEY_MODEL_URL: stub.url,
    PARLEY_MODEL: 'stub-1',
    PARLEY_PORT: port,
  };
  api = await startRole('api', { databaseUrl: fixture.engine.databaseUrl, env });
  const id = await fixture.start({ agent_id });
  await fixture.say(id, 'Is it?');
  const call = createCall(`http://127.0.0.1:${port}`, fixture.key);
  expect((await call('POST', `/v1/conversations/${id}/end`, { json: {} })).status).toBe(200);
  await until('the model is asked', () => asked() === 1);
  return id;
}

async function stored(id: string): Promise<{ summary: string | null; code: string; told: number }> {
  const { rows } = await fixture.engine.pool.query(
    `select c.summary, c.judgement #>> '{error,code}' as code,
            (select count(*)::int from events e where e.conversation_id = c.id
                and e.type = 'conversation.transcript.ready') as told
       from conversations c where c.id = $1`,
    [toUuid('conv', id)],
  );
  return rows[0];
}

test('a killed process: nothing is told before its minute is over, and then by rule, once', async () => {
  const id = await judging();
  await api!.kill();
  // Ended by rule meanwhile, in the same runs of the reaper that leave the other alone.
  const other = await fixture.start({ agent_id });
  await fixture.end(other);
  await until('the other is told of', async () => (await stored(other)).told === 1);
  expect(await stored(id)).toEqual({ summary: null, code: null, told: 0 });

  await fixture.engine.pool.query(
    'update conversations set judge_until = clock_timestamp() where id = $1',
    [toUuid('conv', id)],
  );
  await until('it is told of', async () => (await stored(id)).told === 1);
  expect(await stored(id)).toMatchObject({ code: 'not_judged', told: 1 });
  expect((await stored(id)).summary).toContain('The user asked');
  expect(asked()).toBe(1);
});

// judge-queue.pg.test.ts stops a judge of its own process.
test.runIf(IS_NIGHTLY)('a process that is told to stop tells by rule before it goes', async () => {
  const id = await judging();
  await api!.stop();
  expect(await stored(id)).toMatchObject({ code: 'not_judged', told: 1 });
});
