import type { Db } from '../platform/postgres/pool.ts';
import type { WhoElse } from '../platform/reconcile/actors.ts';
import type { ManagedBy } from '../platform/resources/kind-names.ts';
import { lastOfLife, recordAudit, type AuditLine } from './audit-log.sql.ts';

/** Resource that an audit log line is about. `noun` is the name of its kind in audit actions. */
type About = { noun: string; namespace: string; target: string };
/**
 * UID and generation of an object. The generation increases with each change to the spec. Generations are comparable
 * only if the UID is the same.
 */
type Seen = { uid: string; generation: number };

/**
 * Adds an audit log line for a declaration that was not made through REST, for example one made with kubectl, by GitOps
 * or in a manifest file (contract/audit-log.md#other-declarers). The operator calls this function when it applies the
 * declaration, in the transaction that updates the row. Each generation therefore has exactly one line, even after a
 * crash. Writes through REST have their own line (write-ahead.ts). An unchanged object that reappears in another
 * cluster gets no line.
 */
export async function recordDeclared(
  db: Db,
  declared: About & {
    /** Object as of the last update of the row; undefined if no live row exists. */
    before: Seen | undefined;
    after: Seen;
    /** Names of the changed spec fields. */
    changed: readonly string[];
    /**
     * Spec fields whose changes cannot be detected, because the row does not contain their values. If `changed` is
     * empty, the last writer of these fields is recorded as the actor.
     */
    unseen?: readonly string[];
    whoElse: WhoElse;
    line: Pick<AuditLine, 'before' | 'after' | 'detail'>;
  },
): Promise<void> {
  const { noun, namespace, target, before, after, changed, unseen = [], whoElse, line } = declared;
  const isMoved = before?.uid === after.uid && before.generation !== after.generation;
  if (before && !isMoved && changed.length === 0) return;
  const fields = changed.length > 0 ? changed : unseen;
  const actor = before ? whoElse(fields, isMoved ? before.generation : 0) : whoElse();
  if (actor === undefined) return;
  const action = `${noun}.${before ? 'updated' : 'created'}` as const;
  await recordAudit(db, { namespace, actor }, { action, target, ...line });
}

/**
 * Adds an audit log line for a declaration that was removed. Kubernetes does not report who deleted an object, so the
 * line only shows where the object was declared. Does nothing after a deletion through REST, which has already added a
 * line.
 */
export async function recordUndeclared(
  db: Db,
  gone: About & { managedBy: ManagedBy; before: AuditLine['before'] },
): Promise<void> {
  const { noun, namespace, target, managedBy, before } = gone;
  const action = `${noun}.deleted` as const;
  if ((await lastOfLife(db, { namespace, target, noun })) === action) return;
  const actor = managedBy === 'file' ? 'file' : 'kubernetes:unknown';
  await recordAudit(db, { namespace, actor }, { action, target, before: before ?? null });
}
