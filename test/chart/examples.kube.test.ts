import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { MERGE_PATCH } from '../../src/platform/kubernetes/client.ts';
import { objectPath } from '../../src/platform/kubernetes/resource-paths.ts';
import { borrowKube, type Kube, type Manifest } from '../platform/kubernetes/kube.ts';

/** `kubectl apply -f examples/`, as the guides say, and again as a GitOps controller does. */

const FOLDER = path.resolve(import.meta.dirname, '../../examples');
const manifests = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(path.join(FOLDER, file), 'utf8')))
  .map((document) => document.toJS() as Manifest);

type Stored = { metadata: { generation: number }; spec: object };

let kube: Kube;
beforeAll(async () => {
  kube = await borrowKube();
});
afterAll(() => kube?.stop());

test.each(manifests)(
  'applying the example $kind $metadata.name again changes nothing',
  async (manifest) => {
    const stored = (await kube.kubectlApply(manifest)) as Stored;
    const { generation } = stored.metadata;
    const same = { metadata: { generation }, spec: stored.spec };
    expect(await kube.kubectlApply(manifest)).toMatchObject(same);
    expect(await applyClientSide(manifest)).toMatchObject(same);
  },
);

/** `kubectl apply` without `--server-side`. A key without a value is deleted by it, each time anew. */
function applyClientSide(manifest: Manifest): Promise<unknown> {
  const { name } = manifest.metadata;
  const path = objectPath(manifest.kind, { namespace: 'default', name });
  const contentType = MERGE_PATCH;
  return kube.client.request({ method: 'PATCH', path, contentType, body: manifest });
}
