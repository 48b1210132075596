import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromUuid, newUuid, toUuid } from '../../src/ids.ts';
import { runApi, type RunningApi } from '../../src/roles/api/run.ts';
import {
  CHANNELS,
  createNotifier,
  type Notifier,
} from '../../src/platform/postgres/notifications.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';
import { holdTime } from '../clock.ts';
import { until } from '../until.ts';
import { followStream } from './follow-stream.ts';

/** `GET /v1/events/stream?changes=true`: reported by one process, read at another (contract/events.md#changes). */

let fixture: ConversationFixture;
let other: RunningApi;
let notifier: Notifier;

beforeAll(async () => {
  fixture = await startConversationFixture();
  other = await runApi({
    ...fixture.engine,
    host: '127.0.0.1',
    port: 0,
    fallbackToFreePort: false,
    serveHealth: false,
    rateLimit: 0,
  });
  notifier = createNotifier(fixture.engine);
});
afterAll(async () => {
  await notifier?.stop();
  await other?.stop();
  await fixture?.stop();
});

type Stream = Awaited<ReturnType<typeof followStream>>;

const follow = (key = fixture.key, query = '?changes=true'): Promise<Stream> =>
  followStream(other.url, { key, query });

const changesIn = ({ got }: Stream): { resource: string; id: string | null }[] =>
  got.filter(({ event }) => event === 'change').map(({ data }) => JSON.parse(data));

/** Resolves once it was told; changes before that are forgotten. */
async function told(stream: Stream, change: { resource: string; id: string | null }) {
  await stream.until(() =>
    changesIn(stream).some(({ resource, id }) => resource === change.resource && id === change.id),
  );
  expect(stream.got.filter(({ event, id }) => event === 'change' && id !== '')).toEqual([]);
  stream.got.length = 0;
}

test('what another process does to anything is told by its id, without an id of the stream', async () => {
  const { call } = fixture;
  const stream = await follow();
  const write = async (method: string, path: string, json?: object) =>
    (await call(method, path, json && { json })).body;
  const made = {
    agents: { path: '/v1/agents', create: { prompt: 'Hi.' }, patch: { prompt: 'Hello.' } },
    webhooks: {
      path: '/v1/webhooks',
      create: { url: 'https://receiver.example/hook' },
      patch: { headers: { 'x-team': 'a' } },
    },
    knowledge_sources: {
      path: '/v1/knowledge/sources',
      create: { type: 'text', text: '# A\n\nB' },
      patch: { text: '# A\n\nC' },
    },
    model_providers: {
      path: '/v1/model_providers',
      create: { name: 'own', base_url: 'http://127.0.0.1:9/v1' },
      patch: { metadata: { a: 'b' } },
    },
    telephony_providers: {
      path: '/v1/telephony_providers',
      create: {
        type: 'twilio',
        account_id: 'AC1',
        auth_token_secret_ref: { name: 'carrier', key: 'token' },
      },
      patch: { metadata: { a: 'b' } },
    },
  };
  for (const [resource, { path, create, patch }] of Object.entries(made)) {
    const { id } = await write('POST', path, create);
    await told(stream, { resource, id });
    await write('PATCH', `${path}/${id}`, patch);
    await told(stream, { resource, id });
    if (resource === 'webhooks') {
      await write('POST', `${path}/${id}/rotate_secret`, {});
      await told(stream, { resource, id });
    }
    await write('DELETE', `${path}/${id}`);
    await told(stream, { resource, id });
  }
  stream.close();
});

test('an agent that is deleted with its row is told all the same', async () => {
  const { engine, call } = fixture;
  const spec = { prompt: 'Hi.', deletionPolicy: 'Delete' };
  await engine.declareAgent('gone', spec);
  await engine.settled('Agent', 'gone');
  const { body } = await call('GET', '/v1/agents?name=gone');
  const stream = await follow();
  await engine.store.delete('Agent', { namespace: 'default', name: 'gone' });
  await told(stream, { resource: 'agents', id: body.data[0].id });
  const { rows } = await engine.pool.query('select from agents where id = $1', [
    toUuid('agt', body.data[0].id),
  ]);
  expect(rows).toHaveLength(0);
  stream.close();
});

