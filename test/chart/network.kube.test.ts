import { beforeAll, describe, expect, test } from 'vitest';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { findHelm } from './helm.ts';
import { findObject, NAMESPACE, renderChart, type KubeObject } from './rendered.ts';
import { scenario } from './scenarios.ts';

/**
 * Who may talk to whom: the rendered policies are read as a network plugin reads them, and asked about
 * addresses and pods. A cluster that enforces them is no part of these tests.
 */

const helm = await findHelm();
const ROLES = ['operator', 'api', 'delivery'] as const;

const labels = z.record(z.string(), z.string());
const selector = z.strictObject({
  matchLabels: labels.default({}),
  matchExpressions: z.array(z.unknown()).optional(),
});
const peer = z.strictObject({
  podSelector: selector.optional(),
  namespaceSelector: selector.optional(),
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
});
const ports = z.array(
  z.strictObject({ port: z.union([z.string(), z.int()]), protocol: z.string().optional() }),
);
const rules = z.strictObject({
  podSelector: z.unknown(),
  policyTypes: z.array(z.string()),
  ingress: z.array(z.strictObject({ from: z.array(peer).optional(), ports })),
  egress: z.array(z.strictObject({ to: z.array(peer).min(1), ports: ports.optional() })),
});

type Peer = z.infer<typeof peer>;
/** An address outside, or a pod. */
type Other = { ip: string } | { pod: Record<string, string>; namespace: string };

function rulesOf(objects: readonly KubeObject[], role: string): z.infer<typeof rules> {
  return rules.parse(findObject(objects, 'NetworkPolicy', `demo-parley-${role}`)['spec']);
}

function reaches(objects: readonly KubeObject[], role: string, other: Other, port: number) {
  return rulesOf(objects, role).egress.some(
    ({ to, ports: open }) =>
      (open === undefined || open.some((one) => one.port === port)) &&
      to.some((one) => covers(one, other)),
  );
}

function isReachedBy(objects: readonly KubeObject[], role: string, other: Other, port: string) {
  return rulesOf(objects, role).ingress.some(
    ({ from, ports: open }) =>
      open.some((one) => one.port === port) &&
      (from === undefined || from.some((one) => covers(one, other))),
  );
}

function covers({ ipBlock, podSelector, namespaceSelector }: Peer, other: Other): boolean {
  if ('ip' in other) {
    if (ipBlock === undefined) return false;
    return inRange(other.ip, ipBlock.cidr) && !ipBlock.except.some((one) => inRange(other.ip, one));
  }
  if (ipBlock !== undefined) return false; // Pods are named by their labels.
  const inNamespace =
    namespaceSelector === undefined
      ? other.namespace === NAMESPACE
      : hasLabels({ 'kubernetes.io/metadata.name': other.namespace }, namespaceSelector);
  return inNamespace && (podSelector === undefined || hasLabels(other.pod, podSelector));
}

function hasLabels(of: Record<string, string>, { matchLabels }: z.infer<typeof selector>): boolean {
  return Object.entries(matchLabels).every(([name, value]) => of[name] === value);
}

function inRange(ip: string, cidr: string): boolean {
  const [address, range] = [ipaddr.parse(ip), ipaddr.parseCIDR(cidr)];
  return address.kind() === range[0].kind() && address.match(range);
}

/** Of AWS, Azure, Google, Alibaba, Oracle, OpenStack and Scaleway, of both families. */
const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '169.254.42.42',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
];

const anyPod = { pod: { app: 'other' }, namespace: 'shop' };
const kubeDns = { pod: { 'k8s-app': 'kube-dns' }, namespace: 'kube-system' };
const database = {
  pod: {
    'app.kubernetes.io/name': 'parley',
    'app.kubernetes.io/instance': 'demo',
    'app.kubernetes.io/component': 'postgresql',
  },
  namespace: NAMESPACE,
};

