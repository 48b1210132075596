import { describe, expect, test } from 'vitest';
import { resolveConfigMap, resolveSecret } from '../../../src/platform/reconcile/references.ts';
import { createMemoryResourceStore } from '../resources/memory-resource-store.ts';

/** Contract §6: what an object may read of a Secret or a ConfigMap, and what a condition says. */

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
