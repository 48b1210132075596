import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/config.ts';
import { IN_FLIGHT_KINDS } from '../../../src/platform/http/in-flight.ts';
import { startApi, type Api } from '../../roles/api/api-setup.ts';

/** Concurrent requests have a limit, and a request that ends releases its place (contract/limits.md#shares). */
let api: Api;
let namespaces = 0;
let namespace: string;

const small = { key: 2, namespace: 3, process: 4 };

beforeAll(async () => {
  const shares = { ...DEFAULT_LIMITS.shares, event_streams: small, uploads: small };
  const limits = { ...DEFAULT_LIMITS, shares: { ...shares, message_streams: small } };
  api = await startApi({ limits });
});

beforeEach(() => {
  namespace = `team-${(namespaces += 1)}`;
});

afterAll(() => api.stop());

type Sent = { sent: ClientRequest; answered: Promise<IncomingMessage> };

/** Sends a request whose connection the test holds. `body: null` announces a body without sending it. */
function send(
  key: string,
  method: string,
  path: string,
  { body, headers = {} }: { body?: string | Buffer | null; headers?: Record<string, string> } = {},
): Sent {
  const sent = request(api.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    agent: false,
  });
  sent.on('error', () => undefined); // The test breaks connections.
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  answered.catch(() => undefined);
  if (body === undefined) sent.end();
  else sent.flushHeaders();
  if (body) sent.write(body);
  return { sent, answered };
}

const stream = (key: string): Sent => send(key, 'GET', '/v1/events/stream');
const statusOf = async ({ answered }: Sent): Promise<number | undefined> =>
  (await answered).statusCode;

const textOf = async (response: IncomingMessage): Promise<string> =>
  (await response.toArray()).join('');

