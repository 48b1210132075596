import { describe, expect, test } from 'vitest';
import {
  resolveConfigMap,
  resolveSecret,
  resolveWholeSecret,
} from '../../../src/platform/reconcile/references.ts';
import { createMemoryResourceStore } from '../resources/memory-resource-store.ts';

/**
 * Secrets and ConfigMaps that an object may read, and messages of conditions (contract/custom-resources.md#secrets).
 */

const REF = { name: 'shop', key: 'token' };

type Meta = { labels?: Record<string, string>; annotations?: Record<string, string> };

async function storeWith(kind: string, meta: Meta = {}, data: unknown = { token: 'abc' }) {
  const store = createMemoryResourceStore();
  await store.apply(
    { kind, namespace: 'default', name: 'shop', spec: { data }, ...meta },
    { fieldManager: 'kubectl' },
  );
  return store;
}

describe('a Secret', () => {
  const allowed = { labels: { 'parley.dev/allow': 'true' } };

  test('is read when its label says so', async () => {
    const store = await storeWith('Secret', allowed);
    expect(await resolveSecret(store, 'default', REF)).toEqual({ value: 'abc' });
  });

  test.each<[string, Meta]>([
    ['has no label', {}],
    ['says "false"', { labels: { 'parley.dev/allow': 'false' } }],
    ['says "True"', { labels: { 'parley.dev/allow': 'True' } }],
    ['says nothing', { labels: { 'parley.dev/allow': '' } }],
    ['has another label', { labels: { allow: 'true' } }],
    ['has an annotation of that name', { annotations: { 'parley.dev/allow': 'true' } }],
  ])('that %s is not', async (_, meta) => {
    const store = await storeWith('Secret', meta);
    expect(await resolveSecret(store, 'default', REF)).toMatchObject({
      reason: 'SecretNotAllowed',
      message: expect.stringContaining('parley.dev/allow: "true"'),
    });
  });

  test('is one of the own namespace', async () => {
    const store = await storeWith('Secret', allowed);
    expect(await resolveSecret(store, 'other', REF)).toMatchObject({ reason: 'SecretNotFound' });
  });

  test.each([{}, { other: 'abc' }, undefined])('has the key, or says so: %j', async (data) => {
    const store = await storeWith('Secret', allowed, data ?? null);
    expect(await resolveSecret(store, 'default', REF)).toMatchObject({
      reason: 'KeyNotFound',
      message: 'Secret shop has no key token',
    });
  });
});

describe('the Secret of an endpoint', () => {
  const ALLOWED = { 'parley.dev/allow': 'true' };
  const OWN = { name: 'ledger-signing', key: 'secret' };
  const NOT_ALLOWED = {
    reason: 'SecretNotAllowed',
    message: expect.stringContaining('belongs to a webhook endpoint'),
  };

  async function own(by: string, labels: Record<string, string> = {}, endpoint?: object) {
    const store = createMemoryResourceStore();
    const place = { namespace: 'default', name: OWN.name, labels: { ...ALLOWED, ...labels } };
    const secret = { kind: 'Secret', ...place, spec: { data: { secret: 'whsec_a' } } };
    await store.apply(secret, { fieldManager: by });
    if (endpoint) {
      const place = {
        namespace: 'default',
        name: 'ledger',
        spec: { url: 'https://a', ...endpoint },
      };
      await store.apply({ kind: 'WebhookEndpoint', ...place }, { fieldManager: 'kubectl' });
    }
    return store;
  }

  test.each<[string, Parameters<typeof own>]>([
    ['that an earlier release made for REST', ['parley-api']],
    ['that an earlier release made for a manifest', ['parley-operator']],
    ['that has the label', ['kubectl', { 'parley.dev/endpoint': 'ledger' }]],
    ['that its owner declared under its name', ['kubectl', {}, {}]],
  ])('%s is read by nothing else', async (_, made) => {
    const store = await own(...made);
    expect(await resolveSecret(store, 'default', OWN)).toEqual(NOT_ALLOWED);
    expect(await resolveWholeSecret(store, 'default', OWN.name)).toEqual(NOT_ALLOWED);
    const another = { endpoint: 'another' };
    expect(await resolveSecret(store, 'default', OWN, another)).toEqual(NOT_ALLOWED);
    const itself = { endpoint: 'ledger' };
    expect(await resolveSecret(store, 'default', OWN, itself)).toEqual({ value: 'whsec_a' });
  });

  test('that an endpoint reads as its own still needs the label', async () => {
    const store = await own('parley-operator', { 'parley.dev/allow': 'false' });
    expect(await resolveSecret(store, 'default', OWN, { endpoint: 'ledger' })).toMatchObject({
      message: expect.stringContaining('needs the label'),
    });
  });

  test.each<[string, object | undefined]>([
    ['belongs to no endpoint', undefined],
    ['its owner named in a secretRef', { secretRef: OWN }],
  ])('a Secret of such a name that %s is read as any other', async (_, endpoint) => {
    const store = await own('kubectl', {}, endpoint);
    expect(await resolveSecret(store, 'default', OWN)).toEqual({ value: 'whsec_a' });
  });
});

test('a ConfigMap needs no label; it is of the own namespace and has the key', async () => {
  const store = await storeWith('ConfigMap');
  expect(await resolveConfigMap(store, 'default', REF)).toEqual({ value: 'abc' });
  expect(await resolveConfigMap(store, 'other', REF)).toMatchObject({
    reason: 'ConfigMapNotFound',
  });
  expect(await resolveConfigMap(store, 'default', { ...REF, key: 'constructor' })).toMatchObject({
    reason: 'KeyNotFound',
  });
});