test('all that happens to a conversation is told: support sees it elsewhere', async () => {
  const { call, start, say, end } = fixture;
  const stream = await follow();
  const act = async (id: string, what: () => Promise<unknown>): Promise<void> => {
    await what();
    await told(stream, { resource: 'conversations', id });
  };
  const id = await start();
  await told(stream, { resource: 'conversations', id });
  const escalate = async (): Promise<string> => {
    await act(id, () => call('POST', `/v1/conversations/${id}/escalate`, { json: {} }));
    const { body } = await call('GET', `/v1/escalations?conversation_id=${id}&limit=1`);
    return `/v1/escalations/${body.data[0].id}`;
  };
  const post = (path: string, json: object) => () => call('POST', path, { json });
  await act(id, () => say(id, 'How long does delivery take?'));
  await act(id, post(`${await escalate()}/decline`, {}));
  const escalation = await escalate();
  await act(id, post(`${escalation}/accept`, { accepted_by: { id: 'p-1', name: 'Ada' } }));
  await act(id, post(`${escalation}/messages`, { text: 'I am here.' }));
  await act(id, post(`${escalation}/complete`, {}));
  await act(id, () => call('PATCH', `/v1/conversations/${id}`, { json: { user_id: 'u-1' } }));
  await act(id, post(`/v1/conversations/${id}/feedback`, { csat: 4 }));
  await act(id, () => end(id));
  await act(id, () => call('DELETE', `/v1/conversations/${id}`));
  stream.close();
});

test('an escalation that nobody accepts in time is told', async () => {
  const { start, call, engine } = fixture;
  const id = await start();
  const stream = await follow();
  await call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
  await told(stream, { resource: 'conversations', id });
  await engine.pool.query(
    'update escalations set times_out_at = clock_timestamp() where conversation_id = $1',
    [toUuid('conv', id)],
  );
  await told(stream, { resource: 'conversations', id });
  expect(await fixture.read(id)).toMatchObject({ status: 'active' });
  stream.close();
});

test('only a reader’s own namespace is told of, and only who asks for it', async () => {
  const foreign = await follow(await fixture.newKey('elsewhere'));
  const plain = await follow(fixture.key, '');
  const mine = await follow();
  const id = await fixture.start();
  await told(mine, { resource: 'conversations', id });
  await fixture.call('POST', '/v1/agents', { json: { prompt: 'Hi.' } });
  await mine.until(() => changesIn(mine).some(({ resource }) => resource === 'agents'));
  // What it would have been told of stood before this.
  notifier.notify(CHANNELS.projected, [`agents/elsewhere/${newUuid()}`]);
  await foreign.until((got) => got.length > 0);
  expect(foreign.got).toHaveLength(1);
  await plain.until((got) => got.length > 0);
  expect(changesIn(plain)).toEqual([]);
  for (const stream of [foreign, plain, mine]) stream.close();
});

test('a burst of 1,000 changes is told in few batches, each thing once in a batch', async () => {
  const { engine } = fixture;
  const last = newUuid();
  const stream = await follow();
  const time = holdTime();
  const ids = Array.from({ length: 1_000 }, () => newUuid());
  const tell = (items: readonly string[]) =>
    engine.pool.query('select pg_notify($1, $2)', [CHANNELS.projected, items.join(',')]);
  for (let at = 0; at < ids.length; at += 50) {
    const items = ids.slice(at, at + 50).map((id) => `agents/default/${id}`);
    await tell(items);
    await tell(items);
  }
  await tell([`agents/default/${last}`]);
  // The first batch comes as it is told, each other one when time passes.
  let batches = 1;
  await until('the last change', async () => {
    if (changesIn(stream).some(({ id }) => id === fromUuid('agt', last))) return true;
    await time.advance(100);
    batches += 1;
    return false;
  });
  const seen = changesIn(stream).map(({ id }) => id);
  expect(new Set(seen)).toEqual(new Set([...ids, last].map((id) => fromUuid('agt', id))));
  // Each was told twice. A batch has it once, so it comes again only if a batch ended between the two.
  expect(seen.length).toBeLessThanOrEqual(1_001 + batches * 50);
  stream.close();
});

test('more than a notification holds, and a connection that was cut, say: read everything again', async () => {
  const { engine, start } = fixture;
  const stream = await follow();
  notifier.notify(
    CHANNELS.projected,
    Array.from({ length: 1_000 }, () => `agents/elsewhere/${newUuid()}`),
  );
  await told(stream, { resource: 'all', id: null });
  const cut = await engine.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen %'`,
  );
  expect(cut.rowCount).toBeGreaterThan(1);
  await told(stream, { resource: 'all', id: null });
  const id = await start();
  await told(stream, { resource: 'conversations', id });
  stream.close();
});

test('a reader that does not read holds up nobody, and is told once of what changed a hundred times', async () => {
  const { start, say } = fixture;
  const [slow, quick] = [await follow(), await follow()];
  slow.pause();
  const id = await start();
  await told(quick, { resource: 'conversations', id });
  await say(id, 'Hello');
  await told(quick, { resource: 'conversations', id });
  slow.resume();
  await slow.until(() => changesIn(slow).some((change) => change.id === id));
  for (const stream of [slow, quick]) stream.close();
});
