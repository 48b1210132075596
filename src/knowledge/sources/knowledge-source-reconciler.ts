import type { ReconcileResult } from '../../platform/controller/controller.ts';
import { fromUuid } from '../../ids.ts';
import {
  isReadable,
  knowledgeSourceSpec,
  whyNotReadable,
  type KnowledgeSourceSpec,
  type KnowledgeSourceStatus,
} from './knowledge-source.ts';
import type { RecordEvent } from '../../platform/resources/resource-events.ts';
import type {
  ObjectKey,
  Resource,
  ResourceStore,
} from '../../platform/resources/resource-store.ts';
import { rfc3339 } from '../../platform/resources/schema/time.ts';
import { managedBy } from '../../platform/reconcile/actors.ts';
import {
  recordReadiness,
  toConditions,
  type Finding,
} from '../../platform/reconcile/conditions.ts';
import type { Identity } from '../../platform/reconcile/identity.ts';
import { resolveConfigMap } from '../../platform/reconcile/references.ts';
import { isStorable, refuseUnstorable } from '../../platform/reconcile/unstorable.ts';

type SourceResource = Resource<KnowledgeSourceSpec, KnowledgeSourceStatus>;
type Problem = { reason: string; message: string };
/** What is wrong, and the condition that says so. */
type Blocked = Problem & { type: 'Accepted' | 'ResolvedRefs' };
/** What is in force. Times are Unix milliseconds. */
type Shown = Problem & {
  ready: boolean;
  documents: number;
  chunks: number;
  lastSyncedAt: number | null;
};

export type KnowledgeSourceReconcilerDeps = {
  store: Pick<ResourceStore, 'get' | 'patchStatus'>;
  record: RecordEvent;
  identify: (resource: Resource) => Promise<Identity>;
  /** Puts the source in force; with a problem, shows it and leaves what was indexed. */
  project: (
    source: ObjectKey & {
      id: string;
      uid: string;
      generation: number;
      managedBy: 'api' | 'kubernetes' | 'file';
      type: KnowledgeSourceSpec['type'];
      spec: Omit<KnowledgeSourceSpec, 'text'>;
      text: string | null;
      problem?: Problem;
    },
  ) => Promise<Shown>;
  remove: (key: ObjectKey) => Promise<void>;
  now: () => Date;
};

/** Brings one KnowledgeSource in force; level-based like all reconcilers. */
export function createKnowledgeSourceReconciler(
  deps: KnowledgeSourceReconcilerDeps,
): (key: ObjectKey) => Promise<ReconcileResult> {
  return async (key) => {
    const found = await deps.store.get('KnowledgeSource', key);
    if (!found) {
      await deps.remove(key);
      return {};
    }
    const source = found as SourceResource; // The store let in only what the CRD allows.
    const identity = await deps.identify(found);
    if ('refused' in identity) {
      const blocked: Blocked = { type: 'Accepted', reason: 'InvalidId', message: identity.refused };
      await report(deps, source, { blocked });
      return {};
    }
    const unstorable = refuseUnstorable(found.spec);
    if (unstorable) {
      await report(deps, source, { blocked: { type: 'Accepted', ...unstorable } });
      return {};
    }
    await settle(deps, source, identity.id);
    return {};
  };
}

async function settle(
  deps: KnowledgeSourceReconcilerDeps,
  source: SourceResource,
  id: string,
): Promise<void> {
  const { namespace, name, uid, generation } = source.metadata;
  const { text: _, ...spec } = source.spec;
  const resolved = await resolve(deps, source);
  const blocked = 'type' in resolved ? resolved : undefined;
  const shown = await deps.project({
    id,
    namespace,
    name,
    uid,
    generation,
    managedBy: managedBy(source.owners['type']),
    type: spec.type,
    spec,
    text: 'text' in resolved ? resolved.text : null,
    ...(blocked && { problem: { reason: blocked.reason, message: blocked.message } }),
  });
  await report(deps, source, { id, shown, ...(blocked && { blocked }) });
}

/** The text, null of a source that has none, or what stands in the way of it. */
async function resolve(
  { store }: KnowledgeSourceReconcilerDeps,
  { spec, metadata }: SourceResource,
): Promise<{ text: string | null } | Blocked> {
  if (!isReadable(spec.type)) {
    return { type: 'Accepted', reason: 'NotSupported', message: whyNotReadable(spec.type) };
  }
  const ref = spec.textFrom?.configMapKeyRef;
  if (ref === undefined) return { text: spec.text ?? null };
  const found = await resolveConfigMap(store, metadata.namespace, ref);
  if (!('value' in found)) return { type: 'ResolvedRefs', ...found };
  // The CRD bounds a text that stands in the spec; this one only we have seen.
  const { value } = found;
  if (knowledgeSourceSpec.shape.text.safeParse(value).success && isStorable(value)) {
    return { text: value };
  }
  const message = `key ${ref.key} of ConfigMap ${ref.name} must have 1 to 1000000 characters, none of them U+0000`;
  return { type: 'ResolvedRefs', reason: 'InvalidText', message };
}

async function report(
  deps: KnowledgeSourceReconcilerDeps,
  source: SourceResource,
  outcome: { id?: string; shown?: Shown; blocked?: Blocked },
): Promise<void> {
  const { metadata } = source;
  const { id, shown, blocked } = outcome;
  const conditions = toConditions(findingsOf(blocked, shown), source, deps.now);
  const told = shown ? countsOf(shown) : source.status;
  const status: KnowledgeSourceStatus = {
    ...told,
    observedGeneration: metadata.generation,
    ...(id !== undefined && { sourceId: fromUuid('ks', id) }),
    conditions,
  };
  await deps.store.patchStatus('KnowledgeSource', metadata, status);
  recordReadiness(deps.record, source, conditions, { action: 'Index' });
}

/** The part of the status that what is indexed decides. */
export function countsOf({
  documents,
  chunks,
  lastSyncedAt,
}: Pick<Shown, 'documents' | 'chunks' | 'lastSyncedAt'>): Partial<KnowledgeSourceStatus> {
  return {
    documents,
    chunks,
    ...(lastSyncedAt !== null && { lastSyncTime: rfc3339(lastSyncedAt) }),
  };
}

function findingsOf(blocked: Blocked | undefined, shown: Shown | undefined): Finding[] {
  if (!blocked) {
    const { ready = false, reason = 'Pending', message = '' } = shown ?? {};
    return [
      { type: 'Ready', status: ready, reason, message },
      { type: 'Accepted', status: true, reason: 'Accepted', message: 'the spec is valid' },
      {
        type: 'ResolvedRefs',
        status: true,
        reason: 'ResolvedRefs',
        message: 'all references resolve',
      },
    ];
  }
  const { type, reason, message } = blocked;
  return [
    { type: 'Ready', status: false, reason, message },
    { type, status: false, reason, message },
    { type: 'Stalled', status: true, reason, message },
  ];
}
