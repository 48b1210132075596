import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/config.ts';
import { readManifest } from '../../src/platform/manifests/object.ts';
import { parseYaml } from '../../src/platform/manifests/yaml.ts';
import { buildCrd, crdFileName } from '../../src/platform/resources/schema/crd.ts';
import { createRoutes, describeRoutes } from '../../src/roles/describe-routes.ts';
import { KINDS } from '../../src/roles/kinds.ts';
import { startApi, type Api, type Reply } from '../roles/api/api-setup.ts';
import { followStream } from '../events/follow-stream.ts';
import { GREETING, GREETINGS } from './greeting.kind.ts';

/** A kind that only its own file and one entry of the list know has all that the others have (docs/kinds.md). */

const kinds = [...KINDS, GREETING];
const FEW = 3;

// The list of kinds and the limits differ from those that other files share.
let api: Api;
beforeAll(async () => {
  const limits = { ...DEFAULT_LIMITS, quotas: { ...DEFAULT_LIMITS.quotas, greetings: FEW } };
  api = await startApi({ kinds, limits, operator: false, projectionWaitMs: 30_000 });
  await api.engine.pool.query(GREETINGS);
  await api.engine.startOperator({ limits });
});
afterAll(() => api?.stop());

const namespaces = ['a', 'b', 'c', 'd', 'e'];
async function newCaller() {
  const namespace = namespaces.pop()!;
  const key = await api.newKey(namespace);
  const call = (method: string, path: string, json?: unknown): Promise<Reply> =>
    api.call(method, path, json === undefined ? { key } : { key, json });
  const actions = async (id: string): Promise<unknown[]> => {
    const { body } = await call('GET', `/v1/audit_log?target=${id}`);
    return body.data.map(({ action, before, after }: Record<string, unknown>) => {
      return { action, before, after };
    });
  };
  return { namespace, key, call, actions };
}

test('REST creates, reads, lists, changes and deletes it, and each write is audited', async () => {
  const { call, actions } = await newCaller();
  const made = await call('POST', '/v1/greetings', { name: 'hi', text: 'Hello' });
  expect(made).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^gr_/) } });
  const { id } = made.body;
  expect(made.headers.get('location')).toBe(`/v1/greetings/${id}`);
  expect(made.body).toMatchObject({ text: 'Hello', spoken_by: null, metadata: {}, ready: true });
  const path = `/v1/greetings/${id}`;
  expect((await call('GET', path)).body).toEqual(made.body);
  await call('POST', '/v1/greetings', { text: 'Good evening' });
  const texts = async (query: string): Promise<string[]> =>
    (await call('GET', `/v1/greetings${query}`)).body.data.map(
      ({ text }: { text: string }) => text,
    );
  expect(await texts('')).toEqual(['Good evening', 'Hello']);
  expect(await texts('?name=hi')).toEqual(['Hello']);
  expect(await texts('?text=Good%20evening')).toEqual(['Good evening']);
  const patched = await call('PATCH', path, { spoken_by: 'Ann', metadata: { tier: 'gold' } });
  expect(patched).toMatchObject({ status: 200, body: { spoken_by: 'Ann', text: 'Hello' } });
  expect(await call('PATCH', path, { name: 'other' })).toMatchObject({
    status: 422,
    body: { detail: 'The `name` of the greeting cannot change. Create another greeting instead.' },
  });
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
  expect(await actions(id)).toEqual([
    {
      action: 'greeting.deleted',
      before: { name: 'hi', text: 'Hello', managed_by: 'api' },
      after: null,
    },
    { action: 'greeting.updated', before: {}, after: {} },
    { action: 'greeting.created', before: null, after: { name: 'hi', text: 'Hello' } },
  ]);
});

test('what the kind itself refuses is named by its field', async () => {
  const { call } = await newCaller();
  expect(await call('POST', '/v1/greetings', { text: 'rude' })).toMatchObject({
    status: 422,
    body: { detail: 'text: must be polite', errors: [{ pointer: '/text', code: 'rude' }] },
  });
  expect(await call('POST', '/v1/greetings', { name: 'none', text: 'x' })).toMatchObject({
    status: 422,
    body: { detail: 'none is no greeting', errors: [{ code: 'reserved_name' }] },
  });
  expect((await call('POST', '/v1/greetings', { text: '' })).body.errors).toEqual([
    expect.objectContaining({ pointer: '/text' }),
  ]);
});

