import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { stringify } from 'yaml';
import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';
import { borrowKube, type Kube } from '../platform/kubernetes/kube.ts';
import {
  startParley,
  startRoles,
  temporaryFolder,
  type Answer,
  type Parley,
} from './parley-process.ts';
import { memoryFolder } from '../memory-folder.ts';
import { copyCluster } from '../platform/postgres/made-cluster.ts';
import { createTestDatabase, shiftTime } from '../platform/postgres/postgres.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { until } from '../until.ts';
import { startReceiver, type Received, type Receiver } from '../webhooks/receiver.ts';

/** The main use case. The same test runs with one process and with three, with and without Kubernetes. */

type Launch = (manifests: string) => Promise<Parley>;
/** Declares the only agent again, in the way that users of this setup do. */
type Save = (manifests: string, prompt: string) => Promise<unknown>;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let receiver: Receiver;
let parley: Parley;

async function prepare(): Promise<void> {
  folder = await temporaryFolder(memoryFolder());
  database = await createTestDatabase();
  receiver = await startReceiver();
}

async function cleanUp(): Promise<void> {
  await parley.stop();
  await receiver.close();
  await database.drop();
  await folder.remove();
}

const binaries = await findKubeBinaries();
let kube: Kube | undefined;
beforeAll(async () => {
  if (binaries) kube = await borrowKube();
}, 120_000);
afterAll(async () => kube?.stop());

/** In `npm test`, test/events and test/standalone run `parley start` on DATABASE_URL. */
const onDatabaseUrl: [string, Launch, Save, string] = [
  'parley start on DATABASE_URL',
  (manifests) =>
    startParley({
      dataDir: path.join(folder.path, 'data'),
      manifests,
      env: { DATABASE_URL: database.url },
    }),
  saveFile,
  'file',
];

const launches: [string, Launch, Save, string][] = [
  [
    'parley start on its own PostgreSQL',
    async (manifests) => {
      const dataDir = path.join(folder.path, 'data');
      await copyCluster(dataDir, { migrated: true });
      return startParley({ dataDir, manifests });
    },
    saveFile,
    'file',
  ],
  ...(IS_NIGHTLY ? [onDatabaseUrl] : []),
  [
    'operator, api and delivery as three processes',
    (manifests) => startRoles({ databaseUrl: database.url, manifests }),
    saveFile,
    'file',
  ],
  [
    'the three on a Kubernetes API',
    async () => {
      await kube!.deleteAll();
      const KUBECONFIG = path.join(folder.path, 'kubeconfig');
      await writeFile(KUBECONFIG, kube!.kubeconfig);
      const env = { PARLEY_STORE: 'kubernetes', KUBECONFIG };
      return startRoles({ databaseUrl: database.url, env });
    },
    (_, prompt) => kube!.kubectlApply(agent(prompt)),
    'kubernetes:kubectl',
  ],
];

