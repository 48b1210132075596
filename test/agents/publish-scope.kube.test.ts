import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '../../src/platform/http/authorize.ts';
import type { ResourceStore } from '../../src/platform/resources/resource-store.ts';
import { toUuid } from '../../src/ids.ts';
import { patchAgent } from '../../src/agents/write-agent.ts';
import { startApi, type Api, type Reply } from '../roles/api/api-setup.ts';
import { describeKind } from '../roles/each-store.ts';
import { apiDeps, refusal } from './agents.ts';

/** The scope `publish` decides which content goes live, and when (contract/agents.md#publishing). */
describeKind((storeName) => {
  let api: Api;
  /** May do everything but publish. */
  let writer: string;
  let names = 0;

  beforeAll(async () => {
    api = await startApi({ storeName });
    writer = await api.newKey(
      'default',
      SCOPES.filter((scope) => scope !== 'publish'),
    );
  });
  afterAll(() => api.stop());

  const newName = (): string => `scoped-${(names += 1)}`;
  const post = (json: object, key: string, headers = {}): Promise<Reply> =>
    api.call('POST', '/v1/agents', { key, json: { prompt: 'one', ...json }, headers });
  const patch = (path: string, json: object, key = writer): Promise<Reply> =>
    api.call('PATCH', path, { key, json });
  const read = async (path: string) => (await api.call('GET', path)).body;

  async function agent(fields: object): Promise<string> {
    const { status, headers } = await post({ name: newName(), ...fields }, api.key);
    expect(status).toBe(201);
    return headers.get('location')!;
  }

  function expectRefused({ status, body }: Reply): void {
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'missing_scope' });
    expect(body.detail).toMatch(/the `publish` scope: .*publish_policy/);
  }

  describe('without it, create', () => {
    test.each([{}, { publish_policy: 'automatic' }])(
      'with %j is refused, for it would be live at once, and nothing is made',
      async (policy) => {
        const name = newName();
        expectRefused(await post({ name, ...policy }, writer));
        expect((await api.call('GET', `/v1/agents?name=${name}`)).body.data).toEqual([]);
        expect(await api.engine.store.get('Agent', { namespace: 'default', name })).toBeUndefined();
      },
    );

    test('with publish_policy manual makes an agent that is not live', async () => {
      const { status, body } = await post({ publish_policy: 'manual' }, writer);
      expect(status).toBe(201);
      expect(body).toMatchObject({ active_version: null, latest_version: 1 });
    });

    test('under the name of a live agent changes nothing of it', async () => {
      const name = newName();
      const path = await agent({ name });
      const taken = await post({ name, publish_policy: 'manual', prompt: 'mine' }, writer);
      expect([taken.status, taken.body.code]).toEqual([409, 'name_taken']);
      expectRefused(await post({ name, prompt: 'mine' }, writer));
      expect(await read(path)).toMatchObject({ prompt: 'one', active_version: 1 });
    });

    test('is refused again when repeated with its Idempotency-Key', async () => {
      const headers = { 'idempotency-key': newName() };
      expectRefused(await post({}, writer, headers));
      const again = await post({}, writer, headers);
      expectRefused(again);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    });
  });

  describe('without it, PATCH', () => {
    test.each([
      ['manual', { publish_policy: 'automatic' }],
      ['manual', { publish_policy: 'automatic', prompt: 'two' }],
      ['manual', { publish_policy: null }],
      ['automatic', { publish_policy: 'manual' }],
      ['automatic', { publish_policy: 'manual', prompt: 'two' }],
    ])('of one that is %s with %j is refused and changes nothing', async (policy, change) => {
      const path = await agent({ publish_policy: policy });
      const before = await read(path);
      expectRefused(await patch(path, change));
      expect(await read(path)).toEqual(before);
      expect((await patch(path, change, api.key)).status).toBe(200);
    });

    test.each([
      ['manual', { publish_policy: 'manual', prompt: 'two' }, null],
      ['automatic', { publish_policy: 'automatic', prompt: 'two' }, 2],
      ['automatic', { publish_policy: null, prompt: 'two' }, 2],
      ['automatic', { prompt: 'two' }, 2],
      ['manual', { prompt: 'two' }, null],
    ])(
      'of one that is %s with %j leaves the policy, and is taken',
      async (policy, change, live) => {
        const path = await agent({ publish_policy: policy });
        expect((await patch(path, change)).status).toBe(200);
        const { active_version, latest_version, publish_policy } = await read(path);
        expect([active_version, latest_version, publish_policy]).toEqual([live, 2, policy]);
      },
    );

    test('of a manifest’s agent moves no policy either', async () => {
      const name = newName();
      await api.engine.declareAgent(name, { prompt: 'one', publishPolicy: 'Manual' });
      await api.engine.settled('Agent', name);
      const { id } = (await api.call('GET', `/v1/agents?name=${name}`)).body.data[0];
      const path = `/v1/agents/${id}`;
      expectRefused(await patch(path, { publish_policy: 'automatic' }));
      const free = newName();
      await api.engine.declareAgent(free, { prompt: 'one' });
      await api.engine.settled('Agent', free);
      const other = (await api.call('GET', `/v1/agents?name=${free}`)).body.data[0];
      expectRefused(await patch(`/v1/agents/${other.id}`, { publish_policy: 'manual' }));
      expect((await patch(path, { first_message: 'Hello' })).status).toBe(200);
      expect(await read(path)).toMatchObject({ active_version: null, latest_version: 2 });
    });

    test.each([
      ['publish', {}],
      ['publish', { version: 1 }],
      ['rollback', { version: 1 }],
    ])('or %s with %j: the pin stays', async (act, json) => {
      const path = await agent({});
      await patch(path, { prompt: 'two' });
      await api.call('POST', `${path}/publish`, { json: { version: 2 } });
      const reply = await api.call('POST', `${path}/${act}`, { key: writer, json });
      expect([reply.status, reply.body.code]).toEqual([403, 'missing_scope']);
      expect((await patch(path, { pinned_version: null })).status).toBe(422);
      expect(await read(path)).toMatchObject({ active_version: 2, pinned_version: 2 });
    });
  });

  test('a deleted agent only stops: without publish it may be deleted', async () => {
    const path = await agent({});
    expect((await api.call('DELETE', path, { key: writer })).status).toBe(204);
  });

  describe('of two at once', () => {
    const caller = (actor: string, scopes: readonly Scope[]) => ({
      namespace: 'default',
      actor,
      scopes,
    });
    const WRITER = caller('api:key_w', ['read', 'write']);
    const PUBLISHER = caller('api:key_p', SCOPES);

    /** The store, where somebody else acts once between a read of the agent and the write. */
    function interrupted(act: () => Promise<unknown>): ResourceStore {
      let isDone = false;
      const { store } = api.engine;
      return {
        ...store,
        apply: async (...input) => {
          if (!isDone) {
            isDone = true;
            await act();
          }
          return store.apply(...input);
        },
      };
    }

    test('who repeats the policy that was is refused when it is another by then', async () => {
      const path = await agent({});
      const id = toUuid('agt', path.split('/').at(-1)!)!;
      const deps = apiDeps(api.engine);
      const store = interrupted(() =>
        patchAgent(deps, PUBLISHER, { id, patch: { publish_policy: 'manual' } }),
      );
      const change = { publish_policy: 'automatic', prompt: 'two' };
      const refused = await refusal(patchAgent({ ...deps, store }, WRITER, { id, patch: change }));
      expect(refused).toMatchObject({ code: 'missing_scope', status: 403 });
      expect(await read(path)).toMatchObject({ publish_policy: 'manual', latest_version: 1 });
    });

    test('content that is written while the agent becomes manual waits', async () => {
      const path = await agent({});
      const id = toUuid('agt', path.split('/').at(-1)!)!;
      const deps = apiDeps(api.engine);
      const store = interrupted(() =>
        patchAgent(deps, PUBLISHER, { id, patch: { publish_policy: 'manual' } }),
      );
      await patchAgent({ ...deps, store }, WRITER, { id, patch: { prompt: 'two' } });
      expect(await read(path)).toMatchObject({
        publish_policy: 'manual',
        active_version: 1,
        latest_version: 2,
      });
    });
  });

  test('the document says when write is not enough', async () => {
    const { paths } = (await api.call('GET', '/v1/openapi.json', { key: null })).body;
    const create = paths['/v1/agents'].post;
    const update = paths['/v1/agents/{id}'].patch;
    expect(create.description).toMatch(
      /Requires the `write` scope, and the `publish` scope when .*manual/,
    );
    expect(update.description).toMatch(
      /Requires the `write` scope, and the `publish` scope when .*publish_policy/,
    );
  });
});
