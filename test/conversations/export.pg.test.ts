import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createParleyClient } from '../../packages/client/src/client.ts';
import { toUuid } from '../../src/ids.ts';
import { startConversationFixture, type ConversationFixture } from './conversation-setup.ts';

/** Conversations with their transcripts, a line each, for whoever keeps or counts them elsewhere. */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

const headers = { accept: 'application/x-ndjson' };

async function lines(query: string) {
  const {
    status,
    text,
    headers: answered,
  } = await fixture.call('GET', `/v1/conversations?${query}`, { headers });
  expect([status, answered.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Turns of so many characters each. */
const addTurns = async (id: string, count: number, chars: number): Promise<void> => {
  const { pool } = fixture.engine;
  await pool.query(
    `insert into turns (conversation_id, index, role, text, started_at_ms, ended_at_ms)
     select $1, n, 'user', n || repeat('x', $3), n, n from generate_series(0, $2 - 1) n`,
    [toUuid('conv', id), count, chars],
  );
  await pool.query('update conversations set turn_count = $2 where id = $1', [
    toUuid('conv', id),
    count,
  ]);
};

test('each is its conversation with its transcript, newest first, and all of them', async () => {
  const ids = [];
  for (let n = 0; n < 3; n += 1) {
    const id = await fixture.start({ metadata: { set: 'small' }, user_id: `u${n}` });
    if (n > 0) await fixture.say(id, 'How long does delivery take?');
    ids.push(id);
  }
  const all = await lines('metadata.set=small');
  expect(all.map(({ id }) => id)).toEqual(ids.toReversed());
  for (const { transcript, ...conversation } of all) {
    const { activation: _, ...read } = await fixture.read(conversation.id);
    expect(conversation).toEqual(read);
    expect(transcript).toEqual({ turns: await fixture.turns(conversation.id) });
  }
  expect(await lines('metadata.set=none')).toEqual([]);
  await fixture.call('DELETE', `/v1/conversations/${ids[1]}`);
  expect((await lines('metadata.set=small')).map(({ id }) => id)).toEqual([ids[2], ids[0]]);
});

test('more than a page, and more turns than are read at once', async () => {
  const { pool } = fixture.engine;
  await pool.query(
    `insert into conversations (id, namespace, agent_id, agent_version, channel, status, metadata,
                                tally, max_duration_sec, silence_timeout_sec, ended_at, summary)
     select parley_uuid_v7(), 'default', $1, 1, 'sms', 'ended', '{"set": "large"}', '{}', 60, 60,
            now(), '' from generate_series(1, 230)`,
    [toUuid('agt', fixture.agentId)],
  );
  const long = await fixture.start({ metadata: { set: 'large' } });
  await addTurns(long, 450, 10);
  const all = await lines('metadata.set=large');
  expect(new Set(all.map(({ id }) => id)).size).toBe(231);
  const { turns } = all.find(({ id }) => id === long)!.transcript;
  expect(turns.map(({ index }: { index: number }) => index)).toEqual([...Array(450).keys()]);
  const { body } = await fixture.call('GET', '/v1/conversations?metadata.set=large&limit=100');
  expect(await lines(`metadata.set=large&cursor=${body.next_cursor}`)).toHaveLength(131);
});

test('by the typed client', async () => {
  const parley = createParleyClient({ baseUrl: fixture.url, apiKey: fixture.key });
  const id = await fixture.start({ metadata: { set: 'client' } });
  const { data = '' } = await parley.GET('/v1/conversations', {
    params: { query: { 'metadata.set': 'client' } },
    headers: { Accept: 'application/x-ndjson' },
    parseAs: 'text',
  });
  expect(JSON.parse(data)).toMatchObject({ id, transcript: { turns: [] } });
});

test('a page is still what is asked for otherwise; lines have no limit', async () => {
  const { body } = await fixture.call('GET', '/v1/conversations', { headers: { accept: '*/*' } });
  expect(body.data).toHaveLength(20);
  const refused = await fixture.call('GET', '/v1/conversations?limit=5', { headers });
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_parameter']);
  const wrong = await fixture.call('GET', '/v1/conversations?status=x', { headers });
  expect(wrong.status).toBe(400);
});

test('what cannot be finished ends with a problem and a failed transfer, never short', async () => {
  const id = await fixture.start({ metadata: { set: 'huge' } });
  await addTurns(id, 3_000, 10_000);
  const response = await new Promise<IncomingMessage>((resolve) => {
    const authorization = `Bearer ${fixture.key}`;
    get(
      `${fixture.url}/v1/conversations?metadata.set=huge`,
      { headers: { ...headers, authorization } },
      resolve,
    );
  });
  let text = '';
  response.setEncoding('utf8');
  // The first part, and then nothing: what is not taken is not read either.
  await new Promise<void>((resolve) => {
    response.once('data', (part: string) => {
      text += part;
      response.pause();
      resolve();
    });
  });
  await fixture.call('DELETE', `/v1/conversations/${id}`);
  const failed = await new Promise<boolean>((resolve) => {
    response.on('data', (part: string) => (text += part));
    response.on('end', () => resolve(false));
    response.on('error', () => resolve(true));
    response.resume();
  });
  expect(failed).toBe(true);
  expect(text.length).toBeLessThan(20_000_000);
  const last = text.split('\n').at(-2)!;
  expect(JSON.parse(last)).toMatchObject({ code: 'write_conflict', status: 409 });
});