describe.each(binaries ? launches : launches.slice(0, -1))('%s', (name, launch, save, actor) => {
  // The tests of one setup share its processes. The last test stops them.
  beforeAll(async () => {
    await prepare();
    parley = await launch(folder.path);
  }, 120_000);
  afterAll(cleanUp);

  test('an agent from a manifest is published, edited, rolled back, pinned and sent as events', async () => {
    const manifests = folder.path;
    const { call } = parley;
    const endpoint = await call('POST', '/v1/webhooks', { url: receiver.url });
    expect(endpoint.status).toBe(201);
    expect(endpoint.body).toMatchObject({ ready: true, secret: expect.stringMatching(/^whsec_/) });

    await save(manifests, 'one');
    await arrived(1);
    await save(manifests, 'two');
    await arrived(2);
    await save(manifests, 'one');
    await arrived(3);

    const [found] = (await call('GET', '/v1/agents')).body.data;
    expect(found).toMatchObject({ active_version: 1, latest_version: 2 });
    expect(found.managed_by).toBe(actor.split(':')[0]);
    const published = await call('POST', `/v1/agents/${found.id}/publish`, { version: 2 });
    expect(published.status).toBe(200);
    expect(published.body).toMatchObject({ active_version: 2, pinned_version: 2 });
    await arrived(4);
    const rolledBack = await call('POST', `/v1/agents/${found.id}/rollback`, { reason: 'tone' });
    expect(rolledBack.body).toMatchObject({ active_version: 1, pinned_version: 1 });
    await arrived(5);

    expect(lines(receiver.received)).toEqual([
      `agent.published 1 by ${actor}`,
      `agent.published 2 by ${actor}`,
      `agent.rolled_back 1 by ${actor}`,
      expect.stringMatching(/^agent\.published 2 by api:key_/),
      expect.stringMatching(/^agent\.rolled_back 1 by api:key_/),
    ]);
    expect(receiver.received[4]!.json.data['reason']).toBe('tone');
    for (const received of receiver.received) verify(received, endpoint.body.secret);
  });

  const isOwn = name.includes('its own PostgreSQL');
  const title = isOwn
    ? 'a second start finds the data, the key and the history of the first, and sends what waits'
    : 'a receiver that was down gets its events when it returns';
  test(title, async () => {
    const { call } = parley;
    const late = await startReceiver();
    await late.close();
    const { status, body: endpoint } = await call('POST', '/v1/webhooks', { url: late.url });
    expect({ status, endpoint }).toMatchObject({ status: 201, endpoint: { ready: true } });
    const sent = await call('POST', `/v1/webhooks/${endpoint.id}/test`, {});
    expect(sent.status).toBe(202);
    const failed = await delivery(sent.body.delivery_id, 'retrying');
    expect(failed.attempts).toMatchObject([{ error_class: 'connect', status_code: null }]);
    expect(failed.next_attempt_at).toBeGreaterThan(failed.attempts[0].started_at);
    await late.open();
    // The first retry is due a few seconds later. The test either advances the database's clock or restarts Parley.
    if (isOwn) await startAgain();
    else await advanceDatabase(10_000);

    const isSent = ({ json }: Received): boolean => json.id === sent.body.event_id;
    await late.until((received) => received.some(isSent), 20_000);
    const attempt = late.received.find(isSent)!.headers['parley-delivery-attempt'];
    expect(Number(attempt)).toBeGreaterThan(1);
    await late.close();
  });

  test('it stops cleanly on SIGTERM', async () => {
    const codes = await parley.stop();
    expect(codes.every((code) => code === 0)).toBe(true);
  });
});

/** Starts again with another agent, because the first one has a pinned version. */
async function startAgain(): Promise<void> {
  const { apiKey } = parley;
  const before = receiver.received.length;
  const [endpoint] = receiverEndpoints(await parley.call('GET', '/v1/webhooks'));
  await saveFile(folder.path, 'one', 'other');
  await arrived(before + 1);
  await saveFile(folder.path, 'two', 'other');
  await arrived(before + 2);
  await parley.stop();

  parley = await startParley({
    dataDir: path.join(folder.path, 'data'),
    manifests: folder.path,
  });
  expect(parley.apiKey).toBe(apiKey);
  const kept = await parley.call('GET', `/v1/webhooks/${endpoint.id}`);
  expect(kept.body.url).toBe(receiver.url);
  await saveFile(folder.path, 'one', 'other');
  await arrived(before + 3);
  expect(lines(receiver.received.slice(before))).toEqual([
    'agent.published 1 by file',
    'agent.published 2 by file',
    'agent.rolled_back 1 by file',
  ]);
}

const receiverEndpoints = ({ body }: Answer): Answer['body'][] =>
  body.data.filter(({ url }: { url: string }) => url === receiver.url);

async function advanceDatabase(ms: number): Promise<void> {
  const client = new Client(database.url);
  await client.connect();
  await shiftTime(client, ms);
  await client.end();
}

/** Returns the delivery once it has the status. */
function delivery(id: string, status: string): Promise<Answer['body']> {
  return until(`the delivery to be ${status}`, async () => {
    const { body } = await parley.call('GET', `/v1/deliveries/${id}`);
    return body.status === status && body;
  });
}

const agent = (prompt: string, name = 'support') => ({
  apiVersion: 'parley.dev/v1alpha1',
  kind: 'Agent',
  metadata: { name },
  spec: { prompt },
});

function saveFile(manifests: string, prompt: string, name = 'support'): Promise<void> {
  return writeFile(path.join(manifests, `${name}.yaml`), stringify(agent(prompt, name)));
}

/** Verifies a delivery as users do, without Parley's own code: with both npm packages and with openssl. */
function verify({ body, headers, json }: Received, secret: string): void {
  const text = body.toString();
  const given = headers as Record<string, string>; // The headers used for verification occur only once.
  expect(new StandardWebhook(secret).verify(text, given)).toEqual(json);
  expect(() => new SvixWebhook(secret).verify(text, given)).not.toThrow();
  const digest = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: body });
  expect(digest.toString().trim().split(' ').at(-1)).toBe(headers['parley-signature']);
}

function arrived(count: number): Promise<Received[]> {
  return receiver.until((received) => received.length >= count);
}

function lines(received: Received[]): string[] {
  return received.map(
    ({ json: { type, data } }) => `${type} ${String(data['version'])} by ${String(data['actor'])}`,
  );
}
