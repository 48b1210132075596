import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { eventually, helm, kubectl } from './kubectl.ts';
import { call, hasLastingDatabase, install, load, NAMESPACE, prepare, remove } from './release.ts';
import { received, receiverUrl } from './toolbox.ts';

/**
 * Parley as a platform engineer installs it, on a real cluster: Helm, kubectl, pods, Services.
 * CONTRIBUTING.md says how to run it. The tests are one story and run in order.
 */

/** An agent and the knowledge it answers from. */
const EXAMPLES = path.resolve(import.meta.dirname, '../../examples');
const RATE = 200;

beforeAll(prepare, 120_000);

afterAll(remove, 120_000);

type Sent = { id: string; type: string; data: Record<string, unknown> };

/** All that came to the receiver, each with its signature verified. */
async function verified(secret: string): Promise<Sent[]> {
  const all = await received(NAMESPACE);
  return all.map(({ headers, body }) => new Webhook(secret).verify(body, headers) as Sent);
}

test('helm install brings every pod up in a namespace that enforces restricted', async () => {
  await install();
  expect((await call('GET', '/v1/agents')).status).toBe(200);
}, 240_000);

test('helm test passes', async () => {
  const output = await helm('test', 'parley', '-n', NAMESPACE, '--timeout', '300s');
  // Two pods, and what one of them needs.
  expect(new Set(output.match(/Phase:\s+\w+/g)?.map((line) => line.split(/\s+/)[1]))).toEqual(
    new Set(['Succeeded']),
  );
}, 330_000);

let endpoint: { id: string; secret: string };

test('an example is Ready by kubectl wait; edits by kubectl and by REST make events', async () => {
  const made = await call('POST', '/v1/webhooks', { url: receiverUrl(NAMESPACE) });
  expect(made).toMatchObject({ status: 201, body: { ready: true } });
  endpoint = made.body;
  await kubectl('apply', '-n', 'default', '-f', EXAMPLES);
  const [name] = (await kubectl('get', 'agents', '-n', 'default', '-o', 'name')).split('\n');
  await kubectl('wait', '-n', 'default', '--for=condition=Ready', name!, '--timeout=10s');
  const patch = JSON.stringify({ spec: { prompt: 'Answer in one sentence.' } });
  await kubectl('patch', '-n', 'default', name!, '--type=merge', '-p', patch);
  const rest = await call('POST', '/v1/agents', { name: 'rest', prompt: 'one' });
  expect(rest).toMatchObject({ status: 201, body: { ready: true, active_version: 1 } });
  const edited = await call('PATCH', `/v1/agents/${rest.body.id}`, { prompt: 'two' });
  expect(edited).toMatchObject({ status: 200, body: { active_version: 2 } });
  const back = await call('POST', `/v1/agents/${rest.body.id}/rollback`, { reason: 'tone' });
  expect(back).toMatchObject({ status: 200, body: { active_version: 1 } });

  const sent = await eventually('five events', async () => {
    const all = await verified(endpoint.secret);
    const ofAgents = all.filter(({ type }) => type.startsWith('agent.'));
    return ofAgents.length >= 5 && ofAgents;
  });
  const lines = sent.map(
    ({ type, data }) => `${type} ${String(data['name'])} ${String(data['version'])}`,
  );
  expect(lines.sort()).toEqual([
    'agent.published rest 1',
    'agent.published rest 2',
    expect.stringMatching(/^agent\.published .* 1$/),
    expect.stringMatching(/^agent\.published .* 2$/),
    'agent.rolled_back rest 1',
  ]);
}, 60_000);

/** Every accepted event came, once. */
async function expectAllOnce(accepted: readonly string[]): Promise<void> {
  const counts = new Map<string, number>();
  await eventually('the last of them', async () => {
    counts.clear();
    for (const { headers } of await received(NAMESPACE)) {
      const id = headers['parley-event-id']!;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return accepted.every((id) => counts.has(id));
  });
  const doubled = accepted.filter((id) => counts.get(id) !== 1);
  expect({ lost: 0, doubled: doubled.length }).toEqual({ lost: 0, doubled: 0 });
}

async function scaleDelivery(replicas: number): Promise<void> {
  const deployment = 'deployment/parley-delivery';
  await kubectl('-n', NAMESPACE, 'scale', deployment, `--replicas=${replicas}`);
  await kubectl('-n', NAMESPACE, 'rollout', 'status', deployment, '--timeout=60s');
}

test(`kubectl scale of delivery 1 → 4 → 1 under ${RATE}/s loses nothing and doubles nothing`, async () => {
  const loading = load({ endpointId: endpoint.id }, { rate: RATE, seconds: 45 });
  await delay(5_000); // Load on one pod.
  await scaleDelivery(4);
  await delay(8_000); // Load on four.
  await scaleDelivery(1);
  const { accepted, failures } = await loading;
  expect(failures.slice(0, 5)).toEqual([]);
  expect(accepted.length).toBe(RATE * 45);
  await expectAllOnce(accepted);
}, 240_000);

test('helm upgrade under load fails no request', async () => {
  const loading = load({ endpointId: endpoint.id }, { rate: RATE, seconds: 60 });
  await delay(3_000); // Load before the upgrade.
  await install('--set-string', `podAnnotations.rolled=${randomBytes(4).toString('hex')}`);
  const { accepted, failures } = await loading;
  expect(failures.slice(0, 5)).toEqual([]);
  expect(accepted.length).toBe(RATE * 60);
  await expectAllOnce(accepted);
}, 300_000);

test('helm uninstall keeps the CRDs, what is declared and the data; installed again it goes on', async () => {
  const before = await history();
  await helm('uninstall', 'parley', '-n', NAMESPACE, '--wait');
  const crds = await kubectl('get', 'crds', '-o', 'name');
  expect(crds).toMatch(/agents\.parley\.dev/);
  expect(crds).toMatch(/webhookendpoints\.parley\.dev/);
  expect(await kubectl('get', 'agents', '-n', 'default', '-o', 'name')).not.toBe('');
  if (!hasLastingDatabase) return;
  await install();
  expect(await history()).toEqual(before);
}, 240_000);

/** Every agent's activations and every event of theirs. */
async function history(): Promise<unknown> {
  const { body } = await call('GET', '/v1/agents');
  const agents = body.data.map(({ id }: { id: string }) => id).sort() as string[];
  const activations = [];
  for (const id of agents) {
    activations.push((await call('GET', `/v1/agents/${id}/activations`)).body.data);
  }
  const published = await call('GET', '/v1/events?type=agent.rolled_back');
  return { agents, activations, rolledBack: published.body.data };
}
