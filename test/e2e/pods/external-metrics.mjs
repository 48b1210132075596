// The external metrics API of one number: the backlog, as the delivery pods report it. What an adapter of
// Prometheus would answer, without a Prometheus. TLS_KEY, TLS_CERT: PEM. TARGET: a headless Service's host.
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:https';

const METRIC = 'parley_webhook_deliveries_pending';
const { TLS_KEY: key, TLS_CERT: cert, TARGET: target } = process.env;

/** Each pod reports the whole backlog, each as of its own last look: the largest counts. */
async function backlog() {
  const pods = await lookup(target, { all: true });
  const pages = await Promise.all(
    pods.map(async ({ address }) => (await fetch(`http://${address}:9090/metrics`)).text()),
  );
  const numbers = pages.map(
    (page) => new RegExp(`^${METRIC}(?:\\{.*\\})? (\\S+)$`, 'm').exec(page)?.[1],
  );
  return Math.max(...numbers.map((number) => Number(number ?? 0)));
}

const group = { groupVersion: 'external.metrics.k8s.io/v1beta1', apiVersion: 'v1' };
const resource = {
  name: METRIC,
  namespaced: true,
  kind: 'ExternalMetricValueList',
  verbs: ['get'],
};

async function answer(path) {
  if (!path.includes('/namespaces/'))
    return { kind: 'APIResourceList', ...group, resources: [resource] };
  const item = {
    metricName: METRIC,
    metricLabels: {},
    timestamp: new Date().toISOString(),
    value: String(await backlog()),
  };
  return {
    kind: 'ExternalMetricValueList',
    apiVersion: group.groupVersion,
    metadata: {},
    items: [item],
  };
}

createServer({ key, cert }, (request, response) => {
  answer(request.url).then(
    (body) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    },
    (error) => response.writeHead(503).end(String(error)),
  );
}).listen(8443);
