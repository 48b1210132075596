import { ApiError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { ANNOTATIONS } from '../../platform/resources/annotations.ts';
import { applyMergePatch, toCamelKey } from '../../platform/resources/schema/key-map.ts';
import { isReadable, type KnowledgeSourceSpec } from './knowledge-source.ts';
import type { Resource, ResourceStore } from '../../platform/resources/resource-store.ts';
import {
  fromKnowledgeSourceSpec,
  knowledgeSourcePointer,
  toKnowledgeSourceSpec,
  type KnowledgeSourceFields,
  type KnowledgeSourceWrite,
} from './rest-knowledge-source.ts';
import { readSource, type KnowledgeSourceRow } from './knowledge-sources.sql.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { showsResource, type AwaitProjection } from '../../platform/declare/await-projection.ts';
import {
  declarationAfter,
  declaring,
  deleteDeclared,
  patchDeclared,
} from '../../platform/declare/declare.ts';
import { declareUnderFreeName } from '../../platform/declare/free-name.ts';
import { freshPlan, type Plan } from '../../platform/idempotency/plan.ts';
import { noPrecondition, type Precondition } from '../../platform/declare/precondition.ts';
import { noSuchSource, requireSource, unsupportedType } from './sync-source.ts';

export type SourceWriterDeps = {
  pool: Pool;
  store: ResourceStore;
  awaitProjection: AwaitProjection;
  nowMs: () => number;
};

/** The source, and whether it already shows what was written. */
export type WrittenSource = { source: KnowledgeSourceRow; text: string | null; shown: boolean };

/**
 * Declares a new source (contract §4).
 * @throws ApiError unsupported_type, name_taken, invalid_body
 */
export async function createSource(
  deps: SourceWriterDeps,
  namespace: string,
  write: KnowledgeSourceWrite,
  plan: Plan = freshPlan(deps.nowMs()),
): Promise<WrittenSource> {
  const { name, ...fields } = write;
  if (!isReadable(fields.type)) throw unsupportedType(fields.type);
  const object = {
    kind: 'KnowledgeSource',
    namespace,
    spec: toKnowledgeSourceSpec(fields),
    annotations: { [ANNOTATIONS.id]: fromUuid('ks', plan.id) },
  };
  const resource = await declaring(knowledgeSourcePointer, () =>
    declareUnderFreeName({ store: deps.store, plan }, object, {
      given: name,
      displayName: undefined,
      noun: 'source',
    }),
  );
  return showing(deps, resource, plan.id);
}

/** JSON merge patch of the fields the API owns; a field of another manager is 409. */
export async function patchSource(
  deps: SourceWriterDeps,
  key: { namespace: string; id: string },
  patch: Record<string, unknown>,
  precondition: Precondition = noPrecondition,
): Promise<WrittenSource> {
  const resource = await patchDeclared(deps.store, {
    pointer: knowledgeSourcePointer,
    precondition,
    read: async () => {
      const row = await requireSource(deps, key);
      requireSameIdentity(row, patch);
      const current = await deps.store.get('KnowledgeSource', row);
      if (!current) throw noSuchSource();
      return current;
    },
    change: (current) => ({
      spec: patchedSpec(current, patch),
      annotations: { [ANNOTATIONS.id]: fromUuid('ks', key.id) },
    }),
  });
  return showing(deps, resource, key.id);
}

export async function deleteSource(
  deps: SourceWriterDeps,
  key: { namespace: string; id: string },
  precondition: Precondition = noPrecondition,
): Promise<void> {
  await deleteDeclared(deps, {
    kind: 'KnowledgeSource',
    row: await requireSource(deps, key),
    field: 'type',
    precondition,
    readAgain: () => readSource(deps.pool, key),
  });
}

/** A name and a type never change; the same again is no change. */
function requireSameIdentity(
  { name, type }: KnowledgeSourceRow,
  patch: Record<string, unknown>,
): void {
  for (const [field, value] of Object.entries({ name, type })) {
    if (!Object.hasOwn(patch, field) || patch[field] === value) continue;
    const detail = `a ${field} never changes: make another source`;
    throw new ApiError('invalid_body', detail, {
      errors: [{ pointer: `/${field}`, code: 'immutable', detail }],
    });
  }
}

async function showing(
  deps: Pick<SourceWriterDeps, 'pool' | 'awaitProjection'>,
  resource: Resource,
  id: string,
): Promise<WrittenSource> {
  const { namespace } = resource.metadata;
  const { value, shown } = await deps.awaitProjection(
    () => readSource(deps.pool, { namespace, id }),
    (row) => showsResource(resource, row),
  );
  const { text } = resource.spec as KnowledgeSourceSpec; // The store let in only what the CRD allows.
  const source = shown && value ? value : asWritten(resource, id, value);
  return { source, text: text ?? null, shown };
}

/** What the API has of a source that the operator has not looked at yet. */
function asWritten(
  resource: Resource,
  id: string,
  row: KnowledgeSourceRow | undefined,
): KnowledgeSourceRow {
  const { namespace, name, uid, generation, creationTimestamp } = resource.metadata;
  const { text: _, ...spec } = resource.spec as KnowledgeSourceSpec; // As above.
  const at = Date.parse(creationTimestamp);
  return {
    id,
    documents: 0,
    chunks: 0,
    bytes: 0,
    lastSyncedAt: null,
    lastSync: null,
    contentHash: null,
    createdAt: at,
    updatedAt: at,
    ...row,
    namespace,
    name,
    uid,
    generation,
    managedBy: 'api',
    type: spec.type,
    spec,
    // What was indexed before is found until the new one is.
    status: row && row.contentHash !== null ? 'refreshing' : 'pending',
    ready: false,
    reason: 'Pending',
    message: 'waits for the operator',
  };
}

/** What the API declares after the patch. */
function patchedSpec(current: Resource, patch: Record<string, unknown>): Record<string, unknown> {
  const { name: _, type: __, ...changes } = patch;
  const spec = current.spec as KnowledgeSourceSpec; // The store let in only what the CRD allows.
  // The patch was checked field by field, the merged whole is by the store.
  const merged = applyMergePatch(fromKnowledgeSourceSpec(spec), changes) as KnowledgeSourceFields;
  const touched = Object.keys(changes).map(toCamelKey);
  // A text of ours beside somebody's reference to one would be two texts.
  if (touched.includes('text') && current.owners['textFrom']) touched.push('textFrom');
  return declarationAfter({ current, touched, after: toKnowledgeSourceSpec(merged) });
}