(helm ? describe : describe.skip)('the network policies', () => {
  let objects: KubeObject[];

  beforeAll(async () => {
    objects = await renderChart(helm!);
  });

  test('let the operator and the API to private addresses on no port but those of the API server', () => {
    const inside = ['10.0.0.1', '192.168.1.1', 'fd00::1', ...METADATA];
    for (const role of ['operator', 'api']) {
      for (const port of [53, 80, 5432, 8080]) {
        const open = inside.filter((ip) => reaches(objects, role, { ip }, port));
        expect({ role, port, open }).toEqual({ role, port, open: [] });
      }
      // A model may be there only where the program may ask it.
      expect(reaches(objects, role, anyPod, 8080)).toBe(false);
    }
  });

  test('let the operator and the API to the models that delivery could reach too', async () => {
    const open = await renderChart(helm!, { egressAllow: ['10.20.0.0/16', '*.shop.svc'] });
    for (const role of ROLES) {
      expect(reaches(objects, role, { ip: '93.184.215.14' }, 443)).toBe(true);
      expect(reaches(objects, role, { ip: '10.20.0.1' }, 8000)).toBe(false);
      expect(reaches(open, role, { ip: '10.20.0.1' }, 8000)).toBe(true);
      expect(reaches(open, role, anyPod, 8000)).toBe(true);
    }
  });

  test('let the operator and the API to the Kubernetes API where the values say it is, and delivery not', async () => {
    const named = await renderChart(helm!, {
      networkPolicy: { kubernetesApiCidrs: ['10.0.0.1/32'] },
    });
    for (const role of ['operator', 'api']) {
      expect(reaches(objects, role, { ip: '10.96.0.1' }, 443)).toBe(true);
      expect(reaches(objects, role, { ip: '172.18.0.2' }, 6443)).toBe(true);
      expect(reaches(named, role, { ip: '10.0.0.1' }, 443)).toBe(true);
      expect(reaches(named, role, { ip: '10.0.0.2' }, 443)).toBe(false);
    }
    expect(reaches(objects, 'delivery', { ip: '10.96.0.1' }, 443)).toBe(false);
    const nowhere = renderChart(helm!, { networkPolicy: { kubernetesApiCidrs: [] } });
    await expect(nowhere).rejects.toThrow(/kubernetesApiCidrs/);
  });

  test('let every role to the bundled database, and to no other pod on its port', () => {
    for (const role of ROLES) {
      expect(reaches(objects, role, database, 5432)).toBe(true);
      expect(reaches(objects, role, { ...database, namespace: 'shop' }, 5432)).toBe(false);
      expect(reaches(objects, role, anyPod, 5432)).toBe(false);
      expect(reaches(objects, role, { ip: '10.1.2.3' }, 5432)).toBe(false);
    }
  });

  test('let every role to an external database where the values say it is', async () => {
    const external = await renderChart(helm!, scenario('external database'));
    const inCluster = await renderChart(helm!, scenario('database URL'));
    for (const role of ROLES) {
      expect(reaches(external, role, { ip: '192.0.2.10' }, 5432)).toBe(true);
      expect(reaches(external, role, { ip: '192.0.2.11' }, 5432)).toBe(false);
      expect(reaches(inCluster, role, { pod: { app: 'pg' }, namespace: NAMESPACE }, 5432)).toBe(
        true,
      );
      expect(reaches(inCluster, role, { ip: '192.0.2.10' }, 5432)).toBe(false);
    }
  });

  test('let the drill of calls and the roles to each other, and nobody else to it', () => {
    const podOf = (component: string): Other => ({
      pod: { ...database.pod, 'app.kubernetes.io/component': component },
      namespace: NAMESPACE,
    });
    for (const role of ROLES) {
      const rules = rulesOf(objects, role).egress.filter(({ ports: open }) =>
        open?.some(({ port }) => port === 'drill'),
      );
      expect(rules).toHaveLength(1);
      expect(rules[0]!.to.every((one) => covers(one, podOf('voice-drill')))).toBe(true);
      expect(rules[0]!.to.some((one) => covers(one, anyPod))).toBe(false);
    }
    expect(isReachedBy(objects, 'api', podOf('voice-drill'), 'http')).toBe(true);
    expect(isReachedBy(objects, 'voice-drill', anyPod, 'drill')).toBe(false);
    expect(reaches(objects, 'voice-drill', { ip: '93.184.215.14' }, 443)).toBe(false);
  });

  test('ask where an external database is, rather than open its port to all', async () => {
    const unsaid = { database: { existingSecret: 'pg' } };
    await expect(renderChart(helm!, unsaid)).rejects.toThrow(/networkPolicy\.databaseCidrs/);
    const off = { ...unsaid, networkPolicy: { enabled: false } };
    await expect(renderChart(helm!, off)).resolves.toBeDefined();
  });

  test('let every role, and `helm test`, to the DNS of the cluster and to no other', () => {
    for (const role of [...ROLES, 'test', 'voice-drill']) {
      expect(reaches(objects, role, kubeDns, 53)).toBe(true);
      expect(reaches(objects, role, anyPod, 53)).toBe(false);
      expect(reaches(objects, role, { ip: '10.0.0.53' }, 53)).toBe(false);
    }
  });

  test('let metrics be read from the monitoring namespace, or from where the values say', async () => {
    const prometheus = { pod: { app: 'prometheus' }, namespace: 'monitoring' };
    const elsewhere = await renderChart(helm!, {
      networkPolicy: {
        metricsFrom: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
      },
    });
    const nobody = await renderChart(helm!, { networkPolicy: { metricsFrom: [] } });
    for (const role of ROLES) {
      expect(isReachedBy(objects, role, prometheus, 'metrics')).toBe(true);
      expect(isReachedBy(objects, role, anyPod, 'metrics')).toBe(false);
      expect(isReachedBy(objects, role, { ip: '93.184.215.14' }, 'metrics')).toBe(false);
      expect(isReachedBy(elsewhere, role, prometheus, 'metrics')).toBe(false);
      expect(isReachedBy(elsewhere, role, { ...prometheus, namespace: NAMESPACE }, 'metrics')).toBe(
        true,
      );
      expect(isReachedBy(nobody, role, prometheus, 'metrics')).toBe(false);
    }
    expect(isReachedBy(objects, 'api', anyPod, 'http')).toBe(true);
  });

  describe('of delivery', () => {
    const to = (of: KubeObject[], ip: string): boolean => reaches(of, 'delivery', { ip }, 443);

    test('let it to public addresses, and to nothing private or reserved', () => {
      for (const ip of ['93.184.215.14', '2606:4700::1']) expect(to(objects, ip)).toBe(true);
      const inside = ['10.0.0.1', '172.31.0.1', '192.168.1.1', '127.0.0.1', '100.64.0.1'];
      const reserved = ['0.0.0.1', '198.18.0.1', '192.0.2.1', '203.0.113.1', '224.0.0.1', '::1'];
      const tunnels = ['64:ff9b::a00:1', '2002:a00:1::', '2001:0:1::', 'fd00::1', 'fe80::1'];
      for (const ip of [...inside, ...reserved, ...tunnels, ...METADATA]) {
        expect({ ip, open: to(objects, ip) }).toEqual({ ip, open: false });
      }
      expect(reaches(objects, 'delivery', anyPod, 8080)).toBe(false);
    });

    test.each([['0.0.0.0/0'], ['100.64.0.0/10'], ['169.0.0.0/8'], ['::/0'], ['fc00::/7']])(
      'let it to no metadata service, even with %s in egressAllow',
      async (cidr) => {
        const open = await renderChart(helm!, { egressAllow: [cidr] });
        for (const ip of METADATA) expect({ ip, open: to(open, ip) }).toEqual({ ip, open: false });
      },
    );

    test('let it to what egressAllow names: networks, and Services by their host', async () => {
      const open = await renderChart(helm!, {
        egressAllow: ['10.20.0.0/16', '*.shop.svc', 'rx.other.svc.cluster.local'],
        networkPolicy: {
          deliveryTo: [{ ipBlock: { cidr: '192.168.7.0/24' } }],
          collectorTo: [{ ipBlock: { cidr: '192.168.9.0/24' } }],
        },
      });
      expect(to(open, '192.168.9.1')).toBe(true);
      expect(to(open, '10.20.0.1')).toBe(true);
      expect(to(open, '10.21.0.1')).toBe(false);
      expect(to(open, '192.168.7.1')).toBe(true);
      expect(reaches(open, 'delivery', anyPod, 8080)).toBe(true);
      expect(reaches(open, 'delivery', { ...anyPod, namespace: 'other' }, 8080)).toBe(true);
      expect(reaches(open, 'delivery', { ...anyPod, namespace: 'default' }, 8080)).toBe(false);
    });
  });
});
