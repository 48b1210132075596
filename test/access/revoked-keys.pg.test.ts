import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Scope } from '../../src/platform/http/authorize.ts';
import { holdTime, type HeldClock } from '../clock.ts';
import { startFaultProxy, type FaultProxy } from '../platform/fault-proxy.ts';
import { startAnother, startApi, type Api, type Call } from '../roles/api/api-setup.ts';
import { shiftTime } from '../platform/postgres/postgres.ts';
import { until } from '../until.ts';

/**
 * Every process refuses a key that ended within 100 ms, or within a second if the notification does not reach it, and
 * the key's streams end (contract/api-keys.md#ending). Time stands still, so no process polls and none forgets a key on
 * its own: streams that end then end by the notification.
 */
let api: Api;
let time: HeldClock;
let namespaces = 0;
let namespace: string;
let root: string;
const running: (() => Promise<void>)[] = [];

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  onTestFinished(stopAll); // Registered first, so it runs last: a stop takes time.
  time = holdTime();
  namespace = `ended-${(namespaces += 1)}`;
  root = await api.newKey(namespace);
});

async function stopAll(): Promise<void> {
  for (const stop of running.splice(0).toReversed()) await stop();
}

/** Interval at which a process checks its open streams (src/access/watch-ends.ts). */
const LOOK_MS = 400;

type Process = { url: string; call: Call };

async function anotherProcess(databaseUrl = api.engine.databaseUrl): Promise<Process> {
  const { stop, ...process } = await startAnother(api, { key: root, databaseUrl });
  running.push(stop);
  return process;
}

/** A process that no notification reaches any more once the proxy hangs; its pool is another way. */
async function deafProcess(): Promise<Process & { proxy: FaultProxy }> {
  const proxy = await startFaultProxy(api.engine.databaseUrl);
  running.push(proxy.stop);
  const process = await anotherProcess(proxy.through(api.engine.databaseUrl));
  running.push(async () => proxy.resume());
  return { ...process, proxy };
}

async function newKey(scopes: Scope[] = ['read']): Promise<{ id: string; key: string }> {
  const json = { name: 'x', scopes };
  const { status, body } = await api.call('POST', '/v1/api_keys', { key: root, json });
  expect(status).toBe(201);
  return body;
}

const statusAt = async ({ call }: Process, key: string): Promise<number> =>
  (await call('GET', '/v1/agents', { key })).status;

/** Resolves once the process refuses the key. */
const refused = (process: Process, key: string): Promise<true> =>
  until('the refusal', async () => (await statusAt(process, key)) === 401 || undefined, {
    everyMs: 1,
  });

async function remove(id: string): Promise<void> {
  expect((await api.call('DELETE', `/v1/api_keys/${id}`, { key: root })).status).toBe(204);
}

/** An open stream of events. */
async function follow({ url }: Process, key: string) {
  const response = await fetch(`${url}/v1/events/stream`, {
    headers: { authorization: `Bearer ${key}`, connection: 'close' },
  });
  return { ...readStream(response), status: response.status };
}

function readStream(response: Response) {
  let text = '';
  let hasEnded = false;
  const reader = response.body!.getReader();
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += Buffer.from(value).toString();
    }
    hasEnded = true;
  })();
  reading.catch(() => undefined);
  return {
    text: () => text,
    ended: () => until(`the end of the stream; there came ${text}`, () => hasEnded),
    isOpen: () => !hasEnded,
    close: () => reader.cancel(),
  };
}

const LAST_EVENT = /event: error\ndata: (\{.*\})\n\n$/;

function expectUnauthorized(text: string): void {
  const [, json] = LAST_EVENT.exec(text) ?? [];
  expect(JSON.parse(json ?? '{}')).toMatchObject({ status: 401, code: 'unauthorized' });
}

describe('a key that was deleted', () => {
  test('is refused where it was deleted, and elsewhere by the notification', async () => {
    const other = await anotherProcess();
    const { id, key } = await newKey();
    expect([await statusAt(api, key), await statusAt(other, key)]).toEqual([200, 200]);
    await remove(id);
    expect(await statusAt(api, key)).toBe(401);
    await refused(other, key);
  });

  test('is refused within a second by a process that the notification does not reach', async () => {
    const deaf = await deafProcess();
    const { id, key } = await newKey();
    deaf.proxy.hang();
    expect(await statusAt(deaf, key)).toBe(200);
    await remove(id);
    expect(await statusAt(deaf, key)).toBe(200); // It still remembers the key.
    await time.advance(999);
    expect(await statusAt(deaf, key)).toBe(401);
  });

  test('leaves no other key behind, while a process that was not told still takes it', async () => {
    const deaf = await deafProcess();
    const keeper = await newKey(['keys', 'read']);
    const victim = await newKey();
    deaf.proxy.hang();
    expect(await statusAt(deaf, keeper.key)).toBe(200);
    const before = await api.engine.pool.query('select id from api_keys where namespace = $1', [
      namespace,
    ]);
    await remove(keeper.id);
    const asKeeper = (method: string, path: string, json?: object) =>
      deaf.call(method, `/v1/api_keys${path}`, { key: keeper.key, ...(json && { json }) });
    for (const [method, path, json] of [
      ['POST', '', { name: 'heir', scopes: ['keys', 'read'] }],
      ['POST', `/${victim.id}/rotate`, { overlap_sec: 0 }],
      ['DELETE', `/${victim.id}`, undefined],
    ] as const) {
      const { status, body } = await asKeeper(method, path, json);
      expect([method, path, status, body.code]).toEqual([method, path, 401, 'unauthorized']);
    }
    const after = await api.engine.pool.query('select id from api_keys where namespace = $1', [
      namespace,
    ]);
    expect(after.rows).toEqual(before.rows);
    expect(await statusAt(api, victim.key)).toBe(200);
  });
});

