import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { removeOld } from '../../src/erasure/retention.ts';
import { toUuid } from '../../src/ids.ts';
import {
  startOpenAiFixture,
  type OpenAiFixture,
} from '../conversations/completions/openai-setup.ts';
import { startStubModel, type StubModel } from '../models/stub-model.ts';
import { until } from '../until.ts';
import { startReceiver, type Receiver } from '../webhooks/receiver.ts';
import { tablesThatHold } from './tables-that-hold.ts';

/** Data of models, tools and clients of OpenAI's protocol is erased too (contract/conversations.md#erasure). */

/** Said by the user, the model, a call, a tool's result and the provider's error. */
const WORD = 'xylophonist';
const ORDER = { type: 'object', properties: { order: { type: 'string' } } };

let stub: StubModel;
let shop: Receiver;
let fixture: OpenAiFixture;
let agentId: string;

beforeAll(async () => {
  stub = await startStubModel();
  shop = await startReceiver();
  fixture = await startOpenAiFixture({
    modelSettings: { url: stub.url, key: 'sk-stub', model: 'stub-1' },
  });
  const tools = [{ type: 'webhook', name: 'order', url: shop.url, parameters: ORDER }];
  agentId = await fixture.newAgent({ tools });
});
beforeEach(() => {
  stub.answer({});
  shop.answer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(`for a ${WORD}`);
  });
});
afterAll(async () => {
  await fixture?.stop();
  await shop?.close();
  await stub?.stop();
});

const call = { name: 'order', arguments: { order: `of a ${WORD}` } };
const tables = (): Promise<string[]> => tablesThatHold(fixture, WORD);

/** A turn with a tool, and one that failed. */
async function talked(): Promise<string> {
  const id = await fixture.start({ agent_id: agentId });
  stub.script({ toolCalls: [call] }, { text: `It is for a ${WORD}.` });
  await fixture.call('POST', `/v1/conversations/${id}/messages`, {
    json: { text: `Where is the order of the ${WORD}?` },
    headers: { 'idempotency-key': `order ${id}` },
  });
  stub.script({ status: 400, body: JSON.stringify({ error: { message: WORD } }) });
  const { body } = await fixture.say(id, `And a ${WORD}?`);
  expect(body.turns.at(-1)).toMatchObject({ error: { code: 'model_refused' } });
  return id;
}

test('of calls, results, a failed turn and kept answers nothing is left', async () => {
  const id = await talked();
  const { rows } = await fixture.engine.pool.query<{ words: string }>(
    'select concat(tool_call, tool_result) as words from turns where conversation_id = $1',
    [toUuid('conv', id)],
  );
  expect(rows.filter(({ words }) => words.includes(WORD))).toHaveLength(1);
  expect((await fixture.call('DELETE', `/v1/conversations/${id}`)).status).toBe(204);
  expect(await tables()).toEqual([]);
});

test('one whose reply is being made: the turn under way goes, with the calls that were noted', async () => {
  const id = await fixture.start({ agent_id: agentId });
  stub.script({ toolCalls: [call] }, { text: `A ${WORD} comes`, hang: 'after_last' });
  const said = fixture.say(id, `Where is the ${WORD}?`);
  const noted = async (): Promise<boolean> => {
    const { rows } = await fixture.engine.pool.query<{ tools: string }>(
      'select tools::text as tools from live_turns where conversation_id = $1',
      [toUuid('conv', id)],
    );
    return rows[0]?.tools.includes(`for a ${WORD}`) ?? false;
  };
  await until('the call and its result are noted', noted);
  expect(await tables()).toContain('live_turns');
  expect((await fixture.call('DELETE', `/v1/conversations/${id}`)).status).toBe(204);
  expect(await tables()).toEqual([]);
  expect(await said).toMatchObject({ status: 404 });
  expect(await tables()).toEqual([]);
});

test('a talk of an OpenAI client: no hash of what was said stays, and no way back to it', async () => {
  const chat = fixture.chat();
  stub.answer({ text: `Welcome, ${WORD}.` });
  const { conversation } = await chat.say(`I am a ${WORD}.`);
  await fixture.call('DELETE', `/v1/conversations/${conversation}`);
  expect(await tables()).toEqual([]);
  const { rows } = await fixture.engine.pool.query(
    'select 1 from openai_talks where conversation_id = $1',
    [toUuid('conv', conversation)],
  );
  expect(rows).toEqual([]);
  const again = await chat.say('And now?');
  expect(again.conversation).not.toBe(conversation);
  await fixture.call('DELETE', `/v1/conversations/${again.conversation}`);
});

test('retention removes them as well', async () => {
  const id = await talked();
  await fixture.end(id);
  await fixture.engine.pool.query(
    `update conversations set ended_at = now() - interval '8 days' where id = $1`,
    [toUuid('conv', id)],
  );
  const log = pino({ level: 'silent' });
  const retention = { events: 30, conversations: 7, audit: 0 };
  const { pool } = fixture.engine;
  await removeOld({ pool, log, retention }, new AbortController().signal);
  // Events have their own days, gaps are the agent's.
  const left = (await tables()).filter((name) => !['events', 'knowledge_gaps'].includes(name));
  expect(left).toEqual([]);
});
