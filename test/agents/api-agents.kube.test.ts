import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type Api, type Reply } from '../roles/api/api-setup.ts';
import { describeKind } from '../roles/each-store.ts';
import { WITHOUT_MODEL } from './without-model.ts';

const SPOKEN = {
  voice: {
    provider: 'simulated',
    model: 's-1',
    voice_id: 'clara',
    speed: 1.5,
    fallback: [{ voice_id: 'paul' }, { provider: 'other', model: 's-2' }],
  },
  transcriber: {
    provider: 'simulated',
    model: 'h-1',
    language: 'de-AT',
    keywords: ['Krapfen'],
    fallback: [{ model: 'h-2' }],
    retranscribe_interrupted: true,
  },
};
const MESSAGE =
  `version 1 is live; ${WITHOUT_MODEL}, tools (look_up); no effect when the carrier provides speech ` +
  '(ModelProvider "simulated" does not exist in this namespace): voice (model, speed, fallback), transcriber';

describeKind((storeName) => {
  let api: Api;

  beforeAll(async () => {
    api = await startApi({ storeName });
  });
  afterAll(() => api.stop());

  const create = (json: object): Promise<Reply> => api.call('POST', '/v1/agents', { json });

  /** The path of a new agent that has one version for each prompt. */
  async function agentWith(prompts: string[], fields: object = {}): Promise<string> {
    const [first, ...rest] = prompts;
    const { headers, status } = await create({ prompt: first, ...fields });
    expect(status).toBe(201);
    const path = headers.get('location')!;
    for (const prompt of rest) {
      expect((await api.call('PATCH', path, { json: { prompt } })).status).toBe(200);
    }
    return path;
  }

  describe('create and read', () => {
    test('a new agent answers 201 with Location and the whole resource, live', async () => {
      const { status, headers, body } = await create({
        display_name: 'Größe & Söhne',
        prompt: 'Be kind.',
        voice: SPOKEN.voice,
        transcriber: SPOKEN.transcriber,
        tools: [
          { type: 'webhook', name: 'look_up', url: 'https://example.com/x', timeout_ms: 500 },
        ],
        metadata: { team: 'a', constructor: 'b' },
      });
      expect(status).toBe(201);
      expect(headers.get('location')).toBe(`/v1/agents/${body.id}`);
      expect(body).toEqual({
        id: expect.stringMatching(/^agt_[0-9a-z]{26}$/),
        created: expect.any(Number),
        updated: expect.any(Number),
        name: 'gro-e-sohne',
        display_name: 'Größe & Söhne',
        prompt: 'Be kind.',
        voice: SPOKEN.voice,
        transcriber: SPOKEN.transcriber,
        tools: [
          { type: 'webhook', name: 'look_up', url: 'https://example.com/x', timeout_ms: 500 },
        ],
        first_message: null,
        first_message_interruptible: null,
        language: null,
        model: null,
        knowledge: null,
        escalation: null,
        limits: null,
        redaction: null,
        rollout: null,
        judgement: null,
        widget: null,
        metadata: { team: 'a', constructor: 'b' },
        publish_policy: 'automatic',
        active_version: 1,
        latest_version: 1,
        pinned_version: null,
        activation: {
          action: 'published',
          from_version: null,
          actor: expect.stringMatching(/^api:key_/),
          reason: null,
          at: expect.any(Number),
        },
        managed_by: 'api',
        ready: true,
        status_message: MESSAGE,
        status: { ready: true, reason: 'Published', message: MESSAGE },
      });
      expect(String(body.created)).toMatch(/^\d{10}$/); // Seconds.
      const read = await api.call('GET', `/v1/agents/${body.id}`);
      expect(read.body).toEqual(body);
    });

    test('an agent without a display name is named agent- and eight characters', async () => {
      expect((await create({ prompt: 'x' })).body.name).toMatch(/^agent-[0-9a-f]{8}$/);
    });

    test('a given name that is taken is 409, a derived one gets a suffix', async () => {
      expect((await create({ prompt: 'x', name: 'taken' })).status).toBe(201);
      const again = await create({ prompt: 'x', name: 'taken' });
      expect(again.status).toBe(409);
      expect(again.body.code).toBe('name_taken');
      const derived = await create({ prompt: 'x', display_name: 'Taken' });
      expect(derived.body.name).toMatch(/^taken-[0-9a-f]{4}$/);
    });

    test.each([
      [{ voice: { fallback: [{}] } }, '/voice/fallback/0', '`provider`, a `model` or a `voice_id`'],
      [{ transcriber: { fallback: [{}] } }, '/transcriber/fallback/0', '`provider` or a `model`'],
      [
        { transcriber: { fallback: ['a', 'b', 'c', 'd'].map((model) => ({ model })) } },
        '/transcriber/fallback',
        '3',
      ],
      [{ transcriber: { keywords: ['a', 'a'] } }, '/transcriber/keywords', 'twice|duplicate|uniqu'],
    ])('%j is 422 at %s', async (fields, pointer, detail) => {
      const { status, body } = await create({ prompt: 'x', ...fields });
      expect(status).toBe(422);
      expect(body.errors).toEqual([
        expect.objectContaining({
          pointer: expect.stringContaining(pointer),
          detail: expect.stringMatching(detail),
        }),
      ]);
    });

    test('a mistake only the whole object shows is answered with pointers in REST names', async () => {
      const tools = [{ type: 'webhook', name: 'a' }];
      const { status, body } = await create({ prompt: 'x', tools });
      expect(status).toBe(422);
      expect(body.errors).toEqual([
        { pointer: '/tools/0/url', code: expect.any(String), detail: expect.any(String) },
      ]);
    });
  });

  describe('lists', () => {
    test('pages go through all agents once, newest first, and end', async () => {
      const key = await api.newKey('pages');
      for (let i = 0; i < 5; i += 1) {
        await api.call('POST', '/v1/agents', { key, json: { prompt: 'x', name: `a${i}` } });
      }
      const names: string[] = [];
      let cursor = '';
      do {
        const { body } = await api.call('GET', `/v1/agents?limit=2${cursor}`, { key });
        names.push(...body.data.map(({ name }: { name: string }) => name));
        expect(body.has_more).toBe(body.next_cursor !== null);
        cursor = body.has_more ? `&cursor=${body.next_cursor}` : '';
      } while (cursor !== '');
      expect(names).toEqual(['a4', 'a3', 'a2', 'a1', 'a0']);
      const full = await api.call('GET', '/v1/agents?limit=5', { key });
      expect(full.body).toMatchObject({ has_more: false, next_cursor: null });
    });
  });

  describe('PATCH', () => {
    test('null removes a field, nested fields merge, lists are replaced', async () => {
      const path = await agentWith(['x'], {
        display_name: 'Before',
        first_message: 'Hi',
        voice: { provider: 'p', speed: 1 },
        tools: [
          { type: 'end_call', name: 'a' },
          { type: 'end_call', name: 'b' },
        ],
        metadata: { keep: '1', drop: '2' },
      });
      const patch = {
        first_message: null,
        voice: { speed: null, voice_id: 'v' },
        tools: [{ type: 'end_call', name: 'c' }],
        metadata: { drop: null, add: '3' },
      };
      const { status, body } = await api.call('PATCH', path, { json: patch });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        display_name: 'Before',
        first_message: null,
        voice: { provider: 'p', voice_id: 'v' },
        tools: [{ type: 'end_call', name: 'c' }],
        latest_version: 2,
        active_version: 2,
      });
      expect(body.voice).toEqual({ provider: 'p', voice_id: 'v' });
      expect(body.metadata).toEqual({ keep: '1', add: '3' });
      expect((await api.call('GET', path)).body).toEqual(body);
    });

    test('merge-patch+json is taken like application/json', async () => {
      const path = await agentWith(['x']);
      const { body, status } = await api.call('PATCH', path, {
        body: '{"language":"nb-NO"}',
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      expect(status).toBe(200);
      expect(body.language).toBe('nb-NO');
    });

    test('an object that loses its last field is gone, as if it had never been there', async () => {
      const path = await agentWith(['Hi'], {
        model: { temperature: 0.5 },
        limits: { silence_timeout_sec: 30 },
        metadata: { a: 'b' },
      });
      const json = {
        model: { temperature: null },
        limits: { silence_timeout_sec: null },
        metadata: { a: null },
      };
      const { status, body } = await api.call('PATCH', path, { json });
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { model: null, limits: null, metadata: {} },
      });
    });

    test('an empty patch changes nothing', async () => {
      const path = await agentWith(['x']);
      const { body, status } = await api.call('PATCH', path, { json: {} });
      expect(status).toBe(200);
      expect(body).toMatchObject({ prompt: 'x', latest_version: 1 });
    });

    test('the name cannot change, and the prompt cannot go', async () => {
      const path = await agentWith(['x']);
      const named = await api.call('PATCH', path, { json: { name: 'other' } });
      expect(named.status).toBe(422);
      expect(named.body.errors).toMatchObject([{ pointer: '/name', code: 'immutable' }]);
      expect((await api.call('PATCH', path, { json: { prompt: null } })).status).toBe(422);
      expect((await api.call('GET', path)).body.prompt).toBe('x');
    });

    test('what is not content makes no version', async () => {
      const path = await agentWith(['x']);
      const json = { display_name: 'New', metadata: { a: 'b' }, publish_policy: 'manual' };
      const { body } = await api.call('PATCH', path, { json });
      expect(body).toMatchObject({ ...json, latest_version: 1 });
    });
  });

  describe('publish, rollback and history', () => {
    test('a rollback pins the version that was live, with its reason, and publish goes on', async () => {
      const path = await agentWith(['one', 'two']);
      const back = await api.call('POST', `${path}/rollback`, { json: { reason: 'wrong dates' } });
      expect(back.status).toBe(200);
      expect(back.body).toMatchObject({ active_version: 1, pinned_version: 1, latest_version: 2 });
      const edited = await api.call('PATCH', path, { json: { prompt: 'three' } });
      expect(edited.body).toMatchObject({ active_version: 1, latest_version: 3 });
      const on = await api.call('POST', `${path}/publish`);
      expect(on.status).toBe(200);
      expect(on.body).toMatchObject({ active_version: 3, pinned_version: null });

      const { body } = await api.call('GET', `${path}/activations`);
      const actor = expect.stringMatching(/^api:key_[0-9a-z]{26}$/);
      const at = expect.any(Number);
      const handoffs: unknown[] = [];
      expect(body.data).toEqual([
        { action: 'published', from_version: 1, to_version: 3, actor, reason: null, handoffs, at },
        {
          action: 'rolled_back',
          from_version: 2,
          to_version: 1,
          actor,
          reason: 'wrong dates',
          handoffs,
          at,
        },
        { action: 'published', from_version: 1, to_version: 2, actor, reason: null, handoffs, at },
        {
          action: 'published',
          from_version: null,
          to_version: 1,
          actor,
          reason: null,
          handoffs,
          at,
        },
      ]);
    });

    test('under manual nothing is live until it is published', async () => {
      const path = await agentWith(['one'], { publish_policy: 'manual' });
      expect((await api.call('GET', path)).body).toMatchObject({
        active_version: null,
        latest_version: 1,
      });
      const none = await api.call('POST', `${path}/rollback`);
      expect(none.status).toBe(409);
      expect(none.body.code).toBe('nothing_to_roll_back_to');
      expect((await api.call('POST', `${path}/publish`, { json: {} })).body).toMatchObject({
        active_version: 1,
        pinned_version: 1,
      });
    });

    test('a version that is not there, or not below, is 422', async () => {
      const path = await agentWith(['one', 'two']);
      const publish = await api.call('POST', `${path}/publish`, { json: { version: 9 } });
      const errors = [{ pointer: '/version' }];
      expect(publish).toMatchObject({ status: 422, body: { code: 'unknown_version', errors } });
      const rollback = await api.call('POST', `${path}/rollback`, { json: { version: 2 } });
      expect(rollback.status).toBe(422);
      expect((await api.call('GET', path)).body.active_version).toBe(2);
    });

    test('versions are listed newest first, read alone and compared', async () => {
      const path = await agentWith(['one', 'two', 'three'], { voice: { speed: 1 } });
      const list = await api.call('GET', `${path}/versions?limit=2`);
      expect(list.body.data.map(({ version }: { version: number }) => version)).toEqual([3, 2]);
      expect(list.body.has_more).toBe(true);
      const rest = await api.call('GET', `${path}/versions?cursor=${list.body.next_cursor}`);
      expect(rest.body.data).toEqual([
        {
          version: 1,
          content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          content: { prompt: 'one', voice: { speed: 1 } },
          created: expect.any(Number),
          created_by: expect.stringMatching(/^api:key_/),
          recalled_at: null,
        },
      ]);
      expect((await api.call('GET', `${path}/versions/1`)).body).toEqual(rest.body.data[0]);
      const diff = await api.call('GET', `${path}/versions/1/diff/3`);
      expect(diff.body).toEqual({
        from: 1,
        to: 3,
        changes: [{ path: '/prompt', before: 'one', after: 'three' }],
      });
      for (const wrong of ['9', '0', '-1', 'x', '1.0', '99999999999999999999']) {
        expect((await api.call('GET', `${path}/versions/${wrong}`)).status).toBe(404);
      }
      const pages = await api.call('GET', `${path}/activations?limit=1`);
      const next = await api.call('GET', `${path}/activations?cursor=${pages.body.next_cursor}`);
      expect(next.body.data).toHaveLength(2);
    });
  });

  describe('what others manage', () => {
    test('a field of a manifest, and the deletion of its agent, are 409; publishing works', async () => {
      await api.engine.declareAgent('by-file', { prompt: 'one' }, 'file');
      await api.engine.settled('Agent', 'by-file');
      const { body: list } = await api.call('GET', '/v1/agents?limit=100');
      const agent = list.data.find(({ name }: { name: string }) => name === 'by-file');
      expect(agent.managed_by).toBe('file');
      const path = `/v1/agents/${agent.id}`;

      const patched = await api.call('PATCH', path, { json: { prompt: 'two' } });
      expect(patched.status).toBe(409);
      expect(patched.body).toMatchObject({
        code: 'managed_elsewhere',
        errors: [{ pointer: '/prompt', detail: 'is managed by file' }],
      });
      const deleted = await api.call('DELETE', path);
      expect(deleted.status).toBe(409);
      expect(deleted.body.code).toBe('managed_elsewhere');

      const free = await api.call('PATCH', path, { json: { first_message: 'Hi' } });
      expect(free.status).toBe(200);
      const back = await api.call('POST', `${path}/rollback`, { json: { version: 1 } });
      expect(back.body).toMatchObject({ active_version: 1, pinned_version: 1 });
    });

    test('a pin that a manifest sets is moved there and nowhere else', async () => {
      await api.engine.declareAgent('pinned', { prompt: 'one', pinnedVersion: 1 }, 'file');
      await api.engine.settled('Agent', 'pinned');
      const { body: list } = await api.call('GET', '/v1/agents?limit=100');
      const { id } = list.data.find(({ name }: { name: string }) => name === 'pinned');
      await api.call('PATCH', `/v1/agents/${id}`, { json: { first_message: 'Hi' } });
      const { status, body } = await api.call('POST', `/v1/agents/${id}/publish`, {
        json: { version: 2 },
      });
      expect(status).toBe(409);
      expect(body.code).toBe('managed_elsewhere');
    });
  });

  test('a deleted agent is gone, and deleting it again is 404', async () => {
    const path = await agentWith(['x']);
    expect((await api.call('DELETE', path)).status).toBe(204);
    expect((await api.call('GET', path)).status).toBe(404);
    expect((await api.call('DELETE', path)).status).toBe(404);
  });
});
