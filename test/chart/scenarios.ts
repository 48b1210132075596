/** Values a user may well have. Every promise that holds for all of them is tested with all. */

const external = {
  database: { existingSecret: 'pg', existingSecretKey: 'uri' },
  networkPolicy: { databaseCidrs: ['192.0.2.10/32'] },
};

export const SCENARIOS: Record<string, object> = {
  default: {},
  'external database': external,
  'database URL': {
    database: { url: 'postgresql://parley:secret@db.example.com:5432/parley' },
    networkPolicy: { databaseTo: [{ podSelector: { matchLabels: { app: 'pg' } } }] },
  },
  namespaced: { watchNamespaces: ['team-a', 'team-b'], ...external },
  CloudNativePG: {
    database: {
      cloudnativepg: { enabled: true, storage: { storageClass: 'fast' }, spec: { instances: 2 } },
    },
  },
  KEDA: { delivery: { keda: { enabled: true, prometheusAddress: 'http://prometheus:9090' } } },
  'everything off': {
    ...external,
    crds: { enabled: false },
    rbac: { create: false },
    apiKey: { generate: false },
    networkPolicy: { enabled: false },
    tests: { enabled: false },
    operator: { replicas: 1, pdb: { enabled: false }, serviceAccount: { create: false } },
    api: { replicas: 1, autoscaling: { enabled: false }, pdb: { enabled: false } },
    delivery: { replicas: 1, autoscaling: { enabled: false }, pdb: { enabled: false } },
  },
  'everything on': {
    nameOverride: 'talk',
    commonLabels: { team: 'voice' },
    image: { registry: 'registry.example.com', digest: `sha256:${'0'.repeat(64)}` },
    imagePullSecrets: [{ name: 'pull' }],
    egressAllow: ['10.20.0.0/16', 'fd00::/8', '0.0.0.0/0', '*.default.svc'],
    baseUrl: 'https://parley.example.com',
    otlpEndpoint: 'http://collector.observability:4318',
    rateLimit: 0,
    corsOrigins: ['*'],
    podLabels: { mesh: 'on' },
    podAnnotations: { note: 'all' },
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'talk', operator: 'Exists' }],
    priorityClassName: 'high',
    extraEnv: [{ name: 'EXTRA', value: '1' }],
    extraVolumes: [{ name: 'extra', emptyDir: {} }],
    extraVolumeMounts: [{ name: 'extra', mountPath: '/extra' }],
    api: {
      affinity: { podAntiAffinity: {} },
      extraEnv: [{ name: 'PARLEY_LOG_LEVEL', value: 'debug' }],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'rack',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { 'app.kubernetes.io/component': 'api' } },
        },
      ],
      autoscaling: { behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } },
    },
    delivery: { autoscaling: { backlog: { enabled: true, selector: { job: 'talk' } } } },
    database: { bundled: { persistence: { enabled: false } } },
    service: { annotations: { note: 'service' } },
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'parley.example.com',
      tls: [{ secretName: 'tls', hosts: ['parley.example.com'] }],
    },
    httpRoute: { enabled: true, parentRefs: [{ name: 'gateway' }], hostnames: ['p.example.com'] },
    networkPolicy: {
      kubernetesApiCidrs: ['192.0.2.0/24'],
      apiFrom: [{ namespaceSelector: { matchLabels: { team: 'voice' } } }],
      metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    },
    monitoring: {
      podMonitor: { enabled: true },
      prometheusRule: { enabled: true },
      dashboard: { enabled: true },
    },
    extraObjects: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' }, data: { a: 'b' } },
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}-text"}\n',
    ],
  },
};

/** @throws Error when there is none of this name: the defaults would hide a mistake. */
export function scenario(name: string): object {
  const values = SCENARIOS[name];
  if (!values) throw new Error(`no scenario "${name}"`);
  return values;
}