test('a manifest declares it, and the audit log names who did', async () => {
  const { namespace, call, actions } = await newCaller();
  const { store, validate } = api.engine;
  const text = `apiVersion: parley.dev/v1alpha1
kind: Greeting
metadata: {name: hello, namespace: ${namespace}}
spec: {text: Hello, spokenBy: Ann}
`;
  const [document] = parseYaml('greeting.yaml', text).documents;
  const { objects, problems } = readManifest(document!, validate);
  expect(problems).toEqual([]);
  await store.apply(objects[0]!.applied!, { fieldManager: 'kubectl' });
  const { status } = await api.engine.settled('Greeting', 'hello', namespace);
  expect(status).toMatchObject({
    greetingId: expect.stringMatching(/^gr_/),
    observedGeneration: 1,
  });
  const id = String(status['greetingId']);
  const { body } = await call('GET', `/v1/greetings/${id}`);
  expect(body).toMatchObject({ managed_by: 'kubernetes', spoken_by: 'Ann', ready: true });
  expect((await call('DELETE', `/v1/greetings/${id}`)).status).toBe(409);
  await store.delete('Greeting', { namespace, name: 'hello' });
  await api.engine.eventually(
    async () => (await call('GET', `/v1/greetings/${id}`)).status === 404,
  );
  const log = { text: 'Hello', name: 'hello', managed_by: 'kubernetes' };
  expect(await actions(id)).toEqual([
    { action: 'greeting.deleted', before: log, after: null },
    { action: 'greeting.created', before: null, after: log },
  ]);
  const misspelt = parseYaml('greeting.yaml', text.replace('spokenBy', 'spoken_by')).documents;
  expect(readManifest(misspelt[0]!, validate).problems).toMatchObject([
    { field: 'spec.spoken_by' },
  ]);
});

test('its quota counts it, and the usage shows it', async () => {
  const { key, call } = await newCaller();
  for (let i = 0; i < FEW; i += 1) await call('POST', '/v1/greetings', { text: 'Hello' });
  expect(await call('POST', '/v1/greetings', { text: 'Hello' })).toMatchObject({
    status: 409,
    body: {
      code: 'quota_exceeded',
      detail: `The namespace has ${FEW} of at most ${FEW} greetings (PARLEY_QUOTA_GREETINGS). To add more, delete some, or ask the operator to raise the limit.`,
    },
  });
  // `call` knows the answer without this kind.
  const headers = { authorization: `Bearer ${key}` };
  const usage: unknown = await (await fetch(`${api.url}/v1/usage`, { headers })).json();
  expect(usage).toHaveProperty('quotas.greetings', { limit: FEW, used: FEW });
});

test('readers of changes get its id', async () => {
  const { key, call } = await newCaller();
  const stream = await followStream(api.url, { key, query: '?changes=true' });
  const { body } = await call('POST', '/v1/greetings', { text: 'Hello' });
  await stream.until(() =>
    stream.got.some(({ event, data }) => event === 'change' && JSON.parse(data).id === body.id),
  );
  stream.close();
});

test('the OpenAPI document and its CRD describe it', () => {
  const routes = createRoutes({ kinds });
  const { paths, components } = describeRoutes(routes) as {
    paths: Record<string, Record<string, { operationId: string; summary: string }>>;
    components: { schemas: Record<string, object> };
  };
  const ids = ['/v1/greetings', '/v1/greetings/{id}'].flatMap((path) =>
    Object.values(paths[path] ?? {}).map(({ operationId }) => operationId),
  );
  expect(ids.toSorted()).toEqual([
    'createGreeting',
    'deleteGreeting',
    'getGreeting',
    'listGreetings',
    'updateGreeting',
  ]);
  expect(paths['/v1/greetings']?.['post']?.summary).toBe('Create a greeting');
  expect(Object.keys(components.schemas)).toContain('Greeting');
  const usage = JSON.stringify(components.schemas['Usage']);
  expect(usage).toContain('"greetings"');
  expect(crdFileName(GREETING)).toBe('parley.dev_greetings.yaml');
  const crd = buildCrd(GREETING);
  expect(crd.spec.names).toMatchObject({ kind: 'Greeting', plural: 'greetings' });
  const { spec } = crd.spec.versions[0]!.schema.openAPIV3Schema.properties!;
  expect(Object.keys(spec!.properties!)).toEqual(['text', 'spokenBy', 'metadata']);
});
