import type { Db } from '../platform/postgres/pool.ts';
import type { WhoElse } from '../platform/reconcile/actors.ts';
import type { ManagedBy } from '../platform/resources/kind-names.ts';
import { lastOfLife, recordAudit, type AuditLine } from './audit-log.sql.ts';

/** Resource that an audit log line is about. `noun` is the name of its kind in audit actions. */
type About = { noun: string; namespace: string; target: string };
/**
 * Object and its generation, which counts the changes to the spec. Generations are comparable only if the UID is the
 * same.
 */
type Seen = { uid: string; generation: number };

/**
 * Records a declaration that a person, GitOps or a manifest has made. Called when the operator applies it
 * (contract/audit-log.md#other-declarers). This runs in the transaction that updates the row, so that each generation
 * has exactly one line, even after a crash. Writes through REST have their own line (write-ahead.ts). An unchanged
 * object that reappears in another cluster gets no line.
 */
export async function recordDeclared(
  db: Db,
  declared: About & {
    /** undefined if no live row exists. */
    before: Seen | undefined;
    after: Seen;
    /** Names of the changed fields, as in the spec. */
    changed: readonly string[];
    /** Fields that may have changed but are not stored in the row. */
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
 * Records that a declaration was removed. Kubernetes does not report who deleted an object, so the line only shows
 * where the object was declared. Does nothing if the deletion has a line already: a deletion through REST writes its
 * line before the object is gone.
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