const gauge = async (kind: string): Promise<number> => {
  const page = await api.engine.metrics.render();
  return Number(new RegExp(`^parley_in_flight\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(page)?.[1]);
};

const nothingIsHeld = async (): Promise<void> => {
  for (const kind of IN_FLIGHT_KINDS) {
    await api.engine.eventually(async () => (await gauge(kind)) === 0);
  }
};

test('one key leaves streams to the others of its namespace, and that to other namespaces', async () => {
  const [greedy, other, third] = await Promise.all([1, 2, 3].map(() => api.newKey(namespace)));
  const foreign = await api.newKey(`${namespace}-other`);
  const first = stream(greedy!);
  const open = [first, stream(greedy!)];
  expect(await Promise.all(open.map(statusOf))).toEqual([200, 200]);
  const refused = await api.call('GET', '/v1/events/stream', { key: greedy! });
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_in_flight']);
  expect(refused.headers.get('retry-after')).toBe('2');
  for (const key of [other!, foreign]) {
    const one = stream(key);
    expect(await statusOf(one)).toBe(200);
    open.push(one);
  }
  expect((await api.call('GET', '/v1/events/stream', { key: third! })).status).toBe(429);
  const full = await api.call('GET', '/v1/events/stream', { key: foreign });
  expect([full.status, full.body.code]).toEqual([503, 'unavailable']);
  first.sent.destroy();
  await api.engine.eventually(async () => (await gauge('event_streams')) === 3);
  const again = stream(third!);
  expect(await statusOf(again)).toBe(200);
  for (const { sent } of [...open, again]) sent.destroy();
  await nothingIsHeld();
});

/** Waits for this number of turns of the event loop, in which the API works as well. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await turnOfLoop();
}

test('whenever a client goes away, and whatever goes wrong, its place is free again', async () => {
  const key = await api.newKey(namespace);
  const { body: source } = await api.call('POST', '/v1/knowledge/sources', {
    key,
    json: { type: 'file', name: 'manual' },
  });
  const upload = `/v1/knowledge/sources/${source.id}/content`;
  const text = { 'content-type': 'text/plain' };
  const half = { headers: { ...text, 'content-length': '1000' }, body: 'half of it' };
  const { body: agent } = await api.call('POST', '/v1/agents', {
    key,
    json: { name: 'support', prompt: 'help' },
  });
  const { body: conversation } = await api.call('POST', '/v1/conversations', {
    key,
    json: { agent_id: agent.id },
  });
  const say = `/v1/conversations/${conversation.id}/messages`;
  const streamed = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'content-length': '16',
  };
  const waysToEnd: (() => Sent)[] = [
    () => stream(key),
    () => send(key, 'GET', '/v1/events/stream?types=nonsense'),
    () => send(key, 'GET', '/v1/events/stream', { headers: { 'last-event-id': 'evt_0' } }),
    () => send(key, 'HEAD', '/v1/events/stream'),
    () => send(key, 'PUT', upload, half),
    () => send(key, 'PUT', `/v1/knowledge/sources/${agent.id}/content`, half),
    () =>
      send(key, 'PUT', upload, { ...half, headers: { ...half.headers, 'content-type': 'a/b' } }),
    () =>
      send(key, 'PUT', upload, { headers: { ...text, 'content-length': '99999999' }, body: null }),
    () => send(key, 'POST', say, { headers: streamed, body: '{"text":"hello"}' }),
    () => send(key, 'POST', say, { headers: streamed, body: '{"text":"hel' }),
    () => send(key, 'POST', `/v1/webhooks/${agent.id}/replay`, { body: '{}' }),
  ];
  // Immediately, a moment later, during its handling, and after its answer.
  for (const moment of [0, 10, 100, 1_000, 'answered'] as const) {
    for (let turn = 0; turn < 4; turn += 1) {
      await Promise.all(
        waysToEnd.map(async (begin) => {
          const one = begin();
          // Some requests never get an answer.
          if (moment !== 'answered') await turns(moment);
          else await Promise.race([one.answered.catch(() => undefined), turns(5_000)]);
          one.sent.destroy();
        }),
      );
    }
  }
  await nothingIsHeld();
});

test('a body is not read before the key, its scope and its share are known', async () => {
  const keys = await Promise.all([1, 2].map(() => api.newKey(namespace)));
  const reader = await api.newKey(namespace, ['read']);
  const path = '/v1/knowledge/sources/ks_00000000000000000000000000/content';
  const headers = { 'content-type': 'text/plain', 'content-length': String(20 * 1024 * 1024) };
  const held = [keys[0]!, keys[0]!, keys[1]!].map((key) =>
    send(key, 'PUT', path, { headers, body: 'x' }),
  );
  await api.engine.eventually(async () => (await gauge('uploads')) === 3);
  // None of these sends a body, so a server that waited for one would not answer.
  const cases: [string, string, number][] = [
    ['parley_wrong_wrong_wrong_wrong', 'unauthorized', 401],
    [reader, 'missing_scope', 403],
    [keys[0]!, 'too_many_in_flight', 429],
    [keys[1]!, 'too_many_in_flight', 429],
  ];
  for (const [key, code, status] of cases) {
    const one = send(key, 'PUT', path, { headers, body: null });
    const response = await one.answered;
    expect(response.statusCode).toBe(status);
    one.sent.destroy();
    expect(await textOf(response).catch(() => code)).toContain(code);
  }
  // The same applies with an Idempotency-Key, which needs the body.
  const keyed = { ...headers, 'content-type': 'application/json', 'idempotency-key': 'one' };
  const post = send(reader, 'POST', '/v1/agents', { headers: keyed, body: null });
  expect(await statusOf(post)).toBe(403);
  for (const { sent } of [...held, post]) sent.destroy();
  await nothingIsHeld();
});

test('streams of conversations are counted apart', async () => {
  const key = await api.newKey(namespace);
  const open = [stream(key), stream(key)];
  expect(await Promise.all(open.map(statusOf))).toEqual([200, 200]);
  const { body: agent } = await api.call('POST', '/v1/agents', { key, json: { prompt: 'help' } });
  const { body: conversation } = await api.call('POST', '/v1/conversations', {
    key,
    json: { agent_id: agent.id },
  });
  const { status, text } = await api.call('POST', `/v1/conversations/${conversation.id}/messages`, {
    key,
    json: { text: 'hello' },
    headers: { accept: 'text/event-stream' },
  });
  expect([status, text.includes('event: done')]).toEqual([200, true]);
  const { body: usage } = await api.call('GET', '/v1/usage', { key });
  expect(usage.in_flight).toMatchObject({
    event_streams: { api_key: { limit: 2, used: 2 }, namespace: { limit: 3, used: 2 } },
    message_streams: { api_key: { limit: 2, used: 0 }, namespace: { limit: 3, used: 0 } },
    replay_jobs: { api_key: { limit: 5, used: 0 }, namespace: { limit: 10, used: 0 } },
  });
  for (const { sent } of open) sent.destroy();
  await nothingIsHeld();
});
