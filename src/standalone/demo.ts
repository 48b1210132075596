import { delay, monotonicMs } from '../clock.ts';
import { newEndpointSecret } from '../platform/egress/signature.ts';
import type { ResourceStore } from '../platform/resources/resource-store.ts';
import { signingSecretName } from '../platform/reconcile/references.ts';
import { signingSecretLabels } from '../webhooks/endpoints/signing-secrets.ts';
import { SIGNING_SECRET_KEY } from '../webhooks/endpoints/webhook-endpoint.ts';
import { startDemoReceiver, type DemoReceiver } from './demo-receiver.ts';

/**
 * Name of the webhook endpoint that `parley start` creates for its own receiver, so that the output shows deliveries.
 */
export const DEMO_ENDPOINT = 'demo-receiver';
const NAMESPACE = 'default';
const FIELD_MANAGER = 'parley-demo';

/**
 * Starts the receiver and declares the endpoint with the receiver's current address. An existing endpoint keeps its
 * secret and ID.
 */
export async function startDemo(store: ResourceStore): Promise<DemoReceiver & { secret: string }> {
  const secret = await ensureSecret(store);
  const receiver = await startDemoReceiver(secret);
  await store.apply(
    {
      kind: 'WebhookEndpoint',
      namespace: NAMESPACE,
      name: DEMO_ENDPOINT,
      spec: {
        url: receiver.url,
        description: 'Demo receiver that runs with parley start',
        metadata: { demo: 'true' },
      },
    },
    { fieldManager: FIELD_MANAGER },
  );
  await awaitInForce(store);
  return { ...receiver, secret };
}

const IN_FORCE_WAIT_MS = 2_000;
const IN_FORCE_LOOK_MS = 20;

/**
 * Waits until the operator has applied the endpoint, so that the endpoint receives the first event that the manifests
 * cause. Stops waiting after IN_FORCE_WAIT_MS, because there may be no leader.
 */
async function awaitInForce(store: ResourceStore): Promise<void> {
  const key = { namespace: NAMESPACE, name: DEMO_ENDPOINT };
  const endMs = monotonicMs() + IN_FORCE_WAIT_MS;
  // This polls, because a watch may not report status changes.
  while (monotonicMs() < endMs) {
    const endpoint = await store.get('WebhookEndpoint', key);
    if (endpoint?.status['observedGeneration'] === endpoint?.metadata.generation) return;
    await delay(IN_FORCE_LOOK_MS);
  }
}

/**
 * Deletes the endpoint of an earlier run. Called if PARLEY_DEMO=0, because without the receiver all deliveries to the
 * endpoint would fail.
 */
export async function removeDemo(store: ResourceStore): Promise<void> {
  const key = { namespace: NAMESPACE, name: DEMO_ENDPOINT };
  const endpoint = await store.get('WebhookEndpoint', key);
  if (endpoint?.owners['url']?.includes(FIELD_MANAGER)) await store.delete('WebhookEndpoint', key);
}

async function ensureSecret(store: ResourceStore): Promise<string> {
  const key = { namespace: NAMESPACE, name: signingSecretName(DEMO_ENDPOINT) };
  const known = (await store.get('Secret', key))?.spec['data'];
  const value: unknown =
    typeof known === 'object' && known !== null
      ? Reflect.get(known, SIGNING_SECRET_KEY)
      : undefined;
  if (typeof value === 'string') return value;
  const secret = newEndpointSecret();
  await store.apply(
    {
      kind: 'Secret',
      ...key,
      labels: signingSecretLabels(DEMO_ENDPOINT),
      spec: { data: { [SIGNING_SECRET_KEY]: secret } },
    },
    { fieldManager: FIELD_MANAGER },
  );
  return secret;
}
