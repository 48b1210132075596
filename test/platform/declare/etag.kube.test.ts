import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEachStore } from '../../roles/each-store.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';

/** `ETag` and `If-Match`, in both stores of declarations (contract/requests.md#etags). */
describeEachStore((storeName) => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ storeName });
  });
  afterAll(() => api.stop());

  const THINGS = [
    ['agents', { prompt: 'one' }, { prompt: 'two' }, { prompt: 'three' }],
    [
      'webhooks',
      { url: 'https://example.com/1' },
      { url: 'https://example.com/2' },
      { url: 'https://example.com/3' },
    ],
  ] as const;

  const statusesOf = (replies: Reply[]): number[] =>
    replies.map(({ status }) => status).sort((a, b) => a - b);
  const tagOf = ({ headers }: Reply): string => headers.get('etag')!;

  async function make(kind: string, json: object): Promise<{ path: string; tag: string }> {
    const made = await api.call('POST', `/v1/${kind}`, { json });
    expect(made.status).toBe(201);
    return { path: made.headers.get('location')!, tag: tagOf(made) };
  }

  /** Sends a request with If-Match and returns the answer. */
  const matching = (
    match: string,
    [method, path, json]: readonly [string, string, unknown?],
  ): Promise<Reply> =>
    api.call(method, path, {
      headers: { 'if-match': match },
      ...(json !== undefined && { json }),
    });

  test('If-Match where nothing is checked is 400, and nothing is done', async () => {
    const { path, tag } = await make('agents', { prompt: 'one' });
    const source = { type: 'file', name: 'checked' };
    const { path: file } = await make('knowledge/sources', source);
    const requests = [
      ['GET', path],
      ['POST', '/v1/agents', { prompt: 'two' }],
      ['POST', `${file}/sync`],
      ['POST', '/v1/conversations', { agent_id: path.split('/').at(-1) }],
    ] as const;
    for (const request of requests) {
      for (const match of [tag, '*']) {
        expect(await matching(match, request)).toMatchObject({
          status: 400,
          body: { code: 'malformed_request', detail: expect.stringContaining('If-Match') },
        });
      }
    }
    const upload = await api.call('PUT', `${file}/content`, {
      body: 'We open at nine.',
      headers: { 'content-type': 'text/plain', 'if-match': '*' },
    });
    expect(upload.status).toBe(400);
    expect((await api.call('GET', file)).body).toMatchObject({ documents: 0 });
    expect((await api.call('GET', '/v1/conversations')).body.data).toEqual([]);
  });

  describe.each(THINGS)('%s', (kind, first, second, third) => {
    test('every answer has a strong tag, which moves with what is declared and with nothing else', async () => {
      const { path, tag } = await make(kind, first);
      expect(tag).toMatch(/^"[!#-~]+"$/);
      expect(tagOf(await api.call('GET', path))).toBe(tag);
      const unchanged = await api.call('PATCH', path, { json: first });
      expect(tagOf(unchanged)).toBe(tag);
      const changed = await api.call('PATCH', path, { json: second });
      expect(tagOf(changed)).not.toBe(tag);
      expect(tagOf(await api.call('GET', path))).toBe(tagOf(changed));
      const back = await api.call('PATCH', path, { json: first });
      expect([tag, tagOf(changed)]).not.toContain(tagOf(back));
      expect((await make(kind, first)).tag).not.toBe(tag);
    });

    test('a stale tag is 412 and changes nothing, on PATCH and on DELETE', async () => {
      const { path, tag } = await make(kind, first);
      const changed = await api.call('PATCH', path, { json: second });
      for (const request of [
        ['PATCH', path, third],
        ['DELETE', path],
      ] as const) {
        const reply = await matching(tag, request);
        expect([reply.status, reply.body.code]).toEqual([412, 'precondition_failed']);
      }
      const read = await api.call('GET', path);
      expect(read.body).toMatchObject(second);
      expect(tagOf(read)).toBe(tagOf(changed));
    });

    test('the present tag, one of several, or * goes through', async () => {
      const { path, tag } = await make(kind, first);
      const two = await matching(tag, ['PATCH', path, second]);
      expect(two.status).toBe(200);
      const three = await matching(`"other", ${tagOf(two)} ,"x"`, ['PATCH', path, third]);
      expect(three.status).toBe(200);
      expect((await matching('*', ['PATCH', path, first])).status).toBe(200);
      const last = tagOf(await api.call('GET', path));
      expect((await matching(last, ['DELETE', path])).status).toBe(204);
      expect((await matching('*', ['DELETE', path])).status).toBe(404);
    });

    test('a weak tag never matches', async () => {
      const { path, tag } = await make(kind, first);
      expect((await matching(`W/${tag}`, ['PATCH', path, second])).status).toBe(412);
    });

    test.each(['x', '', '"x', '"x" "y"', '*, "x"', '"x",', "'x'"])(
      'If-Match: %s is malformed: 400, and changes nothing',
      async (header) => {
        const { path, tag } = await make(kind, first);
        for (const request of [
          ['PATCH', path, second],
          ['DELETE', path],
        ] as const) {
          const reply = await matching(header, request);
          expect([reply.status, reply.body.code]).toEqual([400, 'malformed_request']);
        }
        expect(tagOf(await api.call('GET', path))).toBe(tag);
      },
    );

    test('of 10 writers who read the same, one writes', async () => {
      const { path, tag } = await make(kind, first);
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          matching(tag, ['PATCH', path, { metadata: { writer: String(i) } }]),
        ),
      );
      expect(statusesOf(replies)).toEqual([200, ...Array(9).fill(412)]);
    });

    test('it is of the declared object: its uid and generation', async () => {
      const { path, tag } = await make(kind, first);
      const object = kind === 'agents' ? 'Agent' : 'WebhookEndpoint';
      const { name } = (await api.call('GET', path)).body;
      const stored = await api.engine.store.get(object, { namespace: 'default', name });
      expect(tag).toBe(
        `"${stored!.metadata.generation}-${stored!.metadata.uid.replaceAll('-', '')}"`,
      );
    });
  });

  describe('publish and rollback', () => {
    async function threeVersions(): Promise<{ path: string; tag: string; stale: string }> {
      const { path, tag: stale } = await make('agents', { prompt: '1' });
      await api.call('PATCH', path, { json: { prompt: '2' } });
      const last = await api.call('PATCH', path, { json: { prompt: '3' } });
      return { path, stale, tag: tagOf(last) };
    }

    test.each([
      ['publish', { version: 1 }, 1],
      ['rollback', {}, 2],
    ])('%s takes If-Match and answers the new tag', async (act, json, active) => {
      const { path, tag, stale } = await threeVersions();
      const request = ['POST', `${path}/${act}`, json] as const;
      expect((await matching(stale, request)).status).toBe(412);
      expect((await matching('x', request)).status).toBe(400);
      expect((await api.call('GET', path)).body.active_version).toBe(3);
      const done = await matching(tag, request);
      expect([done.status, done.body.active_version]).toEqual([200, active]);
      expect(tagOf(done)).not.toBe(tag);
      expect(tagOf(await api.call('GET', path))).toBe(tagOf(done));
      expect((await matching(tag, request)).status).toBe(412);
    });

    test('of two rollbacks that saw the same, one happens', async () => {
      const { path, tag } = await threeVersions();
      const request = ['POST', `${path}/rollback`, {}] as const;
      const replies = await Promise.all([matching(tag, request), matching(tag, request)]);
      expect(statusesOf(replies)).toEqual([200, 412]);
      expect((await api.call('GET', path)).body.active_version).toBe(2);
    });
  });

  test('lists and things that are not declared have no tag', async () => {
    for (const path of ['/v1/agents', '/v1/webhooks', '/v1/events', '/v1/api_keys']) {
      expect((await api.call('GET', path)).headers.get('etag')).toBeNull();
    }
  });
});
