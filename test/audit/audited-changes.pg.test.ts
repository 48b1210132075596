import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type Api, type Reply } from '../roles/api/api-setup.ts';

/** Lines show changes, and never a secret or a word of a user (contract/audit-log.md#lines). */

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const call = (method: string, path: string, json?: unknown): Promise<Reply> =>
  api.call(method, path, json === undefined ? {} : { json });

const made = async (path: string, json: unknown): Promise<string> => {
  const { status, body } = await call('POST', path, json);
  expect(status).toBe(201);
  return body.id;
};

/** Newest first. */
const linesOf = async (target: string): Promise<Reply['body'][]> =>
  (await call('GET', `/v1/audit_log?target=${target}`)).body.data;

test('of an agent: its versions, the fields that changed by name, never a content', async () => {
  const id = await made('/v1/agents', { name: 'shop', prompt: 'You sell bicycles.' });
  const path = `/v1/agents/${id}`;
  await call('PATCH', path, {
    prompt: 'You repair tandems.',
    display_name: 'Shop',
    metadata: { team: 'green' },
  });
  await call('POST', `${path}/rollback`, { reason: 'too chatty' });
  await call('POST', `${path}/publish`, { version: 2 });
  await call('DELETE', path);
  const lines = await linesOf(id);
  expect(lines.map(({ action, before, after, detail }) => [action, before, after, detail])).toEqual(
    [
      [
        'agent.deleted',
        { name: 'shop', managed_by: 'api', active_version: 2, latest_version: 2 },
        null,
        {},
      ],
      [
        'agent.published',
        { active_version: 1, latest_version: 2, pinned_version: 1 },
        { active_version: 2, latest_version: 2, pinned_version: 2 },
        {},
      ],
      [
        'agent.rolled_back',
        { active_version: 2, latest_version: 2, pinned_version: null },
        { active_version: 1, latest_version: 2, pinned_version: 1 },
        {},
      ],
      [
        'agent.updated',
        { active_version: 1, latest_version: 1, display_name: null },
        { active_version: 2, latest_version: 2, display_name: 'Shop' },
        { changed: ['display_name', 'metadata.team', 'prompt'] },
      ],
      ['agent.created', null, { name: 'shop', active_version: 1, latest_version: 1 }, {}],
    ],
  );
  expect(JSON.stringify(lines)).not.toMatch(/bicycles|tandems|green|chatty/);
});

test('of an endpoint: where it sends what, header names, never a value or a secret', async () => {
  const { body } = await call('POST', '/v1/webhooks', {
    url: 'https://example.com/hook?token=hidden-1',
    headers: { 'x-shop': 'hidden-2' },
    metadata: { team: 'hidden-3' },
  });
  const path = `/v1/webhooks/${body.id}`;
  await call('PATCH', path, {
    enabled: false,
    url: 'https://example.com/hook?token=hidden-4',
    headers: { 'x-shop': 'hidden-5', 'x-two': 'hidden-6' },
    metadata: { team: 'hidden-7' },
  });
  const rotated = await call('POST', `${path}/rotate_secret`, {});
  await call('DELETE', path);
  const lines = await linesOf(body.id);
  expect(lines.map(({ action }) => action)).toEqual([
    'webhook.deleted',
    'webhook.secret_rotated',
    'webhook.updated',
    'webhook.created',
  ]);
  const [deleted, rotation, updated, created] = lines;
  expect(created.after).toEqual({ url: 'https://example.com/hook', header_names: ['x-shop'] });
  expect(updated).toMatchObject({
    before: { enabled: true, header_names: ['x-shop'] },
    after: { enabled: false, header_names: ['x-shop', 'x-two'] },
    detail: {
      changed: [
        'enabled',
        'header_names',
        'headers.x-shop',
        'headers.x-two',
        'metadata.team',
        'url',
      ],
    },
  });
  expect(rotation).toMatchObject({
    before: { secret_rotation: null },
    after: { secret_rotation: { activates_at: expect.any(Number), ends_at: expect.any(Number) } },
  });
  expect(deleted).toMatchObject({
    before: { url: 'https://example.com/hook', enabled: false },
    after: null,
  });
  const text = JSON.stringify(lines);
  expect(text).not.toMatch(/hidden/);
  for (const secret of [body.secret, rotated.body.secret]) expect(text).not.toContain(secret);
});

test('of escalations and gaps: how they stand, never a word', async () => {
  const agent = await made('/v1/agents', { prompt: 'You sell bicycles.' });
  const conversation = await made('/v1/conversations', { agent_id: agent });
  const escalation = await made(`/v1/conversations/${conversation}/escalate`, {
    reason: 'hidden reason',
  });
  const accept = { accepted_by: { id: 'u1', name: 'hidden name' } };
  await call('POST', `/v1/escalations/${escalation}/accept`, accept);
  await call('POST', `/v1/escalations/${escalation}/messages`, { text: 'hidden message' });
  await call('POST', `/v1/escalations/${escalation}/complete`);
  const lines = await linesOf(escalation);
  expect(lines.map(({ action, before, after }) => [action, before, after])).toEqual([
    ['escalation.completed', { status: 'accepted' }, { status: 'completed' }],
    [
      'escalation.accepted',
      { status: 'requested' },
      { status: 'accepted', accepted_by: { id: 'u1' } },
    ],
    ['escalation.requested', null, { status: 'requested', conversation_id: conversation }],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/hidden/);
});

test('what was refused leaves none', async () => {
  const id = await made('/v1/agents', { name: 'once', prompt: 'x' });
  const before = await linesOf(id);
  expect((await call('POST', '/v1/agents', { name: 'once', prompt: 'x' })).status).toBe(409);
  expect((await call('POST', `/v1/agents/${id}/publish`, { version: 9 })).status).toBe(422);
  const stale = { headers: { 'if-match': '"9-0"' }, json: { prompt: 'y' } };
  expect((await api.call('PATCH', `/v1/agents/${id}`, stale)).status).toBe(412);
  expect(await linesOf(id)).toEqual(before);
  const { data } = (await call('GET', '/v1/audit_log?action=agent.created&limit=1')).body;
  expect(data[0].target).toBe(id);
});