describe('a key that runs out after a rotation', () => {
  const rotate = async (id: string, overlap_sec: number): Promise<void> => {
    const json = { overlap_sec };
    const path = `/v1/api_keys/${id}/rotate`;
    expect((await api.call('POST', path, { key: root, json })).status).toBe(201);
  };

  test('without an overlap is refused by the notification', async () => {
    const other = await anotherProcess();
    const { id, key } = await newKey();
    expect(await statusAt(other, key)).toBe(200);
    await rotate(id, 0);
    expect(await statusAt(api, key)).toBe(401);
    await refused(other, key);
  });

  test('works to the end of the overlap, and then neither it nor its stream', async () => {
    const other = await anotherProcess();
    const { id, key } = await newKey();
    const stream = await follow(other, key);
    await rotate(id, 3_600);
    const { pool } = api.engine;
    await shiftTime(pool, 3_590_000);
    await time.advance(1_000); // Nothing is remembered for longer.
    expect([await statusAt(api, key), await statusAt(other, key)]).toEqual([200, 200]);
    await time.armed(LOOK_MS);
    expect(stream.isOpen()).toBe(true);
    await shiftTime(pool, 3_601_000);
    await time.advance(1_000);
    expect([await statusAt(api, key), await statusAt(other, key)]).toEqual([401, 401]);
    await stream.ended();
    expectUnauthorized(stream.text());
    await shiftTime(pool, 0);
  });
});

describe('an open stream of events', () => {
  test('ends with its key by the notification, and says why; those of other keys go on', async () => {
    const other = await anotherProcess();
    const [doomed, kept] = [await newKey(), await newKey()];
    const streams = [await follow(other, doomed.key), await follow(other, doomed.key)];
    const lasting = await follow(other, kept.key);
    await remove(doomed.id);
    for (const stream of streams) {
      await stream.ended();
      expectUnauthorized(stream.text());
    }
    time.release(); // A stream that waits for an older transaction looks again after a moment.
    const json = { name: 'seen', prompt: 'x' };
    expect((await api.call('POST', '/v1/agents', { key: root, json })).status).toBe(201);
    await until('the event', () => lasting.text().includes('agent.published'));
    expect(streams.map((stream) => stream.text()).join('')).not.toContain('agent.published');
    expect(lasting.isOpen()).toBe(true);
    await lasting.close();
  });

  test('ends within a second where the process gets no notification, also one opened since', async () => {
    const deaf = await deafProcess();
    const { id, key } = await newKey();
    const stream = await follow(deaf, key);
    deaf.proxy.hang();
    await remove(id);
    const late = await follow(deaf, key);
    expect(late.status).toBe(200); // It still remembers the key.
    await time.armed(LOOK_MS);
    await time.advance(999);
    await Promise.all([stream.ended(), late.ended()]);
    expectUnauthorized(stream.text());
    expectUnauthorized(late.text());
  });
});

test('a streamed reply ends with its key, and the turn is in the transcript', async () => {
  const other = await anotherProcess();
  const { id, key } = await newKey(['read', 'write']);
  const agent = await api.call('POST', '/v1/agents', { key: root, json: { prompt: 'x' } });
  const json = { agent_id: agent.body.id };
  const { headers } = await api.call('POST', '/v1/conversations', { key: root, json });
  const path = headers.get('location')!;
  // What the turn writes last waits for this; its words are streamed before.
  const client = await api.engine.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from conversations where namespace = $1 for update', [namespace]);
    const reply = await fetch(`${other.url}${path}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        connection: 'close',
      },
      body: JSON.stringify({ text: 'How much does a tandem weigh?' }),
    });
    expect(reply.status).toBe(200);
    const stream = readStream(reply);
    await remove(id);
    await stream.ended();
    expectUnauthorized(stream.text());
  } finally {
    await client.query('rollback');
    client.release();
  }
  await until('the turn', async () => {
    const { text } = await api.call('GET', `${path}/transcript`, { key: root });
    return text.includes('tandem');
  });
});
