import { fromUuid, type IdPrefix } from '../../ids.ts';
import type { ReconcileResult } from '../controller/controller.ts';
import { QUOTA_EXCEEDED, QuotaExceededError } from '../declare/quota.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Projections } from '../resources/projections.sql.ts';
import type {
  RecordEvent,
  Condition,
  ObjectKey,
  Resource,
  ResourceEvent,
  ResourceStore,
} from '../resources/resource-store.ts';
import {
  recordReadiness,
  refused,
  toConditions,
  type Finding,
  type Problem,
} from './conditions.ts';
import { identify } from './identity.ts';
import { refuseUnstorable } from './unstorable.ts';
import type { Uses } from './watches.ts';

/** The kind-specific part of a reconcile. */
export type ReconciledKind<Spec = Record<string, unknown>, Status = Record<string, unknown>> = {
  kind: string;
  idPrefix: IdPrefix;
  /** Status field that repeats the id. */
  idField: string;
  /** Name of the attempted action, for the Event that `kubectl describe` shows. */
  action: string;
  rows: Projections;
  uses: Uses<Spec>;
  /** Lists objects whose status is outdated although their declaration has not changed. */
  listStale?: () => Promise<ObjectKey[]>;
  /** Lists objects whose data outside of the declaration was changed through the REST API. */
  listChanged?: () => Promise<ObjectKey[]>;
  /**
   * Applies the current declaration of an object. It may be called at any time, even if nothing has changed. If it
   * throws, it is called again later. `id` is a UUID. Writes check `epoch`, so that the writes of a former leader are
   * rejected.
   */
  act: (
    resource: Resource<Spec, Status>,
    by: { id: string; epoch: number },
  ) => Promise<Outcome<Status>>;
  /**
   * Called instead of `act` if the steps that all kinds share reject a declaration. Stores the reason in the row. The
   * last valid declaration stays active.
   */
  refuse?: (
    resource: Resource<Spec, Status>,
    by: { id: string; epoch: number },
    why: Problem,
  ) => Promise<void>;
  /** Status fields that replace the current ones when an object is rejected. */
  refusedStatus?: Partial<Status>;
  /** Handles an object whose declaration was removed. */
  remove: (key: ObjectKey, epoch: number) => Promise<void>;
};

/** Result of a reconcile, for the object's status. */
export type Outcome<Status> = {
  findings: readonly Finding[];
  /** Status fields other than conditions, generation and id. */
  status: Partial<Status>;
  /** Replaces the kind's `action` and the reason of `Ready` in the Event. */
  event?: { action: string; reason: string };
  /** Events to record in addition to the Event for `Ready`. */
  events?: readonly ResourceEvent[];
  requeueAfterMs?: number;
};

export type ReconcilerDeps = {
  store: Pick<ResourceStore, 'get' | 'annotate' | 'patchStatus'>;
  record: RecordEvent;
  metrics: Pick<Metrics, 'quotaRefused'>;
  nowMs: () => number;
  /** Time in ms after which an object that exceeded a quota is reconciled again. */
  quotaRetryMs?: number | undefined;
};

/**
 * Event that warns that a second installation of Parley may be watching the namespace. Both would reconcile every
 * object.
 */
const ADOPTED = {
  type: 'Warning',
  reason: 'Adopted',
  note:
    'this object was ready, but it is not in the database: either the database is new or was ' +
    'restored, or another installation of Parley also watches this namespace and sends each ' +
    'event a second time',
} as const;

/**
 * Interval in ms at which an object that exceeded a quota is reconciled again, because other objects may have been
 * deleted by then.
 */
const QUOTA_RETRY_MS = 30_000;

/** A kind as the operator registers it, without the kind's own types for spec and status. */
export type KindRegistration = Omit<ReconciledKind, 'act' | 'remove' | 'refuse'> & {
  /** Returns the reconcile function for one term as leader. */
  reconcilerOf: (epoch: number) => (key: ObjectKey) => Promise<ReconcileResult>;
};

/** Adds the steps that all kinds share: find the id, reject an invalid object, call `act`, and write the status. */
export function register<Spec, Status extends { conditions?: readonly Condition[] }>(
  deps: ReconcilerDeps,
  kind: ReconciledKind<Spec, Status>,
): KindRegistration {
  // The cast is safe, because the store accepts only what the kind's CRD allows.
  const typed = (resource: Resource) => resource as Resource<Spec, Status>;

  async function reconcile(epoch: number, key: ObjectKey): Promise<ReconcileResult> {
    const resource = await deps.store.get(kind.kind, key);
    if (!resource) {
      await kind.remove(key, epoch);
      return {};
    }
    const identity = await identify({ ...deps, rows: kind.rows }, resource, kind);
    const problem =
      'refused' in identity
        ? { reason: 'InvalidId', message: identity.refused }
        : refuseUnstorable(resource.spec);
    if (problem) {
      if ('id' in identity) await kind.refuse?.(typed(resource), { ...identity, epoch }, problem);
      const status = { ...typed(resource).status, ...kind.refusedStatus };
      const outcome = { findings: refused('Accepted', problem), status };
      await report(deps, kind, { resource, outcome });
      return {};
    }
    // The cast is safe, because this function has already returned if the identity was rejected.
    const { id, isAdopted } = identity as { id: string; isAdopted?: true };
    const outcome = await kind
      .act(typed(resource), { id, epoch })
      .catch((error: unknown) => refusedByQuota(error, typed(resource)));
    await report(deps, kind, { resource, outcome, id });
    if (isAdopted) deps.record(resource, { ...ADOPTED, action: kind.action });
    const { requeueAfterMs } = outcome;
    return requeueAfterMs === undefined ? {} : { requeueAfterMs };
  }

  /**
   * Returns the outcome for an object that exceeds a quota. Such an object has no row, because the quota is checked
   * only for objects without a row.
   */
  function refusedByQuota(error: unknown, resource: Resource<Spec, Status>): Outcome<Status> {
    if (!(error instanceof QuotaExceededError)) throw error;
    const { conditions = [] } = resource.status;
    const isKnown = conditions.some(({ reason }) => reason === QUOTA_EXCEEDED);
    if (!isKnown) deps.metrics.quotaRefused.inc({ quota: error.quota });
    const problem = { reason: QUOTA_EXCEEDED, message: error.message };
    const requeueAfterMs = deps.quotaRetryMs ?? QUOTA_RETRY_MS;
    const status = { ...resource.status, ...kind.refusedStatus };
    return { findings: refused('Accepted', problem), status, requeueAfterMs };
  }

  return {
    ...kind,
    uses: kind.uses as Uses, // The cast is safe for the same reason as in `typed`.
    reconcilerOf: (epoch) => (key) => reconcile(epoch, key),
  };
}

async function report<Status>(
  { store, record, nowMs }: ReconcilerDeps,
  about: Pick<KindRegistration, 'kind' | 'idPrefix' | 'idField' | 'action'>,
  found: { resource: Resource; outcome: Outcome<Status>; id?: string },
): Promise<void> {
  const { kind, idPrefix, idField, action } = about;
  const { resource, outcome, id } = found;
  const conditions = toConditions(outcome.findings, resource, nowMs());
  await store.patchStatus(kind, resource.metadata, {
    ...outcome.status,
    observedGeneration: resource.metadata.generation,
    ...(id !== undefined && { [idField]: fromUuid(idPrefix, id) }),
    conditions,
  });
  recordReadiness(record, resource, conditions, outcome.event ?? { action });
  for (const event of outcome.events ?? []) record(resource, event);
}
