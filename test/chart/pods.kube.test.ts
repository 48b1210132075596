import { beforeAll, describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { findHelm } from './helm.ts';
import {
  containersOf,
  deploymentOf,
  envOf,
  fieldOf,
  podOf,
  podsOf,
  renderChart,
  type KubeObject,
} from './rendered.ts';
import { scenario, SCENARIOS } from './scenarios.ts';

/** What every pod of the chart is, whatever the values. */

const helm = await findHelm();
const ROLES = ['operator', 'api', 'delivery'] as const;

(helm ? describe : describe.skip).each(Object.entries(SCENARIOS))(
  'pods with values "%s"',
  (_, values) => {
    let objects: KubeObject[];

    beforeAll(async () => {
      objects = await renderChart(helm!, values);
    });

    test('run as a user, without privileges, on a read-only root, as `restricted` demands', () => {
      const pods = podsOf(objects);
      expect(pods.length).toBeGreaterThanOrEqual(3);
      for (const { owner, spec } of pods) {
        expect({ owner, ...spec.securityContext }).toMatchObject({
          owner,
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const { name, securityContext } of [...spec.initContainers, ...spec.containers]) {
          expect({ owner, name, securityContext }).toEqual({
            owner,
            name,
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          });
        }
      }
    });

    test('ask for CPU and memory and are bound in memory', () => {
      for (const pod of podsOf(objects)) {
        for (const { name, resources } of containersOf(pod)) {
          expect({ name, ...resources.requests }).toMatchObject({
            cpu: expect.any(String),
            memory: expect.any(String),
          });
          expect({ name, ...resources.limits }).toMatchObject({ memory: expect.any(String) });
        }
      }
    });

    test('get no token unasked, and no variable from a Service that happens to be there', () => {
      for (const { owner, spec } of podsOf(objects)) {
        const { automountServiceAccountToken, enableServiceLinks } = spec;
        expect({ owner, automountServiceAccountToken, enableServiceLinks }).toEqual({
          owner,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
        });
      }
    });

    test('migrate the schema before each role starts', () => {
      for (const role of ROLES) {
        const { initContainers, containers } = podOf(objects, role).spec;
        expect(initContainers.map(({ args }) => args)).toEqual([['migrate']]);
        expect(containers.map(({ args }) => args)).toEqual([[role]]);
        expect(initContainers[0]?.image).toBe(containers[0]?.image);
      }
    });

    test('are probed on the metrics port', () => {
      for (const role of ROLES) {
        const [container] = podOf(objects, role).spec.containers;
        expect(container).toMatchObject({
          startupProbe: { httpGet: { path: '/healthz', port: 'metrics' } },
          livenessProbe: { httpGet: { path: '/healthz', port: 'metrics' } },
          readinessProbe: { httpGet: { path: '/readyz', port: 'metrics' } },
        });
        expect(container?.ports).toContainEqual({ name: 'metrics', containerPort: 9090 });
      }
    });

    test('mount the token of the Kubernetes API where it is used: operator and api, not delivery, not migrate', () => {
      const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';
      for (const role of ROLES) {
        const pod = podOf(objects, role);
        const mounting = containersOf(pod)
          .filter(({ volumeMounts }) => volumeMounts.some((mount) => mount.mountPath === tokenPath))
          .map(({ name }) => name);
        expect({ role, mounting }).toEqual({ role, mounting: role === 'delivery' ? [] : [role] });
        expect(pod.spec.volumes.some((volume) => 'projected' in volume)).toBe(role !== 'delivery');
      }
    });

    test('are replaced one by one, a new one first', () => {
      for (const role of ROLES) {
        const deployment = deploymentOf(objects, role);
        expect(fieldOf(deployment, 'spec', 'strategy')).toEqual({
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
        });
      }
    });
  },
);

(helm ? describe : describe.skip)('pods', () => {
  test('run the image of the values, by digest where one is given', async () => {
    const image = { registry: 'r.example.com:5000', repository: 'a/b', tag: 'c' };
    const tagged = await renderChart(helm!, { image });
    const digest = `sha256:${'a'.repeat(64)}`;
    const pinned = await renderChart(helm!, { image: { ...image, digest } });
    for (const pod of podsOf(tagged).filter(({ owner }) => !owner.includes('postgresql'))) {
      expect(containersOf(pod).map((one) => one.image)).toEqual(
        containersOf(pod).map(() => 'r.example.com:5000/a/b:c'),
      );
    }
    for (const pod of podsOf(pinned).filter(({ owner }) => !owner.includes('postgresql'))) {
      expect(containersOf(pod).map((one) => one.image)).toEqual(
        containersOf(pod).map(() => `r.example.com:5000/a/b@${digest}`),
      );
    }
    const bundled = { image: { registry: 'r.example.com', repository: 'pg', tag: '18' } };
    const [database] = podsOf(await renderChart(helm!, { database: { bundled } })).filter(
      ({ owner }) => owner.includes('postgresql'),
    );
    expect(database?.spec.containers[0]?.image).toBe('r.example.com/pg:18');
  });

  test('run the version of the chart by default, which is that of the package', async () => {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const version = fieldOf(JSON.parse(text), 'version');
    const images = podsOf(await renderChart(helm!))
      .flatMap(containersOf)
      .map(({ image }) => image);
    expect([...new Set(images)].sort()).toEqual([
      `parley:${String(version)}`,
      'postgres:17-bookworm',
    ]);
  });

  test('of each role know the store, the database, the key and what may be reached', async () => {
    const values = {
      egressAllow: ['10.0.0.0/8', 'fd00::/8', '*.default.svc', 'rx.team-a.svc'],
      otlpEndpoint: 'http://collector.observability:4318',
      rateLimit: 0,
      corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
      limits: { eventStreams: '10,30,50', replayJobs: '1,2' },
      quotas: { webhookEndpoints: 0, knowledgeBytes: 107_374_182_400 },
      ...scenario('namespaced'),
    };
    const objects = await renderChart(helm!, values);
    for (const role of ROLES) {
      const pod = podOf(objects, role);
      expect(envOf(pod, 'PARLEY_STORE')).toBe('kubernetes');
      expect(envOf(pod, 'DATABASE_URL')).toBe('pg/uri');
      expect(envOf(pod, 'PARLEY_ENCRYPTION_KEY')).toBe('demo-parley-encryption-key/encryption-key');
      expect(envOf(pod, 'OTEL_EXPORTER_OTLP_ENDPOINT')).toBe('http://collector.observability:4318');
      expect(envOf(pod, 'PARLEY_EGRESS_ALLOW')).toBe(
        '10.0.0.0/8,fd00::/8,*.default.svc,rx.team-a.svc',
      );
    }
    expect(envOf(podOf(objects, 'operator'), 'PARLEY_WATCH_NAMESPACES')).toBe('team-a,team-b');
    expect(envOf(podOf(objects, 'api'), 'PARLEY_API_KEY')).toBe('demo-parley-api-key/api-key');
    expect(envOf(podOf(objects, 'api'), 'PARLEY_RATE_LIMIT')).toBe('0');
    expect(envOf(podOf(objects, 'api'), 'PARLEY_CORS_ORIGINS')).toBe(
      'https://app.example.com,http://localhost:5173',
    );
    expect(envOf(podOf(objects, 'api'), 'PARLEY_LIMIT_EVENT_STREAMS')).toBe('10,30,50');
    expect(envOf(podOf(objects, 'api'), 'PARLEY_LIMIT_REPLAY_JOBS')).toBe('1,2');
    expect(envOf(podOf(objects, 'api'), 'PARLEY_LIMIT_UPLOADS')).toBeUndefined();
    for (const role of ['api', 'operator'] as const) {
      expect(envOf(podOf(objects, role), 'PARLEY_QUOTA_WEBHOOK_ENDPOINTS')).toBe('0');
      expect(envOf(podOf(objects, role), 'PARLEY_QUOTA_KNOWLEDGE_BYTES')).toBe('107374182400');
      expect(envOf(podOf(objects, role), 'PARLEY_QUOTA_AGENTS')).toBeUndefined();
    }
    expect(envOf(podOf(objects, 'delivery'), 'PARLEY_QUOTA_WEBHOOK_ENDPOINTS')).toBeUndefined();
    expect(envOf(podOf(objects, 'delivery'), 'PARLEY_API_KEY')).toBeUndefined();
  });

  test('that think with a model know the default one; its key comes from a Secret', async () => {
    const model = { url: 'http://vllm.models.svc:8000/v1', name: 'm-1', existingSecret: 'models' };
    const known = ['PARLEY_MODEL_URL', 'PARLEY_MODEL', 'PARLEY_MODEL_KEY'];
    const environment = async (values: object, role: (typeof ROLES)[number]) => {
      const pod = podOf(await renderChart(helm!, values), role);
      return known.map((name) => envOf(pod, name));
    };
    for (const role of ['api', 'operator'] as const) {
      expect(await environment({ model }, role)).toEqual([model.url, 'm-1', 'models/api-key']);
    }
    expect(await environment({ model }, 'delivery')).toEqual(known.map(() => undefined));
    expect(await environment({}, 'api')).toEqual(known.map(() => undefined));
    const keyOf = { ...model, existingSecretKey: 'other' };
    expect((await environment({ model: keyOf }, 'api')).at(-1)).toBe('models/other');
    const { url, name } = model;
    expect(await environment({ model: { url, name } }, 'api')).toEqual([url, name, undefined]);
    const embedding = { model: { ...model, embeddingName: 'e-1' } };
    const pod = podOf(await renderChart(helm!, embedding), 'operator');
    expect(envOf(pod, 'PARLEY_EMBEDDING_MODEL')).toBe('e-1');
    await expect(renderChart(helm!, { model: { url } })).rejects.toThrow(/model\.name/);
  });

  test('export no traces unless there is a collector', async () => {
    const objects = await renderChart(helm!);
    for (const role of ROLES) {
      expect(envOf(podOf(objects, role), 'OTEL_EXPORTER_OTLP_ENDPOINT')).toBeUndefined();
    }
  });

  test("take what the values add, a role's own first", async () => {
    const objects = await renderChart(helm!, scenario('everything on'));
    const { labels, spec } = podOf(objects, 'api');
    expect(labels).toMatchObject({ team: 'voice', mesh: 'on', 'app.kubernetes.io/name': 'talk' });
    expect(spec).toMatchObject({
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'talk', operator: 'Exists' }],
      affinity: { podAntiAffinity: {} },
      priorityClassName: 'high',
      imagePullSecrets: [{ name: 'pull' }],
      topologySpreadConstraints: [{ topologyKey: 'rack' }],
    });
    expect(spec.volumes.map(({ name }) => name)).toContain('extra');
    expect(envOf(podOf(objects, 'api'), 'EXTRA')).toBe('1');
  });

  test('have each variable once: one of extraEnv takes the place of ours', async () => {
    const pod = podOf(await renderChart(helm!, scenario('everything on')), 'api');
    expect(envOf(pod, 'PARLEY_LOG_LEVEL')).toBe('debug');
    for (const { env } of containersOf(pod)) {
      const names = env.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test('of a role are spread over zones and nodes', async () => {
    const objects = await renderChart(helm!);
    for (const role of ROLES) {
      expect(podOf(objects, role).spec['topologySpreadConstraints']).toMatchObject([
        { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
        { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
      ]);
    }
  });

  test('of the API leave the Service before they stop, and have the time to drain', async () => {
    const { spec } = podOf(await renderChart(helm!), 'api');
    const seconds = fieldOf(spec.containers[0], 'lifecycle', 'preStop', 'sleep', 'seconds');
    expect(seconds).toBe(8);
    // What the program takes at most, src/roles/shutdown.ts.
    expect(Number(spec['terminationGracePeriodSeconds'])).toBeGreaterThan(Number(seconds) + 25);
  });

  test('keep the heap below the memory limit, and leave it alone where there is none', async () => {
    const flags = '--max-semi-space-size=8 --max-old-space-size-percentage=65';
    expect(envOf(podOf(await renderChart(helm!), 'delivery'), 'NODE_OPTIONS')).toBe(flags);
    const unbound = { delivery: { resources: { limits: { memory: null } } } };
    const objects = await renderChart(helm!, unbound);
    expect(envOf(podOf(objects, 'delivery'), 'NODE_OPTIONS')).toBeUndefined();
  });
});

(helm ? describe : describe.skip)('pods on OpenShift', () => {
  const idsOf = (objects: readonly KubeObject[]): unknown[] =>
    podsOf(objects).map(({ owner, spec }) => {
      const { runAsUser, runAsGroup, fsGroup } = spec.securityContext;
      return { owner, ids: [runAsUser, runAsGroup, fsGroup].filter((id) => id !== undefined) };
    });
  const OPENSHIFT = ['security.openshift.io/v1'];

  test.each(Object.entries(SCENARIOS))(
    'name no user of their own, as restricted-v2 demands, with values "%s"',
    async (_, values) => {
      const ids = idsOf(await renderChart(helm!, values, { apiVersions: OPENSHIFT }));
      expect(ids).toEqual(ids.map((pod) => ({ ...Object(pod), ids: [] })));
      expect(ids.length).toBeGreaterThanOrEqual(3);
    },
  );

  test('keep an id that the values name', async () => {
    const values = { podSecurityContext: { runAsUser: 1234 } };
    const [first] = idsOf(await renderChart(helm!, values, { apiVersions: OPENSHIFT }));
    expect(first).toMatchObject({ ids: [1234] });
  });

  test('have the ids of the chart on every other cluster', async () => {
    const ids = idsOf(await renderChart(helm!, {}));
    for (const pod of ids) expect(Object(pod).ids).toHaveLength(3);
  });
});
