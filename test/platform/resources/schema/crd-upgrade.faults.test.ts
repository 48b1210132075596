import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { crdFileName } from '../../../../src/platform/resources/schema/crd.ts';
import { KINDS } from '../../../../src/roles/kinds.ts';
import { isRecord } from '../../../../src/platform/resources/schema/prepare.ts';
import { pluralOf, PLURALS, readCorpus } from './corpus.ts';
import { startKubeApiserver, type KubeApiserver } from '../../kubernetes/kube-apiserver.ts';
import { findKubeBinaries } from '../../kubernetes/kube-binaries.ts';
import { hasPreviousMain, previousCrds, type Tree } from '../../../roles/previous-main.ts';
import { fullValue, missingFrom, type Schema } from './whole-objects.ts';
import { until } from '../../../until.ts';

/**
 * Declarations survive a change of the CRDs. The test applies the previous main's CRDs, then this tree's, then the
 * previous ones again, as `helm upgrade` and `helm rollback` do, in a real API server with objects that use every
 * field.
 */

const binaries = await findKubeBinaries();
const canRun = binaries !== undefined && (await hasPreviousMain());
const THIS_TREE = path.resolve(import.meta.dirname, '../../../..');
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const TAKES_EFFECT_WITHIN_MS = 20_000;

type Stored = {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown> & { name: string; resourceVersion: string };
  spec: Record<string, unknown>;
  status: Record<string, unknown>;
};

(canRun ? describe : describe.skip)('the CRDs of the previous main and of this one', () => {
  let kube: KubeApiserver;
  let previous: Tree;

  beforeAll(async () => {
    previous = await previousCrds();
    kube = await startKubeApiserver(binaries);
    await applyCrds(previous.path);
  }, 120_000);

  afterAll(async () => {
    await kube?.stop();
    await previous?.remove();
  });

  test('F-49: objects of the previous CRDs are whole under the new ones, and under the old ones again', async () => {
    // A kind that the previous main lacks has no objects to lose.
    const known = readCorpus('good').filter(({ kind }) => hasCrd(previous.path, pluralOf(kind)!));
    const manifests = known.map(({ name, text, kind }) => {
      // Entries of the corpus share names; here each has its own.
      return { ...(parse(text, { version: '1.1' }) as Stored), kind, metadata: { name } };
    });
    // This tree's corpus may use fields that the previous CRDs lack. The server drops them.
    const old = await Promise.all(manifests.map(create));
    const plurals = PLURALS.filter((plural) => hasCrd(previous.path, plural));
    expect(plurals.length).toBeGreaterThanOrEqual(3);
    for (const plural of plurals) expectEveryField(plural, old, readCrd(previous.path, plural));

    await applyCrds(THIS_TREE);
    const upgraded = await readAll(old);
    expect(pruned(old, upgraded)).toEqual([]);
    // Additional fields come from the new defaults, as in a new object.
    const asNew = await createDryAll(upgraded);
    for (const [at, { metadata, spec }] of upgraded.entries()) {
      expect({ name: metadata.name, spec }).toEqual({ name: metadata.name, spec: asNew[at]!.spec });
    }

    // Writes the objects with the new version, for which the server validates and stores them completely.
    await Promise.all(upgraded.map((object) => touch(object, 'new')));
    const rewritten = await readAll(old);
    expect(contents(rewritten)).toEqual(contents(upgraded));

    const young = await Promise.all(
      manifests.map((manifest) => {
        const name = `young-${manifest.metadata.name}`.slice(0, 63);
        return create({ ...manifest, metadata: { name } });
      }),
    );

    await applyCrds(previous.path);
    expect(pruned(old, await readAll(old))).toEqual([]);
    // Every field that the previous version knows is unchanged in the objects of the new version.
    const kept = await readAll(young);
    const asOld = await createDryAll(kept);
    for (const [at, object] of kept.entries()) {
      expect(pruned([{ ...object, spec: asOld[at]!.spec }], [object])).toEqual([]);
    }
    await Promise.all(old.map((object) => touch(object, 'old')));
    expect(pruned(old, await readAll(old))).toEqual([]);

    // After another upgrade, objects that were not written in between still have the fields that only the new version
    // knows.
    await applyCrds(THIS_TREE);
    expect(contents(await readAll(young))).toEqual(contents(young));
  }, 120_000);

  /** Creates an object with a spec, and a status that has every field of its schema. */
  async function create(manifest: { kind: string; metadata: { name: string } }): Promise<Stored> {
    const { metadata, spec } = await send('POST', collection(manifest), manifest);
    const plural = pluralOf(manifest.kind)!;
    const crd = await send('GET', `${CRDS}/${plural}.parley.dev`);
    const status = fullValue(schemaOf(crd)['properties']!['status']!);
    const address = `${collection(manifest)}/${metadata.name}/status`;
    const answer = await send('PATCH', address, { status }, MERGE);
    // The server must store exactly what was sent, or later pruning would not show.
    expect(answer.status).toEqual(status);
    expect(answer.spec).toEqual(spec);
    return answer;
  }

  function readAll(objects: Stored[]): Promise<Stored[]> {
    return Promise.all(
      objects.map((object) => send('GET', `${collection(object)}/${object.metadata.name}`)),
    );
  }

  /** Returns the specs that the server would store for new objects, without storing them. */
  function createDryAll(objects: Stored[]): Promise<Stored[]> {
    return Promise.all(
      objects.map((object) => send('POST', `${collection(object)}?dryRun=All`, fresh(object))),
    );
  }

  async function touch(object: Stored, value: string): Promise<void> {
    const labels = { 'parley.dev/touched-by': value };
    const address = `${collection(object)}/${object.metadata.name}`;
    await send('PATCH', address, { metadata: { labels } }, MERGE);
  }

  /** Applies the CRDs as helm and kubectl do. Resolves when the server uses them. */
  async function applyCrds(tree: string): Promise<void> {
    const plurals = PLURALS.filter((plural) => hasCrd(tree, plural));
    await Promise.all(
      plurals.map(async (plural) => {
        const crd = readCrd(tree, plural);
        const address = `${CRDS}/${plural}.parley.dev?fieldManager=helm&force=true`;
        await send('PATCH', address, crd, APPLY);
        await untilPublished(plural, schemaOf(crd));
      }),
    );
  }

  /**
   * Resolves when the server's OpenAPI document shows the schema. It includes descriptions, so any change is visible.
   */
  async function untilPublished(plural: string, wanted: Schema): Promise<void> {
    const { kind } = KINDS.find(({ kind: known }) => pluralOf(known) === plural)!;
    const isSo = async (): Promise<boolean> => {
      const { status, json } = await kube.request('GET', '/openapi/v3/apis/parley.dev/v1alpha1');
      return status === 200 && isPublished(json(), kind, wanted);
    };
    await until(`the new schema of ${plural}`, isSo, { timeoutMs: TAKES_EFFECT_WITHIN_MS });
  }

  async function send(
    method: string,
    address: string,
    body?: object,
    contentType?: string,
  ): Promise<Stored> {
    const answer = await kube.request(method, address, body, contentType);
    if (answer.status > 299) {
      throw new Error(`${method} ${address}: ${answer.status} ${answer.body.slice(0, 2000)}`);
    }
    return answer.json() as Stored; // The API server's own type.
  }
});

