import { beforeAll, describe, expect, test } from 'vitest';
import { findHelm } from './helm.ts';
import {
  fieldOf,
  findObject,
  NAMESPACE,
  ofKind,
  podOf,
  podsOf,
  renderChart,
  type KubeObject,
} from './rendered.ts';
import { scenario } from './scenarios.ts';

/** Who may do what, and who may talk to whom. */

const helm = await findHelm();
const RELEASE_LABELS = { 'app.kubernetes.io/name': 'parley', 'app.kubernetes.io/instance': 'demo' };

(helm ? describe : describe.skip)('in the chart', () => {
  let objects: KubeObject[];

  beforeAll(async () => {
    objects = await renderChart(helm!);
  });

  describe('rights', () => {
    const KINDS = [
      'agents',
      'knowledgesources',
      'modelproviders',
      'telephonyproviders',
      'webhookendpoints',
    ];
    const OPERATOR = [
      { apiGroups: ['parley.dev'], resources: KINDS, verbs: ['list', 'watch', 'patch'] },
      {
        apiGroups: ['parley.dev'],
        resources: KINDS.map((kind) => `${kind}/status`),
        verbs: ['patch'],
      },
      {
        apiGroups: [''],
        resources: ['secrets'],
        verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    ];
    const API = [
      {
        apiGroups: ['parley.dev'],
        resources: KINDS,
        verbs: ['get', 'create', 'patch', 'delete'],
      },
    ];
    const LEASES = [
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        verbs: ['create', 'get', 'list', 'watch', 'update'],
      },
    ];
    /** `kind/namespace/name` → rules, of everything that grants something. */
    const granted = (all: readonly KubeObject[]) =>
      Object.fromEntries(
        all
          .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
          .map(({ kind, metadata, rules }) => [
            `${kind} ${metadata.namespace ?? '*'} ${metadata.name}`,
            rules,
          ]),
      );

    test('are exactly these in all namespaces', () => {
      const aggregated = { apiGroups: ['parley.dev'], resources: KINDS };
      expect(granted(objects)).toEqual({
        'ClusterRole * parley-system-demo-parley-operator': OPERATOR,
        'ClusterRole * parley-system-demo-parley-api': API,
        'Role parley-system demo-parley-operator-own': LEASES,
        'ClusterRole * parley-system-demo-parley-view': [
          { ...aggregated, verbs: ['get', 'list', 'watch'] },
        ],
        'ClusterRole * parley-system-demo-parley-edit': [
          { ...aggregated, verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
        ],
      });
    });

    test('are the same in the watched namespaces, and none elsewhere', async () => {
      expect(granted(await renderChart(helm!, scenario('namespaced')))).toEqual({
        'Role team-a parley-system-demo-parley-operator': OPERATOR,
        'Role team-b parley-system-demo-parley-operator': OPERATOR,
        'Role team-a parley-system-demo-parley-api': API,
        'Role team-b parley-system-demo-parley-api': API,
        'Role parley-system demo-parley-operator-own': LEASES,
      });
    });

    test('are bound each to the account of its role', async () => {
      for (const values of [{}, scenario('namespaced')]) {
        const rendered = await renderChart(helm!, values);
        const bindings = rendered.filter(({ kind }) => kind.endsWith('RoleBinding'));
        expect(bindings.length).toBeGreaterThanOrEqual(3);
        for (const binding of bindings) {
          const role = binding.metadata.name.includes('operator') ? 'operator' : 'api';
          const name = `demo-parley-${role}`;
          expect(binding['subjects']).toEqual([
            { kind: 'ServiceAccount', name, namespace: NAMESPACE },
          ]);
          expect(podOf(rendered, role).spec.serviceAccountName).toBe(name);
        }
      }
    });

    test('of people who view, edit or administrate a namespace cover our kinds', () => {
      const labels = (name: string) => findObject(objects, 'ClusterRole', name).metadata.labels;
      const key = (role: string) => `rbac.authorization.k8s.io/aggregate-to-${role}`;
      expect(labels('parley-system-demo-parley-view')).toMatchObject({
        [key('view')]: 'true',
        [key('edit')]: 'true',
        [key('admin')]: 'true',
      });
      const edit = labels('parley-system-demo-parley-edit');
      expect(edit).toMatchObject({ [key('edit')]: 'true', [key('admin')]: 'true' });
      expect(edit).not.toHaveProperty(key('view'));
    });
  });

  describe('network policies', () => {
    test('cover every pod, in both directions', async () => {
      for (const values of [{}, scenario('everything on'), scenario('namespaced')]) {
        const rendered = await renderChart(helm!, values);
        const policies = ofKind(rendered, 'NetworkPolicy');
        for (const { owner, labels } of podsOf(rendered)) {
          const covering = policies.filter((policy) =>
            Object.entries(fieldOf(policy, 'spec', 'podSelector', 'matchLabels') ?? {}).every(
              ([name, value]) => labels[name] === value,
            ),
          );
          expect({ owner, policies: covering.length }).toEqual({ owner, policies: 1 });
          expect(fieldOf(covering[0], 'spec', 'policyTypes')).toEqual(['Ingress', 'Egress']);
        }
      }
    });

    test('let nobody but the roles reach the bundled database', () => {
      const policy = findObject(objects, 'NetworkPolicy', 'demo-parley-postgresql');
      expect(fieldOf(policy, 'spec', 'ingress')).toEqual([
        {
          from: [
            {
              podSelector: {
                matchLabels: RELEASE_LABELS,
                matchExpressions: [
                  {
                    key: 'app.kubernetes.io/component',
                    operator: 'In',
                    values: ['operator', 'api', 'delivery'],
                  },
                ],
              },
            },
          ],
          ports: [{ port: 'postgresql' }],
        },
      ]);
    });

    test('let delivery reach the world but no private network, except those of egressAllow', async () => {
      const rendered = await renderChart(helm!, {
        egressAllow: ['10.20.0.0/16', '*.default.svc'],
      });
      const policy = findObject(rendered, 'NetworkPolicy', 'demo-parley-delivery');
      const blocks = JSON.stringify(fieldOf(policy, 'spec', 'egress'));
      expect(blocks).toContain('"cidr":"0.0.0.0/0","except":["0.0.0.0/8","10.0.0.0/8"');
      expect(blocks).toContain('169.254.0.0/16');
      expect(blocks).toContain('{"ipBlock":{"cidr":"10.20.0.0/16"}}');
      // A policy knows no hosts.
      expect(blocks).not.toContain('default.svc');
      expect(blocks).not.toContain('6443');
    });

    test('let only the operator and the API reach the Kubernetes API', () => {
      for (const role of ['operator', 'api']) {
        const policy = findObject(objects, 'NetworkPolicy', `demo-parley-${role}`);
        expect(fieldOf(policy, 'spec', 'egress')).toContainEqual(
          expect.objectContaining({ ports: [{ port: 443 }, { port: 6443 }] }),
        );
      }
    });
  });
});
