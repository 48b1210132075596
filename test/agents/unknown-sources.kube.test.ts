import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type Api } from '../roles/api/api-setup.ts';
import { describeKind } from '../roles/each-store.ts';

/** A source that a request names is there, or the request is refused at that place. */

const NOBODYS = 'ks_01jd0000000000000000000000';

describeKind((storeName) => {
  let api: Api;
  let id: string;
  beforeAll(async () => {
    api = await startApi({ storeName });
    id = await newSource('handbook');
  });
  afterAll(() => api?.stop());

  async function newSource(name: string, key = api.key): Promise<string> {
    const json = { type: 'text', name, text: 'We open at nine.' };
    const { status, body } = await api.call('POST', '/v1/knowledge/sources', { key, json });
    expect(status).toBe(201);
    return body.id;
  }

  const create = (knowledge: object) =>
    api.call('POST', '/v1/agents', { json: { prompt: 'Be kind.', knowledge } });

  test('a name or an id of nobody, or of another namespace, is 422 at its place', async () => {
    const foreign = await newSource('elsewhere', await api.newKey('other'));
    const refused = (list: string, at: number, named: string) => ({
      status: 422,
      body: {
        code: 'invalid_body',
        errors: [
          {
            pointer: `/knowledge/${list}/${at}`,
            code: 'unknown_source',
            detail: expect.stringContaining(named),
          },
        ],
      },
    });
    expect(await create({ source_names: ['handbook', 'handbok'] })).toMatchObject(
      refused('source_names', 1, 'handbok'),
    );
    expect(await create({ source_names: ['elsewhere'] })).toMatchObject(
      refused('source_names', 0, 'elsewhere'),
    );
    for (const unknown of [NOBODYS, foreign]) {
      expect(await create({ source_ids: [id, unknown] })).toMatchObject(
        refused('source_ids', 1, unknown),
      );
    }
    const { body } = await api.call('GET', '/v1/agents');
    expect(body.data).toEqual([]);
  });

  test('an agent keeps a source that was deleted, and is not given one that is not there', async () => {
    const old = await newSource('old');
    const { status, headers } = await create({ source_ids: [id, old] });
    expect(status).toBe(201);
    const path = headers.get('location')!;
    expect((await api.call('DELETE', `/v1/knowledge/sources/${old}`)).status).toBe(204);
    const patch = (json: object) => api.call('PATCH', path, { json });
    expect((await patch({ prompt: 'Be brief.' })).status).toBe(200);
    expect((await patch({ knowledge: { top_k: 3 } })).status).toBe(200);
    expect((await patch({ knowledge: { source_ids: [id, old] } })).status).toBe(422);
    expect((await patch({ knowledge: null })).status).toBe(200);
  });
});
