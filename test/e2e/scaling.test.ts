import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, kubectl, kubectlApply, run } from './kubectl.ts';
import { call, install, load, NAMESPACE, prepare, remove } from './release.ts';
import { received, receiverUrl, source, startPod } from './toolbox.ts';

/**
 * The chart's autoscaler of delivery on a real backlog: receivers that take their time, so that pods wait
 * and use no CPU while the queue grows. The backlog is served as an external metric by a pod of the
 * test's (pods/external-metrics.mjs). The load are conversations, for no metric counts test events.
 * docs/operations/scaling.md has what was seen.
 */

const RATE = 100;
const SECONDS = 40;
const WAIT_MS = 2_000;

beforeAll(async () => {
  await run('kubectl', ['get', 'apiservice', 'v1beta1.metrics.k8s.io']).catch((error: unknown) => {
    // An autoscaler that misses one of its metrics takes no pod away.
    throw new Error('the cluster needs metrics-server (docs/operations/scaling.md)', {
      cause: error,
    });
  });
  await prepare();
  await serveBacklog();
}, 180_000);

afterAll(async () => {
  await kubectl('delete', 'apiservice', 'v1beta1.external.metrics.k8s.io').catch(() => '');
  await remove();
}, 120_000);

/** An external metrics API of the cluster's: a pod, its Service and its registration. */
async function serveBacklog(): Promise<void> {
  const delivery = { 'app.kubernetes.io/component': 'delivery' };
  await kubectlApply(service('delivery-metrics', delivery, { clusterIP: 'None', port: 9090 }));
  await kubectlApply(service('external-metrics', { app: 'external-metrics' }, { port: 8443 }));
  const { key, cert } = await certificate();
  await startPod('external-metrics', NAMESPACE, {
    program: source('external-metrics.mjs'),
    env: { TLS_KEY: key, TLS_CERT: cert, TARGET: `delivery-metrics.${NAMESPACE}.svc` },
  });
  await kubectlApply({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.external.metrics.k8s.io' },
    spec: {
      group: 'external.metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { name: 'external-metrics', namespace: NAMESPACE, port: 8443 },
    },
  });
}

function service(
  name: string,
  selector: Record<string, string>,
  { clusterIP, port }: { clusterIP?: string; port: number },
) {
  const spec = { selector, ports: [{ port }], ...(clusterIP ? { clusterIP } : {}) };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: NAMESPACE }, spec };
}

async function certificate(): Promise<{ key: string; cert: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-certificate-'));
  const files = { key: path.join(folder, 'key.pem'), cert: path.join(folder, 'cert.pem') };
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  await run('openssl', [
    ...request,
    '-subj',
    '/CN=external-metrics',
    '-keyout',
    files.key,
    '-out',
    files.cert,
  ]);
  const [key, cert] = await Promise.all([
    readFile(files.key, 'utf8'),
    readFile(files.cert, 'utf8'),
  ]);
  await rm(folder, { recursive: true });
  return { key, cert };
}

async function replicas(): Promise<number> {
  const jsonPath = 'jsonpath={.status.readyReplicas}';
  return Number(await kubectl('-n', NAMESPACE, 'get', 'deploy/parley-delivery', '-o', jsonPath));
}

test('pods rise with a backlog that costs no CPU, and go when it is gone', async () => {
  const values = {
    'delivery.autoscaling.enabled': 'true',
    'delivery.autoscaling.minReplicas': '1',
    'delivery.autoscaling.maxReplicas': '4',
    'delivery.autoscaling.backlog.enabled': 'true',
    'delivery.autoscaling.backlog.targetAverageValue': '300',
    'delivery.autoscaling.behavior.scaleDown.stabilizationWindowSeconds': '15',
    'networkPolicy.metricsFrom[0].podSelector.matchLabels.app': 'external-metrics',
  };
  await install(
    ...Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  );
  expect(await replicas()).toBe(1);
  const url = `${receiverUrl(NAMESPACE)}?wait=${WAIT_MS}`;
  const event_types = ['conversation.started'];
  const endpoint = await call('POST', '/v1/webhooks', { url, event_types });
  expect(endpoint).toMatchObject({ status: 201, body: { ready: true } });
  const agent = await call('POST', '/v1/agents', { name: 'load', prompt: 'Answer.' });
  expect(agent).toMatchObject({ status: 201, body: { ready: true } });

  const loading = load({ agentId: agent.body.id as string }, { rate: RATE, seconds: SECONDS });
  await eventually('four pods', async () => (await replicas()) === 4, 120_000);
  const { accepted, failures } = await loading;
  expect(failures.slice(0, 5)).toEqual([]);
  await eventually(
    'all of it',
    async () => {
      const started = new Set((await received(NAMESPACE)).map(({ body }) => conversationOf(body)));
      return accepted.every((id) => started.has(id));
    },
    120_000,
  );
  await eventually('one pod again', async () => (await replicas()) === 1, 180_000);
}, 600_000);

/** Which conversation an event is of. */
function conversationOf(body: string): string {
  return (JSON.parse(body) as { data: { conversation_id: string } }).data.conversation_id;
}
