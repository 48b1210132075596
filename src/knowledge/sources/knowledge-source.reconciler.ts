import { QUOTA_EXCEEDED, QuotaExceededError } from '../../platform/declare/quota.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { projectionsIn } from '../../platform/resources/projections.sql.ts';
import type {
  ObjectKey,
  Resource,
  ResourceStore,
} from '../../platform/resources/resource-store.ts';
import { rfc3339 } from '../../platform/resources/schema/field-types.ts';
import { managedBy, whoElse } from '../../platform/reconcile/actors.ts';
import {
  accepted,
  notReady,
  ready,
  reconciling,
  refused,
  resolvedRefs,
  type Problem,
} from '../../platform/reconcile/conditions.ts';
import type { Outcome, ReconciledKind } from '../../platform/reconcile/reconciler.ts';
import { resolveConfigMap } from '../../platform/reconcile/references.ts';
import { isStorable } from '../../platform/reconcile/unstorable.ts';
import { ANNOTATIONS } from '../../platform/resources/annotations.ts';
import { isFetched, scheduleProblem } from './fetched-source.ts';
import { fetchedStatus, findingsOfSyncs, SYNCING_LOOK_MS } from './fetched-status.ts';
import { queueSync } from './knowledge-syncs.sql.ts';
import {
  knowledgeSourceSpec,
  type KnowledgeSourceSpec,
  type KnowledgeSourceStatus,
} from './knowledge-source.ts';
import type { IndexDeps } from './index-source.ts';
import { integrationProblem, usesSecret, websiteRefusal } from './integration-problem.ts';
import {
  listSyncedKeys,
  readSource,
  type KnowledgeSourceRow,
  type SyncedKey,
} from './knowledge-sources.sql.ts';
import { projectSource, removeSource } from './project-source.ts';

type SourceResource = Resource<KnowledgeSourceSpec, KnowledgeSourceStatus>;
/** A problem and the type of the condition that reports it. */
type Blocked = Problem & { type: 'Accepted' | 'ResolvedRefs' };

export type KnowledgeSourceReconcilerDeps = IndexDeps & {
  guard: AddressGuard;
  store: Pick<ResourceStore, 'get'>;
  /** `lookMs` is the interval in ms of status updates while a sync is unfinished. */
  syncTimes?: { lookMs?: number } | undefined;
};

/**
 * Reconciles KnowledgeSources: indexes declared texts, reports files that are not uploaded yet, and queues syncs of
 * fetched sources.
 */
export function knowledgeSourceReconciler(
  deps: KnowledgeSourceReconcilerDeps,
): ReconciledKind<KnowledgeSourceSpec, KnowledgeSourceStatus> {
  return {
    kind: 'KnowledgeSource',
    idPrefix: 'ks',
    idField: 'sourceId',
    action: 'Index',
    rows: projectionsIn(deps.pool, 'knowledge_sources'),
    uses: {
      Secret: ({ spec }, name) => usesSecret(spec.integration, name),
      ConfigMap: ({ spec }, name) => spec.textFrom?.configMapKeyRef.name === name,
    },
    listStale: () => listStaleSources(deps),
    act: (source, by) => act(deps, source, by),
    remove: (key, epoch) => removeSource(deps, { epoch, ...key }),
  };
}

async function act(
  deps: KnowledgeSourceReconcilerDeps,
  source: SourceResource,
  { id, epoch }: { id: string; epoch: number },
): Promise<Outcome<KnowledgeSourceStatus>> {
  const { namespace, name, uid, generation } = source.metadata;
  const { text: _, ...spec } = source.spec;
  const resolved = await resolve(deps, source);
  const blocked = 'type' in resolved ? resolved : undefined;
  const declared = {
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
  };
  const who = whoElse(source);
  const { row, problem } = await projectSource(deps, {
    epoch,
    source: declared,
    whoElse: who,
  }).catch(async (error: unknown) => {
    // An existing source keeps its indexed content and reports the problem in its status.
    if (error instanceof QuotaExceededError && (await readSource(deps.pool, declared))) {
      const why = { reason: QUOTA_EXCEEDED, message: error.message };
      const held = { ...declared, text: null, problem: why };
      await projectSource(deps, { epoch, source: held, whoElse: who });
    }
    throw error;
  });
  const { reason, message } = row;
  const why = { reason, message };
  if (isFetched(spec.type)) {
    const handled = problem ? undefined : await handleRequest(deps, source, row);
    const shown = handled?.row ?? row;
    const findings = problem
      ? refused(blocked?.type ?? 'Accepted', problem)
      : [...findingsOfSyncs(shown), accepted, resolvedRefs()];
    return {
      findings,
      status: { ...countsOf(shown), ...fetchedStatus(shown), ...handled?.status },
      ...(shown.sync && { requeueAfterMs: deps.syncTimes?.lookMs ?? SYNCING_LOOK_MS }),
    };
  }
  const readiness = row.ready ? [ready(why)] : [notReady(why), reconciling(why)];
  // A problem that is not in `blocked` was found when the text was indexed. The origin of the text decides which
  // condition reports it.
  const type = blocked?.type ?? (spec.textFrom ? 'ResolvedRefs' : 'Accepted');
  return {
    findings: problem ? refused(type, problem) : [...readiness, accepted, resolvedRefs()],
    status: countsOf(row),
  };
}

