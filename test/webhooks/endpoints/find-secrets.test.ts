import { describe, expect, test } from 'vitest';
import { findSecrets, type FindSecretsDeps } from '../../../src/webhooks/endpoints/find-secrets.ts';
import type { Applied, Resource } from '../../../src/platform/resources/resource-store.ts';

/** Ownership of the Secret of an endpoint, by which a cluster deletes both even without an operator. */

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ENDPOINT = {
  kind: 'WebhookEndpoint',
  metadata: { namespace: 'shop', name: 'ledger', uid: 'uid-of-ledger' },
  spec: { url: 'https://rx.example.com/' },
  owners: { url: ['kubectl'] },
} as unknown as Parameters<typeof findSecrets>[1];
const OWNER = { kind: 'WebhookEndpoint', name: 'ledger', uid: 'uid-of-ledger' };

type There = {
  ownerUids?: string[] | undefined;
  labels?: Record<string, string>;
  managers?: string[];
  data?: Record<string, string>;
};

const LABELS = { 'parley.dev/allow': 'true', 'parley.dev/endpoint': 'ledger' };

const secret = ({
  ownerUids,
  labels = LABELS,
  managers = ['parley-operator'],
  data = {},
}: There): Resource =>
  ({
    kind: 'Secret',
    metadata: {
      namespace: 'shop',
      name: 'ledger-signing',
      labels,
      ...(ownerUids && { ownerUids }),
    },
    spec: { data: { secret: SECRET, ...data } },
    owners: { data: managers },
  }) as unknown as Resource;

/** What is applied for an endpoint of a manifest whose Secret is `there`; undefined: it has none. */
async function applied(there: Resource | undefined): Promise<Applied[]> {
  const writes: Applied[] = [];
  const apply = async (object: Applied): Promise<Resource> => {
    writes.push(object);
    const { data } = object.spec as { data: Record<string, string> };
    return { ...secret({ ownerUids: [OWNER.uid] }), spec: { data } };
  };
  const deps = {
    store: { get: async () => there, apply },
    nowMs: () => 0,
  } as unknown as FindSecretsDeps;
  expect(await findSecrets(deps, ENDPOINT, { id: 'x', stored: undefined })).toHaveProperty(
    'secrets',
  );
  return writes;
}

test('a Secret that is made belongs to the endpoint', async () => {
  expect(await applied(undefined)).toMatchObject([
    { kind: 'Secret', namespace: 'shop', name: 'ledger-signing', owner: OWNER },
  ]);
});

describe('a Secret that is there', () => {
  test('and that an older release made is given its owner, and keeps what is in it', async () => {
    const headers = JSON.stringify({ 'x-team': 'a' });
    const writes = await applied(secret({ ownerUids: [], data: { headers } }));
    expect(writes).toMatchObject([{ owner: OWNER, spec: { data: { secret: SECRET, headers } } }]);
  });

  test('and that an older release labelled is given the label that keeps others from it', async () => {
    const headers = JSON.stringify({ 'x-team': 'a' });
    const labels = { 'parley.dev/allow': 'true' };
    const writes = await applied(secret({ ownerUids: [OWNER.uid], labels, data: { headers } }));
    expect(writes).toMatchObject([{ labels: LABELS, spec: { data: { secret: SECRET, headers } } }]);
  });

  test('and that belonged to an endpoint of that name before is given the new one', async () => {
    expect(await applied(secret({ ownerUids: ['uid-of-another'] }))).toMatchObject([
      { owner: OWNER },
    ]);
  });

  test.each([
    ['belongs to the endpoint', { ownerUids: [OWNER.uid] }],
    ['belongs to others too', { ownerUids: ['uid-of-another', OWNER.uid] }],
    ['is of a store that knows no owners', { ownerUids: undefined }],
    ['was made by somebody else', { ownerUids: [], managers: ['kubectl'] }],
    [
      'is also written by somebody else',
      { ownerUids: [], managers: ['kubectl', 'parley-operator'] },
    ],
    ['is nobody’s that is known', { ownerUids: [], managers: [] }],
  ])('and %s is left as it is', async (_, there) => {
    expect(await applied(secret(there))).toEqual([]);
  });
});
