import { isDeepStrictEqual } from 'node:util';
import type { Fields } from '../audit/audit-log.sql.ts';
import { changesBetween, differing, toldOf } from '../audit/changes.ts';
import { recordDeclared, recordUndeclared } from '../audit/record-declared.ts';
import { fromUuid } from '../ids.ts';
import { requireRoom, type QuotaDeps } from '../platform/declare/quota.ts';
import { assertLeader } from '../platform/postgres/leadership.ts';
import type { Notifier } from '../platform/postgres/notifications.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { tellProjected } from '../platform/postgres/projected.ts';
import { sealIfNew } from '../platform/postgres/seal-if-new.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import type { WhoElse } from '../platform/reconcile/actors.ts';
import type { Problem } from '../platform/reconcile/conditions.ts';
import type { KindNames } from '../platform/resources/kind-names.ts';
import type { ObjectKey } from '../platform/resources/resource-store.ts';
import type { KindRest } from './kind-rest.ts';
import { secretPlace, type GoneRow, type Active } from './kind-rows.sql.ts';
import type { KindProjection, KindRow, KindRows } from './kind-rows.sql.ts';

export type ProjectDeps = QuotaDeps & { pool: Pool; notifier: Notifier; sealer: Sealer };

/** Result of a reconcile: whether the object is ready, with the `reason` and `message` for the `Ready` condition. */
export type Found = Problem & { ready: boolean };

export type ToProject<Spec> = {
  epoch: number;
  declared: Omit<KindProjection<Spec>, keyof Found>;
  found: Found;
  /**
   * Secret in plain text. `text` is undefined if the kind or the object has no secret. The whole property is null if
   * the declaration was rejected; in that case, the declaration in effect stays the same.
   */
  secret: { text: string | undefined } | null;
  whoElse: WhoElse;
  beside?: Beside;
};

/** Rows in other tables that belong to one object. They are written in the same transaction as the object's own row. */
export type Beside = {
  /**
   * Takes a lock in the transaction before `refusal` is called, so that the result of `refusal` stays valid until the
   * end of the transaction.
   */
  lock: (db: Db) => Promise<void>;
  /** Returns the reason why the rows cannot be written, or `undefined` if they can. */
  refusal: (db: Db) => Promise<Problem | undefined>;
  /** Returns true if the rows are already up to date. */
  isWritten: (db: Db) => Promise<boolean>;
  write: (db: Db) => Promise<void>;
};

/** Properties of a kind that `projectKind` uses. */
export type ProjectedKind<Spec, Used> = {
  names: KindNames;
  rows: KindRows<Spec, Used>;
  rest: Pick<KindRest<Spec>, 'fieldsOf' | 'shownValue'>;
  /**
   * REST fields whose values the audit log shows: `shown` for a declared or changed object, `gone` for a deleted
   * object.
   */
  audit: { shown: readonly string[]; gone: readonly string[] };
  used: (spec: Spec) => Used;
  release: (db: Db, id: string) => Promise<void>;
};

/**
 * Updates the row of an object to match its declaration, and notifies the listeners of the kind. Writes the declaration
 * in effect, its secret and the rows in other tables in one transaction. Nothing is written if nothing has changed.
 * Returns the problem if `beside` refuses to write its rows.
 */
export async function projectKind<Spec, Used>(
  kind: ProjectedKind<Spec, Used>,
  deps: ProjectDeps,
  input: ToProject<Spec>,
): Promise<Problem | undefined> {
  const { declared, secret, beside } = input;
  const { rows, names } = kind;
  const row = await rows.read(deps.pool, declared);
  const active = secret && (await activeOf(kind, deps, declared, secret.text));
  const seen = await judge(deps.pool, input);
  const isShown = row !== undefined && isDeepStrictEqual({ ...row, ...seen.projection }, row);
  const isWritten = async (): Promise<boolean> =>
    active === null && (secret === null || (await beside?.isWritten(deps.pool)) !== false);
  if (isShown && (seen.refusal !== undefined || (await isWritten()))) return seen.refusal;
  const { replaced, refusal } = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    await requireRoom(db, deps, names.table, declared);
    await beside?.lock(db);
    // If the operator missed the deletion of an earlier object with the same name, that object is deleted first.
    const gone = await rows.markDeleted(db, declared, declared.id);
    if (gone) await kind.release(db, gone.id);
    const { projection, refusal: why } = await judge(db, input);
    await rows.upsert(db, projection, why ? null : active);
    if (secret !== null && !why) await beside?.write(db);
    await record(kind, db, { row, projection, whoElse: input.whoElse });
    return { replaced: gone?.id, refusal: why };
  });
  const ids = [declared.id, ...(replaced === undefined ? [] : [replaced])];
  tell(kind, deps, declared, [declared.uid, ...ids]);
  return refusal;
}

