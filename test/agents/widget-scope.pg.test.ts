import { beforeEach, expect, test } from 'vitest';
import { newTenant, type Tenant } from '../roles/api/shared-api.ts';

/** Opening the live agent to more people needs the scope `publish` (contract/agents.md#widget). */

let tenant: Tenant;
let writer: string;
beforeEach(async () => {
  tenant = await newTenant();
  writer = await tenant.newKey(['read', 'write']);
});

const widget = { allowed_origins: ['https://shop.example.com'] };
const OPEN = { status: 403, body: { code: 'missing_scope' } };

test('a new agent that is not live yet is not opened to web pages either', async () => {
  const post = (fields: object) =>
    tenant.call('POST', '/v1/agents', {
      key: writer,
      json: { prompt: 'Help.', publish_policy: 'manual', ...fields },
    });
  const refused = await post({ widget });
  expect(refused).toMatchObject(OPEN);
  expect(refused.body.detail).toMatch(/the `publish` scope: `widget` opens/);
  expect((await post({})).status).toBe(201);
});

test('a live agent is opened with `publish`, and closed without it', async () => {
  const { body } = await tenant.call('POST', '/v1/agents', { json: { prompt: 'Help.' } });
  const patch = (json: object, key: string) =>
    tenant.call('PATCH', `/v1/agents/${body.id}`, { key, json });
  expect((await patch({ widget: {} }, writer)).status).toBe(422);
  expect(await patch({ widget, display_name: 'Changed' }, writer)).toMatchObject(OPEN);
  const before = await tenant.call('GET', `/v1/agents/${body.id}`);
  expect(before.body).toMatchObject({ widget: null, display_name: null });
  const publisher = await tenant.newKey(['read', 'write', 'publish']);
  expect((await patch({ widget: { ...widget, max_concurrent: 5 } }, publisher)).status).toBe(200);
  expect(await patch({ widget: { max_concurrent: 6 } }, writer)).toMatchObject(OPEN);
  expect(await patch({ widget: { max_concurrent: null } }, writer)).toMatchObject(OPEN);
  for (const change of [{ prompt: 'Two.' }, { widget: { max_concurrent: 4 } }, { widget: null }]) {
    expect((await patch(change, writer)).status).toBe(200);
  }
});
