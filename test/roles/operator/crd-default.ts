import { expect } from 'vitest';
import { collectionPath } from '../../../src/platform/kubernetes/resource-paths.ts';
import type { Kube } from '../../platform/kubernetes/kube.ts';
import { until } from '../../until.ts';

/** Adds a default for `metadata` to the CRD of Agents in an API server, as an upgrade of Parley may do. */
export async function addDefault(kube: Kube): Promise<void> {
  await change(kube, { op: 'add', path: DEFAULT, value: { tier: 'new' } });
}

/** Removes the default, because other test files use the server later. Resolves when the change is active. */
export async function removeDefault(kube: Kube): Promise<void> {
  await change(kube, { op: 'remove', path: DEFAULT });
  const fresh = { metadata: { name: 'fresh' }, spec: { prompt: 'p' } };
  const made = { apiVersion: 'parley.dev/v1alpha1', kind: 'Agent', ...fresh };
  const create = `${collectionPath('Agent', 'default')}?dryRun=All`;
  await until('the old schema', async () => {
    const { body } = await kube.request('POST', create, made);
    return !body.includes('"tier"');
  });
}

const DEFAULT =
  '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/metadata/default';

async function change({ request }: Kube, patch: object): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/agents.parley.dev';
  const type = 'application/json-patch+json';
  const { status } = await request('PATCH', path, JSON.stringify([patch]), type);
  expect(status).toBe(200);
}
