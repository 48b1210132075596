import { beforeEach, expect, test } from 'vitest';
import { awaitCondition } from '../../agents/agents.ts';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';

/** A website that no sync could read is refused when it is declared, as feeds and endpoints are. */

const SOURCES = '/v1/knowledge/sources';
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant();
});

const website = (url: string) => ({ type: 'website', website: { url } });

test.each(['https://10.0.0.1/', 'https://intranet.corp/help', 'http://example.com/'])(
  '%s is refused at its place, by POST and PATCH',
  async (url) => {
    const problem = {
      status: 422,
      body: { code: 'invalid_body', errors: [{ pointer: '/website/url', code: 'invalid_url' }] },
    };
    expect(await tenant.call('POST', SOURCES, { json: website(url) })).toMatchObject(problem);
    const json = { ...website('https://example.invalid/a#part'), schedule: '@monthly' };
    const { status, body } = await tenant.call('POST', SOURCES, { json });
    expect(status).toBe(201);
    const path = `${SOURCES}/${body.id}`;
    const change = { json: { website: { url } } };
    expect(await tenant.call('PATCH', path, change)).toMatchObject(problem);
    const { body: kept } = await tenant.call('GET', path);
    expect(kept.website.url).toBe('https://example.invalid/a#part');
    await tenant.call('DELETE', path);
  },
);

test('a manifest says so in a condition, and no sync begins', async () => {
  const { engine } = tenant.api;
  const place = { kind: 'KnowledgeSource', namespace: tenant.namespace, name: 'inside' };
  const spec = website('https://10.0.0.1/');
  await engine.store.apply({ ...place, spec }, { fieldManager: 'kubectl' });
  await awaitCondition(engine, place, { type: 'Accepted', status: 'False', reason: 'InvalidUrl' });
  const { body } = await tenant.call('GET', SOURCES);
  expect(body.data).toMatchObject([{ ready: false, sync: null, last_sync: null }]);
  expect(body.data[0].status_message).toContain('spec.website.url: The address 10.0.0.1');
});