/** Queues a sync if the annotation that requests one has a new value. Each value queues only one sync. */
async function handleRequest(
  { pool }: Pick<KnowledgeSourceReconcilerDeps, 'pool'>,
  { metadata, status }: SourceResource,
  row: KnowledgeSourceRow,
): Promise<{ row: KnowledgeSourceRow; status: Partial<KnowledgeSourceStatus> } | undefined> {
  const { lastHandledReconcileAt: handled } = status;
  const asked = metadata.annotations[ANNOTATIONS.reconcileRequestedAt];
  if (asked === undefined || asked.length > 128) {
    return handled === undefined ? undefined : { row, status: { lastHandledReconcileAt: handled } };
  }
  if (asked !== handled) await queueSync(pool, { sourceId: row.id, trigger: 'request' });
  const fresh = asked === handled ? row : ((await readSource(pool, row)) ?? row);
  return { row: fresh, status: { lastHandledReconcileAt: asked } };
}

/** Returns the text of a source, `null` if the source has none, or the reason why the text cannot be used. */
async function resolve(
  deps: KnowledgeSourceReconcilerDeps,
  { spec, metadata }: SourceResource,
): Promise<{ text: string | null } | Blocked> {
  const message = spec.schedule && scheduleProblem(spec.schedule, deps.nowMs());
  if (message) return { type: 'Accepted', reason: 'InvalidSchedule', message };
  const site = spec.website && websiteRefusal(deps.guard, spec.website);
  if (site) return site;
  const feed =
    spec.integration && (await integrationProblem(deps, metadata.namespace, spec.integration));
  if (feed) return feed;
  const ref = spec.textFrom?.configMapKeyRef;
  if (ref === undefined) return { text: spec.text ?? null };
  const found = await resolveConfigMap(deps.store, metadata.namespace, ref);
  if (!('value' in found)) return { type: 'ResolvedRefs', ...found };
  // Only a text from a ConfigMap is checked here, because the CRD already validates a text in the spec.
  const { value } = found;
  if (knowledgeSourceSpec.shape.text.safeParse(value).success && isStorable(value)) {
    return { text: value };
  }
  const invalid = `key "${ref.key}" of ConfigMap "${ref.name}" must have 1 to 1000000 characters, without U+0000`;
  return { type: 'ResolvedRefs', reason: 'InvalidText', message: invalid };
}

/**
 * Returns sources whose status does not show their last or current sync. Uploads, schedules and syncs requested by REST
 * do not change the declaration. The operator notices their effect only by this comparison of each status with the
 * database.
 */
export async function listStaleSources({
  pool,
  store,
}: Pick<KnowledgeSourceReconcilerDeps, 'pool' | 'store'>): Promise<ObjectKey[]> {
  const stale: ObjectKey[] = [];
  for (const row of await listSyncedKeys(pool)) {
    const source = await store.get('KnowledgeSource', row);
    if (source && isOutOfDate(source as SourceResource, row)) stale.push(row);
  }
  return stale;
}

function isOutOfDate({ status }: SourceResource, row: SyncedKey): boolean {
  const { lastSyncedAt, isFailed, isSyncing } = row;
  const shownAt = lastSyncedAt === null ? undefined : rfc3339(lastSyncedAt);
  return (
    status.lastSyncTime !== shownAt ||
    (status.lastSyncResult === 'failed') !== isFailed ||
    (status.sync !== undefined) !== isSyncing
  );
}

/** Returns the status fields about the indexed content. */
function countsOf({
  documents,
  chunks,
  lastSyncedAt,
}: Pick<
  KnowledgeSourceRow,
  'documents' | 'chunks' | 'lastSyncedAt'
>): Partial<KnowledgeSourceStatus> {
  return {
    documents,
    chunks,
    ...(lastSyncedAt !== null && { lastSyncTime: rfc3339(lastSyncedAt) }),
  };
}