/**
 * Returns the new row, and the problem if `beside` cannot write its rows. The row's `Ready` condition shows that
 * problem or, if there is none, the result of the reconcile.
 */
async function judge<Spec>(
  db: Db,
  { declared, found, secret, beside }: ToProject<Spec>,
): Promise<{ projection: KindProjection<Spec>; refusal: Problem | undefined }> {
  // `secret` is null if the declaration was already rejected for another reason. Then the rows in other tables are
  // neither checked nor written, so that a rejected declaration reserves nothing.
  const refusal = secret === null ? undefined : await beside?.refusal(db);
  return {
    projection: { ...declared, ...found, ...(refusal && { ready: false, ...refusal }) },
    refusal,
  };
}

/** Returns the declaration that comes into effect, or null if it is already in effect. */
async function activeOf<Spec, Used>(
  { rows, names, used }: ProjectedKind<Spec, Used>,
  { pool, sealer }: Pick<ProjectDeps, 'pool' | 'sealer'>,
  declared: ToProject<Spec>['declared'],
  secret: string | undefined,
): Promise<Active<Used> | null> {
  const before = await rows.readActive(pool, declared.id);
  const known = before && { value: before.spec, sealed: before.secret };
  const wanted = { value: used(declared.spec), secret };
  const next = sealIfNew(sealer, secretPlace(names, declared), known, wanted);
  return next && { spec: next.value, secret: next.sealed };
}

/** Records a declaration in the audit log when the operator applies it. */
async function record<Spec, Used>(
  { names, rest, audit }: ProjectedKind<Spec, Used>,
  db: Db,
  declared: {
    row: KindRow<Spec> | undefined;
    projection: KindProjection<Spec>;
    whoElse: WhoElse;
  },
): Promise<void> {
  const { row, projection, whoElse } = declared;
  const after: Fields = rest.fieldsOf(projection.spec);
  const { name, managedBy } = projection;
  await recordDeclared(db, {
    noun: names.auditNoun,
    namespace: projection.namespace,
    target: fromUuid(names.idPrefix, projection.id),
    before: row,
    after: projection,
    changed: row ? differing(fieldsIn(row.spec), fieldsIn(projection.spec)) : [],
    whoElse,
    line: row
      ? changesBetween(rest.fieldsOf(row.spec), after, audit.shown)
      : { after: toldOf({ ...after, name, managed_by: managedBy }, audit.shown) },
  });
}

function fieldsIn(spec: unknown): Fields {
  return { ...(spec as Fields) }; // The schema ensures that a spec is an object.
}

/** Returns the audit log entry for a deleted object. */
export function goneLine<Spec>(
  { rest, audit }: Pick<ProjectedKind<Spec, unknown>, 'rest' | 'audit'>,
  { name, managedBy, spec }: Pick<GoneRow<Spec>, 'name' | 'managedBy' | 'spec'>,
): { before: Fields } {
  const fields = rest.fieldsOf(spec);
  const shown = audit.gone.map((field) => [field, rest.shownValue(fields, field)]);
  return { before: { name, ...Object.fromEntries(shown), managed_by: managedBy } };
}

/**
 * Marks the row of an object as deleted after the object's declaration was removed. Also deletes the object's secret
 * and its rows in other tables.
 */
export async function removeKind<Spec, Used>(
  kind: ProjectedKind<Spec, Used>,
  deps: Pick<ProjectDeps, 'pool' | 'notifier'>,
  input: ObjectKey & { epoch: number },
): Promise<void> {
  const { namespace } = input;
  const removed = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    const gone = await kind.rows.markDeleted(db, input);
    if (gone === undefined) return undefined;
    await kind.release(db, gone.id);
    await recordUndeclared(db, {
      noun: kind.names.auditNoun,
      namespace,
      target: fromUuid(kind.names.idPrefix, gone.id),
      managedBy: gone.managedBy,
      ...goneLine(kind, gone),
    });
    return gone.id;
  });
  if (removed !== undefined) tell(kind, deps, { namespace, id: removed }, [removed]);
}

function tell(
  { names }: { names: KindNames },
  deps: Pick<ProjectDeps, 'notifier'>,
  { namespace, id }: { namespace: string; id: string },
  others: readonly string[],
): void {
  tellProjected(deps, { resource: names.resource, namespace, id }, others);
}
