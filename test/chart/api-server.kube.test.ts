import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { CHART, findHelm } from './helm.ts';
import { startKubeApiserver, type KubeApiserver } from '../platform/kubernetes/kube-apiserver.ts';
import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';
import { fieldOf, NAMESPACE, podsOf, RELEASE, renderChart, type KubeObject } from './rendered.ts';
import { SCENARIOS } from './scenarios.ts';
import { until } from '../until.ts';

/**
 * The chart under a real API server: each object by a strict dry run, which checks more than
 * kubeconform could (validation, defaults, CEL); each pod by the admission of a `restricted`
 * namespace; and an install, an upgrade and an uninstall by helm itself.
 */

const helm = await findHelm();
const binaries = helm && (await findKubeBinaries());
/** Their CRDs are other projects'. */
const FOREIGN = [
  'ScaledObject',
  'Cluster',
  'HTTPRoute',
  'PodMonitor',
  'ServiceMonitor',
  'PrometheusRule',
];

(binaries ? describe : describe.skip)('under kube-apiserver', () => {
  let kube: KubeApiserver;
  /** What the server knows of a version, by its path. */
  const discovered = new Map<string, ReturnType<KubeApiserver['request']>>();

  beforeAll(async () => {
    kube = await startKubeApiserver(binaries);
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    for (const name of [NAMESPACE, 'team-a', 'team-b', 'real']) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
      expect((await kube.request('POST', '/api/v1/namespaces', body)).status).toBe(201);
    }
    // What a dry run of objects of these kinds needs; helm has its own priority.
    const priority = { metadata: { name: 'high' }, value: 1000 };
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
    expect((await kube.request('POST', path, priority)).status).toBe(201);
  }, 120_000);

  afterAll(async () => kube?.stop());

  test.each(Object.entries(SCENARIOS))(
    'every object of values "%s" is accepted as it is',
    async (_, values) => {
      const objects = await renderChart(helm!, values);
      const ours = objects.filter(({ kind }) => !FOREIGN.includes(kind));
      expect(ours.length).toBeGreaterThan(5);
      const refused: string[] = [];
      const dryRun = async (object: KubeObject): Promise<void> => {
        const query = `dryRun=All&fieldValidation=Strict&fieldManager=helm`;
        const path = `${await collectionOf(object)}/${object.metadata.name}?${query}`;
        const type = 'application/apply-patch+yaml';
        const { status, body } = await kube.request('PATCH', path, JSON.stringify(object), type);
        if (status !== 200 && status !== 201) refused.push(body);
      };
      await Promise.all(ours.map(dryRun));
      expect(refused).toEqual([]);
    },
    60_000,
  );

  test.each(Object.entries(SCENARIOS))(
    'every pod of values "%s" may run in a `restricted` namespace',
    async (_, values) => {
      const pods = podsOf(await renderChart(helm!, values));
      const tried = await Promise.all(
        pods.map(async ({ owner, spec }) => ({ owner, ...(await createPod(spec)) })),
      );
      for (const one of tried) expect(one).toMatchObject({ owner: one.owner, status: 201 });
    },
  );

  test('that namespace refuses a pod that may gain privileges', async () => {
    const [pod] = podsOf(await renderChart(helm!));
    const [container] = pod!.spec.containers;
    const securityContext = { ...container?.securityContext, allowPrivilegeEscalation: true };
    const spec = { ...pod!.spec, containers: [{ ...container, securityContext }] };
    const { status, body } = await createPod(spec);
    expect(status).toBe(403);
    expect(body).toContain('violates PodSecurity');
  });

  describe('helm', () => {
    let folder: string;
    let helmWith: (...args: string[]) => Promise<string>;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'parley-kubeconfig-'));
      const file = join(folder, 'config');
      await writeFile(file, kubeconfig(kube), { mode: 0o600 });
      helmWith = (...args) => helm!([...args, '--namespace', 'real'], { KUBECONFIG: file });
      // Each test leaves the release installed.
      await helmWith('install', RELEASE, CHART);
    });

    afterAll(async () => rm(folder, { recursive: true, force: true }));

    test('keeps what it generated through an upgrade, and through an uninstall what data hangs on', async () => {
      const before = await secrets();
      expect(Object.keys(before)).toEqual([
        'demo-parley-api-key',
        'demo-parley-encryption-key',
        'demo-parley-postgresql',
      ]);
      await helmWith('upgrade', RELEASE, CHART, '--set', 'logLevel=debug');
      expect(await secrets()).toEqual(before);

      await helmWith('uninstall', RELEASE);
      const { 'demo-parley-api-key': apiKey, ...lasting } = before;
      expect(apiKey).toBeDefined();
      expect(await secrets()).toEqual(lasting);
      const crds = await kube.request(
        'GET',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      );
      expect(crds.body).toContain('agents.parley.dev');
      expect(
        (await kube.request('GET', '/apis/apps/v1/namespaces/real/deployments')).json()['items'],
      ).toEqual([]);

      await helmWith('install', RELEASE, CHART);
      expect(await secrets()).toMatchObject(lasting);
    }, 120_000);

    test('leaves the number of pods where an autoscaler has put it, through an upgrade', async () => {
      const path = '/apis/apps/v1/namespaces/real/deployments/demo-parley-delivery';
      const replicas = async (): Promise<unknown> =>
        fieldOf((await kube.request('GET', path)).json(), 'spec', 'replicas');
      expect(await replicas()).toBe(2);
      const scale = JSON.stringify({ spec: { replicas: 5 } });
      const type = 'application/merge-patch+json';
      expect((await kube.request('PATCH', `${path}/scale`, scale, type)).status).toBe(200);
      await helmWith('upgrade', RELEASE, CHART, '--set', 'podLabels.round=second');
      expect(await replicas()).toBe(5);
      const fixed = 'delivery.autoscaling.enabled=false,delivery.replicas=4';
      // The field is the autoscaler's by now: helm asks before it takes it (docs/operations/scaling.md).
      const taken = ['upgrade', RELEASE, CHART, '--set', fixed];
      await expect(helmWith(...taken)).rejects.toThrow(/conflict with .* \.spec\.replicas/);
      await helmWith(...taken, '--force-conflicts');
      expect(await replicas()).toBe(4);
    }, 120_000);

    test('shows examples in its catalogue entry, one of each kind, that the CRDs accept', async () => {
      const annotations = fieldOf(
        parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8')),
        'annotations',
      );
      const list = (name: string) =>
        z
          .array(z.looseObject({ kind: z.string() }))
          .parse(parse(String(fieldOf(annotations, name))));
      const { items } = (
        await kube.request('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions')
      ).json();
      const crds = z
        .array(
          z.object({
            spec: z.object({ names: z.object({ kind: z.string(), plural: z.string() }) }),
          }),
        )
        .parse(items);
      const kinds = crds.map(({ spec }) => spec.names.kind).sort();
      expect(
        list('artifacthub.io/crds')
          .map(({ kind }) => kind)
          .sort(),
      ).toEqual(kinds);
      const examples = list('artifacthub.io/crdsExamples');
      expect(examples.map(({ kind }) => kind).sort()).toEqual(kinds);
      for (const example of examples) {
        const plural = crds.find(({ spec }) => spec.names.kind === example.kind)?.spec.names.plural;
        const path = `/apis/parley.dev/v1alpha1/namespaces/real/${plural}`;
        // The API server has no signal for "the handler is in place" but its answers.
        await until(path, async () => (await kube.request('GET', path)).status !== 404);
        const query = 'dryRun=All&fieldValidation=Strict';
        const { status, body } = await kube.request('POST', `${path}?${query}`, example);
        expect({ status, body }).toMatchObject({ status: 201 });
      }
    }, 60_000);

    test('tells how to go on', async () => {
      const notes = await helmWith('install', RELEASE, CHART, '--dry-run=client');
      expect(notes).toContain('port-forward svc/demo-parley-api 8080');
      expect(notes).toContain('get secret demo-parley-api-key -o jsonpath=');
      expect(notes).toContain('kind: Agent');
      expect(notes).toContain('WARNING: the bundled PostgreSQL is only for evaluation');
      expect(notes).toContain('keys create --namespace NAMESPACE');
    });

    test.each([
      ['team-a', 'Use the API key of namespace `team-a`', 'keys create --namespace team-b'],
      ['team-b', 'Use the API key of namespace `team-b`', 'keys create --namespace team-a'],
      ['team-c', 'which watchNamespaces does not include', 'keys create --namespace team-a'],
    ])('tells what the first key of %s can do, and how to make another one', async (...of) => {
      const [namespace, key, another] = of;
      const watched = ['--set', `watchNamespaces={team-a,team-b},apiKey.namespace=${namespace}`];
      const notes = await helmWith('install', RELEASE, CHART, '--dry-run=client', ...watched);
      expect(notes).toContain(key);
      expect(notes).toContain(another);
    });

    /** Name → data of what the chart made in the namespace; helm keeps its own there too. */
    async function secrets(): Promise<Record<string, unknown>> {
      const { items } = (await kube.request('GET', '/api/v1/namespaces/real/secrets')).json();
      if (!Array.isArray(items)) throw new Error('no list of Secrets');
      return Object.fromEntries(
        items
          .filter((item: unknown) => fieldOf(item, 'type') === 'Opaque')
          .map((item: unknown) => [fieldOf(item, 'metadata', 'name'), fieldOf(item, 'data')]),
      );
    }
  });

  async function createPod(spec: object): Promise<{ status: number; body: string }> {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe' }, spec };
    const path = `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All&fieldValidation=Strict`;
    const { status, body } = await kube.request('POST', path, pod);
    return { status, body };
  }

  /** `/apis/apps/v1/namespaces/x/deployments`, as the server's own discovery has it. */
  async function collectionOf({ apiVersion, kind, metadata }: KubeObject): Promise<string> {
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const discovery = discovered.get(base) ?? kube.request('GET', base);
    discovered.set(base, discovery);
    const { resources } = (await discovery).json();
    if (!Array.isArray(resources)) throw new Error(`the API server does not know ${apiVersion}`);
    const found: unknown = resources.find(
      (one: unknown) =>
        fieldOf(one, 'kind') === kind && !String(fieldOf(one, 'name')).includes('/'),
    );
    const name = String(fieldOf(found, 'name'));
    if (fieldOf(found, 'namespaced') !== true) return `${base}/${name}`;
    return `${base}/namespaces/${metadata.namespace ?? NAMESPACE}/${name}`;
  }
});

function kubeconfig({ url, caCert, token }: KubeApiserver): string {
  const ca = Buffer.from(caCert).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': ca } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}
