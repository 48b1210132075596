import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEachStore } from '../../roles/each-store.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';
import { breakMarks, expectReplay, newKey, postTo, QUIET } from './idempotency-setup.ts';

/**
 * `Idempotency-Key` where change and answer are two transactions (contract/idempotency.md#keys), for declared objects
 * in both stores.
 */
describeEachStore((storeName) => {
  let declared: Api;
  beforeAll(async () => {
    declared = await startApi({ storeName, log: QUIET });
  });
  afterAll(() => declared.stop());

  const send = (path: string, key: string, json?: unknown): Promise<Reply> =>
    postTo(declared.call)(path, key, json);

  /** Sends a request that crashes after everything except its answer was written. Then repeats it. */
  async function crashed(path: string, json?: unknown): Promise<Reply> {
    const key = newKey();
    const mended = await breakMarks(declared);
    expect((await send(path, key, json)).status).toBe(500);
    await mended();
    const reply = await send(path, key, json);
    expectReplay(await send(path, key, json), reply);
    return reply;
  }

  describe('a crash between the declaration and its answer', () => {
    test.each([
      ['with a name', { name: 'given', prompt: 'x' }],
      ['without one', { prompt: 'x' }],
      ['with one derived', { display_name: 'Derived', prompt: 'x' }],
    ])('an agent %s is made once', async (_, json) => {
      const { status, body } = await crashed('/v1/agents', json);
      expect(status).toBe(201);
      const { data } = (await declared.call('GET', '/v1/agents?limit=100')).body;
      const same = data.filter(
        (agent: { name: string }) => agent.name.slice(0, 6) === body.name.slice(0, 6),
      );
      expect(same.map(({ id }: { id: string }) => id)).toEqual([body.id]);
    });

    test('an agent that came to a second name is found there, though the first is free by now', async () => {
      const taken = await declared.call('POST', '/v1/agents', {
        json: { display_name: 'Twice', prompt: 'x' },
      });
      expect(taken.body.name).toBe('twice');
      const key = newKey();
      const json = { display_name: 'Twice', prompt: 'y' };
      const mended = await breakMarks(declared);
      await send('/v1/agents', key, json);
      await mended();
      await declared.call('DELETE', `/v1/agents/${taken.body.id}`);
      const { body } = await send('/v1/agents', key, json);
      expect(body.name).toMatch(/^twice-[0-9a-f]{4}$/);
      const { data } = (await declared.call('GET', '/v1/agents?name=twice')).body;
      expect(data).toEqual([]);
    });

    test('an endpoint is made once and shows the secret it signs with', async () => {
      const before = (await declared.call('GET', '/v1/webhooks')).body.data.length;
      const { status, body } = await crashed('/v1/webhooks', { url: 'https://example.com' });
      expect(status).toBe(201);
      const { data } = (await declared.call('GET', '/v1/webhooks')).body;
      expect(data).toHaveLength(before + 1);
      const secret = await declared.engine.store.get('Secret', {
        namespace: 'default',
        name: `${body.name}-signing`,
      });
      const values = Object.values(secret?.spec['data'] ?? {});
      expect(values).toEqual([body.secret]);
    });

    test('a rollback goes back once', async () => {
      const made = await declared.call('POST', '/v1/agents', { json: { prompt: '1' } });
      const path = made.headers.get('location')!;
      for (const prompt of ['2', '3']) await declared.call('PATCH', path, { json: { prompt } });
      expect((await declared.call('GET', path)).body.active_version).toBe(3);
      const { status, body } = await crashed(`${path}/rollback`);
      expect([status, body.active_version]).toEqual([200, 2]);
      const { data } = (await declared.call('GET', `${path}/activations`)).body;
      expect(data.map((line: { to_version: number }) => line.to_version)).toEqual([2, 3, 2, 1]);
    });

    test('a rollback that somebody undid meanwhile is not done again: 409', async () => {
      const made = await declared.call('POST', '/v1/agents', { json: { prompt: '1' } });
      const path = made.headers.get('location')!;
      await declared.call('PATCH', path, { json: { prompt: '2' } });
      const key = newKey();
      const mended = await breakMarks(declared);
      await send(`${path}/rollback`, key);
      await mended();
      await declared.call('POST', `${path}/publish`);
      const { status, body } = await send(`${path}/rollback`, key);
      expect([status, body.code]).toEqual([409, 'write_conflict']);
      expect((await declared.call('GET', path)).body.active_version).toBe(2);
    });

    test('a publish with If-Match is answered although its own write changed the tag', async () => {
      const made = await declared.call('POST', '/v1/agents', { json: { prompt: '1' } });
      const path = made.headers.get('location')!;
      const patched = await declared.call('PATCH', path, { json: { prompt: '2' } });
      const headers = { 'idempotency-key': newKey(), 'if-match': patched.headers.get('etag')! };
      const publish = () =>
        declared.call('POST', `${path}/publish`, { headers, json: { version: 1 } });
      const mended = await breakMarks(declared);
      expect((await publish()).status).toBe(500);
      await mended();
      const { status, body } = await publish();
      expect([status, body.active_version]).toEqual([200, 1]);
    });
  });
});