function collection({ kind }: { kind: string }): string {
  return `/apis/parley.dev/v1alpha1/namespaces/default/${pluralOf(kind)}`;
}

const hasCrd = (tree: string, plural: string): boolean => existsSync(crdPath(tree, plural));

function crdPath(tree: string, plural: string): string {
  const { [0]: definition } = KINDS.filter(({ kind }) => pluralOf(kind) === plural);
  return path.join(tree, 'crds', crdFileName(definition!));
}

function readCrd(tree: string, plural: string): Record<string, unknown> {
  const text = readFileSync(crdPath(tree, plural), 'utf8');
  return parse(text, { version: '1.1' }) as Record<string, unknown>;
}

function schemaOf(crd: { spec?: unknown }): Schema {
  const { versions } = crd.spec as { versions: { schema: { openAPIV3Schema: Schema } }[] };
  return versions[0]!.schema.openAPIV3Schema;
}

/** Returns whether the document has the spec and the status of a schema. The rest of a published schema differs. */
function isPublished(document: Record<string, unknown>, kind: string, wanted: Schema): boolean {
  const schemas = isRecord(document['components']) ? document['components']['schemas'] : {};
  const found = isRecord(schemas) ? schemas[`dev.parley.v1alpha1.${kind}`] : undefined;
  const properties = isRecord(found) && isRecord(found['properties']) ? found['properties'] : {};
  return ['spec', 'status'].every((part) =>
    isDeepStrictEqual(plain(properties[part]), plain(wanted['properties']![part])),
  );
}

/** Removes keywords that the server omits from its document, or writes differently. */
function plain(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema ?? null, (key, value: unknown) =>
      key === 'nullable' || key === 'default' ? undefined : value,
    ),
  );
}

/** Returns the object as a user would have written it. */
function fresh({ apiVersion, kind, spec }: Stored): object {
  return { apiVersion, kind, metadata: { name: 'fresh' }, spec };
}

function contents(objects: Stored[]): object[] {
  return objects.map(({ metadata: { name }, spec, status }) => ({ name, spec, status }));
}

/** Returns the paths of fields that are missing or different now. */
function pruned(before: Stored[], after: Stored[]): string[] {
  return before.flatMap((object, i) => {
    const { spec, status, metadata } = after[i]!;
    const label = `${metadata.name}.`;
    return [
      ...missingFrom(spec, object.spec, `${label}spec`),
      ...missingFrom(status, object.status, `${label}status`),
    ];
  });
}

/** Checks that the objects of a kind together use every field of its schema. */
function expectEveryField(plural: string, objects: Stored[], crd: Record<string, unknown>): void {
  const { kind } = KINDS.find(({ kind: known }) => pluralOf(known) === plural)!;
  const ours = objects.filter((object) => object.kind === kind);
  for (const part of ['spec', 'status'] as const) {
    const fields = Object.keys(schemaOf(crd)['properties']![part]!.properties ?? {});
    const used = new Set(ours.flatMap((object) => Object.keys(object[part])));
    expect({ kind, unused: fields.filter((field) => !used.has(field)) }).toEqual({
      kind,
      unused: [],
    });
  }
}
