import { expect, test } from 'vitest';
import { applyRequest } from '../../../src/platform/kubernetes/write-requests.ts';

/** The request that a declaration becomes. */

const SECRET = { kind: 'Secret', namespace: 'shop', name: 'a-signing', spec: { data: {} } };

const metadataOf = (owner?: { kind: string; name: string; uid: string }): unknown => {
  const applied = { ...SECRET, ...(owner && { owner }) };
  return (applyRequest(applied, { fieldManager: 'x' }).body as { metadata: unknown }).metadata;
};

test('names the object that this one belongs to, whose deletion waits for nothing', () => {
  expect(metadataOf({ kind: 'WebhookEndpoint', name: 'a', uid: 'u' })).toEqual({
    namespace: 'shop',
    name: 'a-signing',
    ownerReferences: [
      { apiVersion: 'parley.dev/v1alpha1', kind: 'WebhookEndpoint', name: 'a', uid: 'u' },
    ],
  });
});

test('names none where it belongs to none', () => {
  expect(metadataOf()).toEqual({ namespace: 'shop', name: 'a-signing' });
});

test.each([
  [{ labels: { a: 'b' } }, { labels: { a: 'b' } }],
  [{ annotations: { c: 'd' } }, { annotations: { c: 'd' } }],
  [{}, {}],
])('has the labels and annotations of %j, and no others', (given, metadata) => {
  const { body } = applyRequest({ ...SECRET, ...given }, { fieldManager: 'x' });
  const place = { namespace: 'shop', name: 'a-signing' };
  expect(body).toMatchObject({ metadata: { ...place, ...metadata } });
  expect(Object.keys((body as { metadata: object }).metadata)).toEqual(
    Object.keys({ ...place, ...metadata }),
  );
});

test.each([
  [undefined, {}],
  ['7', { resourceVersion: '7' }],
  ['', { resourceVersion: expect.stringMatching(/./) }],
])('is for the version %j', (resourceVersion, metadata) => {
  const options = { fieldManager: 'x', ...(resourceVersion !== undefined && { resourceVersion }) };
  const { body } = applyRequest(SECRET, options);
  const place = { namespace: 'shop', name: 'a-signing' };
  expect((body as { metadata: unknown }).metadata).toEqual({ ...place, ...metadata });
});
