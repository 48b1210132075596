import { parse } from 'yaml';
import { z } from 'zod';
import { renderText, type Helm, type RenderOptions } from './helm.ts';

/** The chart rendered as objects, with as much of their shape as the tests read. */

const strings = z.record(z.string(), z.string());

const env = z.looseObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .looseObject({ secretKeyRef: z.object({ name: z.string(), key: z.string() }).optional() })
    .optional(),
});

const probe = z.looseObject({
  httpGet: z.looseObject({ path: z.string(), port: z.string() }).optional(),
});

const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  command: z.array(z.string()).default([]),
  env: z.array(env).default([]),
  ports: z.array(z.looseObject({ name: z.string(), containerPort: z.int() })).default([]),
  resources: z.looseObject({ requests: strings, limits: strings.default({}) }),
  securityContext: z.looseObject({}),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
});

const podSpec = z.looseObject({
  automountServiceAccountToken: z.boolean().optional(),
  enableServiceLinks: z.boolean().optional(),
  serviceAccountName: z.string().optional(),
  securityContext: z.looseObject({}),
  initContainers: z.array(container).default([]),
  containers: z.array(container),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
});

const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: strings.default({}),
    annotations: strings.default({}),
  }),
});

export type KubeObject = z.infer<typeof object>;
export type Container = z.infer<typeof container>;
export type PodSpec = z.infer<typeof podSpec>;
export type Pod = { owner: string; labels: Record<string, string>; spec: PodSpec };

export const RELEASE = 'demo';
export const NAMESPACE = 'parley-system';

/** @throws Error with what helm said */
export async function renderChart(
  helm: Helm,
  values: object = {},
  cluster: Pick<RenderOptions, 'apiVersions'> = {},
): Promise<KubeObject[]> {
  const about = { release: RELEASE, namespace: NAMESPACE, ...cluster };
  const text = await renderText(helm, values, about);
  return text
    .split(/^---$/m)
    .map(readObject)
    .filter((one) => one !== undefined);
}

const read = new Map<string, KubeObject | undefined>();

/** Most documents are the same for most values, and the CRDs alone take 50 ms to parse. */
function readObject(text: string): KubeObject | undefined {
  if (!read.has(text)) {
    const value: unknown = parse(text);
    read.set(text, value === null ? undefined : object.parse(value));
  }
  return structuredClone(read.get(text));
}

export function findObject(objects: readonly KubeObject[], kind: string, name: string): KubeObject {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  const names = objects.map((one) => `${one.kind}/${one.metadata.name}`);
  if (!found) throw new Error(`no ${kind}/${name} among ${names.join(', ')}`);
  return found;
}

export function ofKind(objects: readonly KubeObject[], kind: string): KubeObject[] {
  return objects.filter((one) => one.kind === kind);
}

const workload = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      metadata: z.looseObject({ labels: strings }),
      spec: podSpec,
    }),
    volumeClaimTemplates: z
      .array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) }))
      .default([]),
  }),
});

/** Every pod that the objects make: of Deployments, of StatefulSets, and bare ones. */
export function podsOf(objects: readonly KubeObject[]): Pod[] {
  return objects.flatMap((one) => {
    const owner = `${one.kind}/${one.metadata.name}`;
    if (one.kind === 'Pod') {
      return [{ owner, labels: one.metadata.labels, spec: podSpec.parse(one['spec']) }];
    }
    if (one.kind !== 'Deployment' && one.kind !== 'StatefulSet') return [];
    const { template, volumeClaimTemplates } = workload.parse(one).spec;
    const { metadata, spec } = template;
    // As the StatefulSet's controller adds them.
    const claims = volumeClaimTemplates.map(({ metadata: { name } }) => ({
      name,
      persistentVolumeClaim: { claimName: name },
    }));
    return [
      { owner, labels: metadata.labels, spec: { ...spec, volumes: [...spec.volumes, ...claims] } },
    ];
  });
}

/** A role's Deployment. */
export function deploymentOf(objects: readonly KubeObject[], role: string): KubeObject {
  const found = ofKind(objects, 'Deployment').find(
    ({ metadata }) => metadata.labels['app.kubernetes.io/component'] === role,
  );
  if (!found) throw new Error(`no Deployment of ${role}`);
  return found;
}

/** The pod of a role's Deployment. */
export function podOf(objects: readonly KubeObject[], role: string): Pod {
  const [pod] = podsOf([deploymentOf(objects, role)]);
  if (!pod) throw new Error(`the Deployment of ${role} has no pod`);
  return pod;
}

export function containersOf({ spec }: Pod): Container[] {
  return [...spec.initContainers, ...spec.containers];
}

/** Value, or `secret/key`, of an environment variable of a role. */
export function envOf(pod: Pod, name: string): string | undefined {
  const found = pod.spec.containers[0]?.env.find((one) => one.name === name);
  const from = found?.valueFrom?.secretKeyRef;
  return from ? `${from.name}/${from.key}` : found?.value;
}

/** A field some levels down. @throws Error when a level is missing */
export function fieldOf(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((parent, key) => {
    if (typeof parent !== 'object' || parent === null || !(key in parent)) {
      throw new Error(`no ${path.join('.')}: ${key} is missing`);
    }
    return Object.entries(parent).find(([name]) => name === String(key))?.[1];
  }, value);
}
