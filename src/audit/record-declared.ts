import type { Db } from '../platform/postgres/pool.ts';
import type { WhoElse } from '../platform/reconcile/actors.ts';
import type { ManagedBy } from '../platform/resources/kind-names.ts';
import { lastOfLife, recordAudit, type AuditLine } from './audit-log.sql.ts';

/** `noun`: of the kind, as its actions begin. */
type About = { noun: string; namespace: string; target: string };
/** An object and how often its spec was changed; the generation is of that uid alone. */
type Seen = { uid: string; generation: number };

/**
 * Records the declaration of a person, GitOps or a manifest, as the operator takes it over
 * (contract/audit-log.md#other-declarers): in the transaction that shows it in the row, so that a generation has one
 * line whatever crashes. What REST wrote has a line of its own (write-ahead.ts). An object that comes back as it was,
 * in another cluster, has none.
 */
export async function recordDeclared(
  db: Db,
  declared: About & {
    /** Undefined: there is no live row. */
    before: Seen | undefined;
    after: Seen;
    /** Fields of the spec, in its own names. */
    changed: readonly string[];
    /** Those that may have changed without being in the row. */
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
 * The line of what is declared no more. Kubernetes does not tell who deleted an object: it names
 * where that was declared. What REST deletes has its line before it is gone.
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
