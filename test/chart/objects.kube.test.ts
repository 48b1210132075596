import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { CHART, findHelm } from './helm.ts';
import {
  envOf,
  fieldOf,
  findObject,
  NAMESPACE,
  ofKind,
  podOf,
  renderChart,
  type KubeObject,
} from './rendered.ts';
import { scenario, SCENARIOS } from './scenarios.ts';

const helm = await findHelm();
const run = promisify(execFile);
const RELEASE_LABELS = { 'app.kubernetes.io/name': 'parley', 'app.kubernetes.io/instance': 'demo' };

(helm ? describe : describe.skip)('the chart', () => {
  let objects: KubeObject[];

  beforeAll(async () => {
    objects = await renderChart(helm!);
  });

  describe('custom resource definitions', () => {
    const folder = new URL('../../crds/', import.meta.url);

    test('of a packaged chart are the files of crds/', async () => {
      const to = await mkdtemp(join(tmpdir(), 'parley-chart-'));
      onTestFinished(() => rm(to, { recursive: true }));
      await helm!(['package', CHART, '--destination', to]);
      const inPackage = 'parley/files/crds';
      await run('tar', ['-xzf', join(to, readdirSync(to)[0]!), '-C', to, inPackage]);
      const packaged = join(to, inPackage);
      expect(readdirSync(packaged).sort()).toEqual(readdirSync(folder).sort());
      for (const file of readdirSync(folder)) {
        const text = readFileSync(new URL(file, folder), 'utf8');
        expect(readFileSync(join(packaged, file), 'utf8')).toBe(text);
      }
    });

    test('are rendered unchanged but for labels, and stay when the release goes', () => {
      const rendered = ofKind(objects, 'CustomResourceDefinition');
      const written = readdirSync(folder).map(
        (file) => parse(readFileSync(new URL(file, folder), 'utf8')) as unknown,
      );
      expect(rendered.map((crd) => crd['spec'])).toEqual(
        written.map((crd) => fieldOf(crd, 'spec')),
      );
      for (const { metadata } of rendered) {
        expect(metadata.annotations['helm.sh/resource-policy']).toBe('keep');
        expect(metadata.labels).toMatchObject(RELEASE_LABELS);
      }
    });

    test('go with the release, or are not there, when the values say so', async () => {
      const gone = await renderChart(helm!, { crds: { keep: false } });
      for (const { metadata } of ofKind(gone, 'CustomResourceDefinition')) {
        expect(metadata.annotations).toEqual({});
      }
      const without = await renderChart(helm!, { crds: { enabled: false } });
      expect(ofKind(without, 'CustomResourceDefinition')).toEqual([]);
    });
  });

  describe('secrets', () => {
    const data = (secret: KubeObject, key: string) =>
      Buffer.from(String(fieldOf(secret, 'data', key)), 'base64').toString();

    test('that are not given are generated in the form that the program wants', () => {
      const encryption = findObject(objects, 'Secret', 'demo-parley-encryption-key');
      expect(Buffer.from(data(encryption, 'encryption-key'), 'base64')).toHaveLength(32);
      const api = findObject(objects, 'Secret', 'demo-parley-api-key');
      expect(data(api, 'api-key')).toMatch(/^parley_[A-Za-z0-9]{40}$/);
      const database = findObject(objects, 'Secret', 'demo-parley-postgresql');
      expect(data(database, 'url')).toBe(
        `postgresql://parley:${data(database, 'password')}@demo-parley-postgresql.${NAMESPACE}.svc:5432/parley`,
      );
    });

    test('without which data is lost stay when the release goes, and cannot be overwritten', () => {
      const lasting = ofKind(objects, 'Secret').filter((secret) => secret['immutable'] === true);
      expect(lasting.map(({ metadata }) => metadata.name).sort()).toEqual([
        'demo-parley-encryption-key',
        'demo-parley-postgresql',
      ]);
      for (const { metadata } of lasting) {
        expect(metadata.annotations['helm.sh/resource-policy']).toBe('keep');
      }
    });

    test('that exist are used, and none is made', async () => {
      const given = await renderChart(helm!, {
        database: { existingSecret: 'pg', existingSecretKey: 'uri' },
        encryptionKey: { existingSecret: 'enc', existingSecretKey: 'k' },
        apiKey: { existingSecret: 'api', existingSecretKey: 'a' },
        networkPolicy: { databaseCidrs: ['192.0.2.10/32'] },
      });
      // Those of the drill are there as long as `helm test`.
      const lasting = ofKind(given, 'Secret').filter(
        ({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined,
      );
      expect(lasting).toEqual([]);
      const pod = podOf(given, 'api');
      expect(envOf(pod, 'DATABASE_URL')).toBe('pg/uri');
      expect(envOf(pod, 'PARLEY_ENCRYPTION_KEY')).toBe('enc/k');
      expect(envOf(pod, 'PARLEY_API_KEY')).toBe('api/a');
    });
  });

  describe('the database', () => {
    test('is the bundled one by default, marked for evaluation, on a volume that stays', () => {
      const database = findObject(objects, 'StatefulSet', 'demo-parley-postgresql');
      expect(database.metadata.annotations['parley.dev/purpose']).toBe('evaluation');
      expect(database['spec']).toMatchObject({
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '8Gi' } } } }],
      });
    });

    test.each([
      ['external database', 'pg/uri'],
      ['database URL', 'demo-parley-database/url'],
      ['CloudNativePG', 'demo-parley-db-app/uri'],
    ])('with values "%s" comes from %s, and nothing is bundled', async (name, secret) => {
      const rendered = await renderChart(helm!, scenario(name));
      expect(ofKind(rendered, 'StatefulSet')).toEqual([]);
      expect(envOf(podOf(rendered, 'api'), 'DATABASE_URL')).toBe(secret);
    });

    test('is asked for in words when there is none', async () => {
      const nothing = { database: { bundled: { enabled: false } } };
      await expect(renderChart(helm!, nothing)).rejects.toThrow(/no database: set database/);
    });

    test('of CloudNativePG is a Cluster with what the values add', async () => {
      const rendered = await renderChart(helm!, scenario('CloudNativePG'));
      expect(findObject(rendered, 'Cluster', 'demo-parley-db')['spec']).toMatchObject({
        instances: 2,
        bootstrap: { initdb: { database: 'parley', owner: 'parley' } },
        storage: { size: '20Gi', storageClass: 'fast' },
      });
    });
  });

  describe('scaling', () => {
    test('starts with the pods that the values promise, also under an autoscaler', async () => {
      const replicas = (all: readonly KubeObject[]) =>
        ofKind(all, 'Deployment').map((one) => Object(one['spec']).replicas as unknown);
      expect(replicas(objects)).toEqual([2, 2, 2]); // operator, api, delivery
      const autoscaling = { minReplicas: 3 };
      const more = await renderChart(helm!, { api: { autoscaling }, delivery: { autoscaling } });
      expect(replicas(more)).toEqual([2, 3, 3]);
      const keda = { enabled: true, prometheusAddress: 'http://prometheus:9090', minReplicas: 4 };
      expect(replicas(await renderChart(helm!, { delivery: { keda } }))).toEqual([2, 2, 4]);
      expect(replicas(await renderChart(helm!, scenario('everything off')))).toEqual([1, 1, 1]);
    });

    test('leaves the number out for tools that render without the cluster', async () => {
      const autoscaling = { setReplicas: false };
      const rendered = await renderChart(helm!, {
        api: { autoscaling },
        delivery: { autoscaling },
      });
      expect(
        ofKind(rendered, 'Deployment').map((one) => 'replicas' in Object(one['spec'])),
      ).toEqual([true, false, false]);
    });

    test('is by CPU, two pods at least', () => {
      for (const role of ['api', 'delivery']) {
        const scaler = findObject(objects, 'HorizontalPodAutoscaler', `demo-parley-${role}`);
        expect(scaler['spec']).toMatchObject({
          minReplicas: 2,
          scaleTargetRef: { kind: 'Deployment', name: `demo-parley-${role}` },
          metrics: [{ type: 'ContainerResource', containerResource: { container: role } }],
        });
      }
    });

    test('is by backlog too where an adapter serves the metric', async () => {
      const rendered = await renderChart(helm!, scenario('everything on'));
      const scaler = findObject(rendered, 'HorizontalPodAutoscaler', 'demo-talk-delivery');
      expect(fieldOf(scaler, 'spec', 'metrics', 1)).toEqual({
        type: 'External',
        external: {
          metric: {
            name: 'parley_webhook_deliveries_pending',
            selector: { matchLabels: { job: 'talk' } },
          },
          target: { type: 'AverageValue', averageValue: '1000' },
        },
      });
    });

    test('is by KEDA instead, not as well', async () => {
      const rendered = await renderChart(helm!, scenario('KEDA'));
      expect(
        ofKind(rendered, 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name),
      ).toEqual(['demo-parley-api']);
      const scaled = findObject(rendered, 'ScaledObject', 'demo-parley-delivery');
      expect(fieldOf(scaled, 'spec', 'triggers', 0)).toMatchObject({
        type: 'prometheus',
        metadata: {
          serverAddress: 'http://prometheus:9090',
          query:
            'max(parley_webhook_deliveries_pending{namespace="parley-system",pod=~"demo-parley-delivery-.*"})',
        },
      });
    });

    test('says what is missing for KEDA', async () => {
      const values = { delivery: { keda: { enabled: true } } };
      await expect(renderChart(helm!, values)).rejects.toThrow(/delivery\.keda\.prometheusAddress/);
    });

    test('keeps one pod of each role through a drain, unless there is but one', async () => {
      expect(ofKind(objects, 'PodDisruptionBudget').map(({ spec }) => spec)).toMatchObject(
        Array.from({ length: 3 }, () => ({
          maxUnavailable: 1,
          unhealthyPodEvictionPolicy: 'AlwaysAllow',
        })),
      );
      const single = await renderChart(helm!, { operator: { replicas: 1 } });
      const names = ofKind(single, 'PodDisruptionBudget').map(({ metadata }) => metadata.name);
      expect(names).toEqual(['demo-parley-api', 'demo-parley-delivery']);
    });
  });

  describe('the ways to the API', () => {
    test('are a Service whose port leads to the pods', () => {
      const service = findObject(objects, 'Service', 'demo-parley-api');
      expect(service['spec']).toMatchObject({
        type: 'ClusterIP',
        ports: [{ name: 'http', port: 8080, targetPort: 'http' }],
      });
      const { labels, spec } = podOf(objects, 'api');
      expect(labels).toMatchObject(Object(fieldOf(service, 'spec', 'selector')));
      expect(spec.containers[0]?.ports).toContainEqual({ name: 'http', containerPort: 8080 });
      expect(envOf(podOf(objects, 'api'), 'PARLEY_BASE_URL')).toBe(
        'http://demo-parley-api.parley-system.svc:8080',
      );
    });

    test('are an Ingress and an HTTPRoute when asked for, and events carry their host', async () => {
      const rendered = await renderChart(helm!, {
        ...scenario('everything on'),
        baseUrl: '',
      });
      const backend = { service: { name: 'demo-talk-api', port: { name: 'http' } } };
      expect(findObject(rendered, 'Ingress', 'demo-talk-api')['spec']).toMatchObject({
        ingressClassName: 'nginx',
        rules: [
          {
            host: 'parley.example.com',
            http: { paths: [{ path: '/', pathType: 'Prefix', backend }] },
          },
        ],
      });
      expect(findObject(rendered, 'HTTPRoute', 'demo-talk-api')['spec']).toMatchObject({
        parentRefs: [{ name: 'gateway' }],
        rules: [{ backendRefs: [{ name: 'demo-talk-api', port: 8080 }] }],
      });
      expect(envOf(podOf(rendered, 'api'), 'PARLEY_BASE_URL')).toBe('https://parley.example.com');
    });
  });

  test('an Ingress lets the largest upload through ingress-nginx, whatever other annotations it has', async () => {
    const annotationsOf = async (ingress: object) =>
      findObject(await renderChart(helm!, { ingress }), 'Ingress', 'demo-parley-api').metadata
        .annotations;
    const size = { 'nginx.ingress.kubernetes.io/proxy-body-size': '21m' };
    expect(await annotationsOf({ enabled: true })).toEqual(size);
    expect(await annotationsOf({ enabled: true, annotations: { a: 'b' } })).toEqual({
      ...size,
      a: 'b',
    });
    const routes = '../../src/knowledge/sources/knowledge-sources.routes.ts';
    const text = readFileSync(new URL(routes, import.meta.url), 'utf8');
    const [, mebibytes] = /FILE_BYTES_MAX = (\d+) \* 1024 \* 1024/.exec(text)!;
    expect(Number(mebibytes)).toBeLessThan(21);
  });

  test('has an icon, that of the dashboard', async () => {
    const { icon } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { icon: string };
    const [head, body] = icon.split(',');
    expect(head).toBe('data:image/svg+xml;base64');
    const shown = readFileSync(
      new URL('../../packages/dashboard/src/icon.svg', import.meta.url),
      'utf8',
    );
    expect(Buffer.from(body!, 'base64').toString()).toBe(shown.trim());
  });

  test('carries objects of the user, as maps and as templates', async () => {
    const rendered = await renderChart(helm!, scenario('everything on'));
    expect(findObject(rendered, 'ConfigMap', 'mine')['data']).toEqual({ a: 'b' });
    expect(findObject(rendered, 'ConfigMap', 'demo-text')).toBeDefined();
  });

  test('tests itself with its own image, where the key is valid', async () => {
    const pod = findObject(objects, 'Pod', 'demo-parley-test-agent-life');
    expect(pod.metadata.annotations['helm.sh/hook']).toBe('test');
    const elsewhere = await renderChart(helm!, scenario('namespaced'));
    expect(ofKind(elsewhere, 'Pod')).toEqual([]);
    const here = await renderChart(helm!, { watchNamespaces: ['default'] });
    expect(ofKind(here, 'Pod')).toHaveLength(2);
  });

  test('gives its first key to a watched namespace, and tests itself there', async () => {
    const namespaced = scenario('namespaced');
    const of = (namespace: string) => renderChart(helm!, { ...namespaced, apiKey: { namespace } });
    const watched = await of('team-b');
    expect(envOf(podOf(watched, 'api'), 'PARLEY_API_KEY_NAMESPACE')).toBe('team-b');
    expect(ofKind(watched, 'Pod')).toHaveLength(2);
    const drills = ofKind(watched, 'Secret').map(({ metadata }) => metadata.namespace);
    expect(drills).toContain('team-b');
    expect(drills).not.toContain('default');
    expect(ofKind(await of('team-c'), 'Pod')).toEqual([]);
    expect(envOf(podOf(objects, 'api'), 'PARLEY_API_KEY_NAMESPACE')).toBeUndefined();
  });

  test('rings itself, by a Service that the roles may reach and a Secret where its key is valid', async () => {
    const drill = findObject(objects, 'Pod', 'demo-parley-voice-drill');
    expect(drill.metadata.annotations['helm.sh/hook']).toBe('test');
    const secrets = ofKind(objects, 'Secret').filter(({ metadata }) =>
      metadata.name.startsWith('demo-parley-voice-drill'),
    );
    const [there, here] = secrets.toSorted(
      (a, b) => b.metadata.name.length - a.metadata.name.length,
    );
    expect(there!.metadata).toMatchObject({
      namespace: 'default',
      labels: { 'parley.dev/allow': 'true' },
    });
    expect(here!.metadata.namespace).toBe(NAMESPACE);
    expect(here!['data']).toEqual(there!['data']);
    const host = `demo-parley-voice-drill.${NAMESPACE}.svc`;
    for (const role of ['operator', 'api', 'delivery']) {
      expect(envOf(podOf(objects, role), 'PARLEY_EGRESS_ALLOW')).toBe(host);
    }
    const off = await renderChart(helm!, { tests: { voice: { enabled: false } } });
    expect(ofKind(off, 'Pod')).toHaveLength(1);
    expect(envOf(podOf(off, 'api'), 'PARLEY_EGRESS_ALLOW')).toBe('');
    expect(JSON.stringify(off)).not.toContain('voice-drill');
  });

  test('labels every object, and each name is of this release', async () => {
    for (const values of Object.values(SCENARIOS)) {
      for (const { kind, metadata } of await renderChart(helm!, values)) {
        if (kind === 'CustomResourceDefinition' || metadata.name === 'mine') continue;
        expect(metadata.name).toContain('demo-');
        if (metadata.name === 'demo-text') continue;
        expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/instance': 'demo' });
      }
    }
  });
});
