import path from 'node:path';
import { z } from 'zod';
import { helm, kubectl, kubectlApply } from './kubectl.ts';
import { inToolbox, source, startPods } from './toolbox.ts';

/** The release that the tests install, from Parley's image and this checkout's chart. */

const settings = z
  .object({
    KUBECONFIG: z.string(),
    /** Of the image, as the nodes have it: `repository:tag` */
    PARLEY_E2E_IMAGE: z.string().regex(/:/),
    /** A PostgreSQL that pods reach, with an empty database; else the chart's bundled one. */
    PARLEY_E2E_DATABASE_URL: z.string().optional(),
    /** The networks of pods and Services, where they are not private ones (RFC 1918, RFC 6598). */
    PARLEY_E2E_NETWORKS: z.string().optional(),
  })
  .parse(process.env);

const CHART = path.resolve(import.meta.dirname, '../../charts/parley');
export const NAMESPACE = 'parley-e2e';
/** Otherwise the chart's own has no volume, and its data goes with the release. */
export const hasLastingDatabase = settings.PARLEY_E2E_DATABASE_URL !== undefined;
const image = settings.PARLEY_E2E_IMAGE;
const [repository, tag] = [image.slice(0, image.lastIndexOf(':')), image.split(':').at(-1)!];

/** Receivers, and the tools of an example. */
const openTo = [
  `*.${NAMESPACE}.svc`,
  'shop.default.svc',
  ...(settings.PARLEY_E2E_NETWORKS === undefined ? [] : [settings.PARLEY_E2E_NETWORKS]),
];

let apiKey: string;

/** A namespace that enforces `restricted`, with the pods of toolbox.ts in it. */
export async function prepare(): Promise<void> {
  await kubectlApply({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: NAMESPACE,
      labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
    },
  });
  if (hasLastingDatabase) {
    await kubectlApply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'database', namespace: NAMESPACE },
      stringData: { url: settings.PARLEY_E2E_DATABASE_URL },
    });
  }
  await startPods(NAMESPACE);
}

/** Takes all of it away again, but for the CRDs. */
export async function remove(): Promise<void> {
  const kinds = 'agents,webhookendpoints,knowledgesources,modelproviders,telephonyproviders';
  await kubectl('delete', kinds, '--all', '-n', 'default').catch(() => '');
  await helm('uninstall', 'parley', '-n', NAMESPACE, '--wait').catch(() => '');
  await kubectl('delete', 'namespace', NAMESPACE);
}

/** `helm upgrade --install`, waited for. `more`: arguments after ours, such as `--set`. */
export async function install(...more: string[]): Promise<void> {
  const values = {
    'image.repository': repository,
    'image.tag': tag,
    egressAllow: `{${openTo.join(',')}}`,
    // Tests of load send more than one key may by default.
    rateLimit: '0',
    // The test decides how many there are.
    'delivery.autoscaling.enabled': 'false',
    'delivery.replicas': '1',
    'api.autoscaling.enabled': 'false',
    ...(hasLastingDatabase
      ? { 'database.existingSecret': 'database', 'networkPolicy.databaseCidrs': '{0.0.0.0/0}' }
      : { 'database.bundled.persistence.enabled': 'false' }),
  };
  const sets = Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  // A cluster that had Parley before has kept its CRDs, owned by the release of that time.
  const wait = ['--wait', '--timeout', '180s', '--take-ownership'];
  await helm('upgrade', '--install', 'parley', CHART, '-n', NAMESPACE, ...sets, ...wait, ...more);
  const secret = ['secret', 'parley-api-key', '-o', 'jsonpath={.data.api-key}'];
  const encoded = await kubectl('-n', NAMESPACE, 'get', ...secret);
  apiKey = Buffer.from(encoded, 'base64').toString('utf8');
}

/** Calls the API by its Service, from another pod. */
export async function call(method: string, route: string, body?: object): Promise<Answer> {
  const program = `
    const response = await fetch('http://parley-api.${NAMESPACE}:8080${route}', {
      method: '${method}',
      headers: { authorization: 'Bearer ${apiKey}', 'content-type': 'application/json' },
      ${body ? `body: ${JSON.stringify(JSON.stringify(body))},` : ''}
    });
    console.log(JSON.stringify({ status: response.status, text: await response.text() }));`;
  const { status, text } = JSON.parse(await inToolbox(NAMESPACE, program));
  return { status, body: text === '' ? undefined : JSON.parse(text) };
}
// oxlint-disable-next-line typescript/no-explicit-any -- looked at field by field
export type Answer = { status: number; body: any };

/**
 * Load from the toolbox, RATE events a second: test events to an endpoint, or conversations of an agent,
 * whose events the metrics count. The answer when it has ended; `accepted` are ids of the one or the other.
 */
export async function load(
  on: { endpointId: string } | { agentId: string },
  { rate, seconds }: { rate: number; seconds: number },
): Promise<{ accepted: string[]; failures: string[] }> {
  const text = await inToolbox(NAMESPACE, source('load.mjs'), {
    PARLEY_URL: `http://parley-api.${NAMESPACE}:8080`,
    PARLEY_API_KEY: apiKey,
    ...('agentId' in on ? { AGENT_ID: on.agentId } : { ENDPOINT_ID: on.endpointId }),
    RATE: rate,
    SECONDS: seconds,
  });
  return JSON.parse(text) as { accepted: string[]; failures: string[] };
}
