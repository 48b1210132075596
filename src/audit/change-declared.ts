import { fromUuid, newUuid } from '../ids.ts';
import type { Plan } from '../platform/idempotency/plan.ts';
import { ANNOTATIONS } from '../platform/resources/annotations.ts';
import { declareUnderFreeName, type NewName } from '../platform/declare/free-name.ts';
import {
  createDeclared,
  deleteDeclared,
  patchDeclared,
  type DeclaredKind,
  type DeclareDeps,
  type Written,
  type WrittenRow,
} from '../platform/declare/declared-kind.ts';
import type { Precondition } from '../platform/declare/precondition.ts';
import type { AuditAction } from './audit-actions.ts';
import type { AuditedBy, Change, Fields as AuditFields } from './audit-log.sql.ts';
import { changesBetween } from './changes.ts';
import { writingAhead, type Settled } from './write-ahead.ts';

/**
 * Dependencies for writing declared resources through REST. Each write has a line in the audit log
 * (contract/audit-log.md).
 */

type Deps = DeclareDeps & { nowMs: () => number };
type Act = {
  caller: AuditedBy;
  action: AuditAction;
  id: string;
  precondition?: Precondition | undefined;
};

/**
 * Creates a declared object. `after` contains the fields that the audit log line shows. `settled` returns further
 * fields to add to the line once the object exists; by default, it returns the object's name.
 * @throws ApiError under the same conditions as createDeclared
 */
export function createAudited<Spec, Fields extends object, Row extends WrittenRow>(
  deps: Deps,
  kind: DeclaredKind<Spec, Fields, Row>,
  act: Pick<Act, 'caller' | 'action'> & {
    plan: Plan;
    name: NewName;
    spec: object;
    /** Annotations to set on the object in addition to its ID. */
    annotations?: Record<string, string>;
    after: AuditFields;
    settled?: (written: Written<Spec, Row>) => Settled;
  },
): Promise<Written<Spec, Row>> {
  const { caller, action, plan, name, after } = act;
  const { settled = ({ row }: Written<Spec, Row>) => ({ after: { name: row.name } }) } = act;
  const { namespace } = caller;
  const target = fromUuid(kind.idPrefix, plan.id);
  const annotations = { [ANNOTATIONS.id]: target, ...act.annotations };
  const object = { kind: kind.kind, namespace, spec: { ...act.spec }, annotations };
  return writingAhead(
    { pool: deps.pool, by: caller, id: plan.id, action, target },
    ({ begin }) =>
      createDeclared(deps, kind, {
        namespace,
        plan,
        declare: async () => {
          await begin({ after });
          return declareUnderFreeName({ store: deps.store, plan }, object, name);
        },
      }),
    settled,
  );
}

/**
 * Changes a declared object. The audit log line shows the values of the fields named in `told`; for other changed
 * fields, it shows only the names.
 * @throws ApiError under the same conditions as patchDeclared
 */
export function patchAudited<Spec, Fields extends object, Row extends WrittenRow>(
  deps: Deps,
  kind: DeclaredKind<Spec, Fields, Row>,
  act: Act & {
    patch: Record<string, unknown>;
    /** Throws if the caller may not make this change. */
    permit?: (fields: { before: Fields; after: Fields }) => void;
    told: readonly string[];
  },
): Promise<Written<Spec, Row>> {
  const { caller, id, patch, precondition, permit, told } = act;
  return writingAhead(
    lineOf(deps, kind, act),
    ({ begin }) =>
      patchDeclared(deps, kind, {
        key: { namespace: caller.namespace, id },
        patch,
        precondition,
        permit,
        prepare: (_, { before, after }) =>
          begin(changesBetween(fieldsOf(before), fieldsOf(after), told)),
      }),
    () => ({ after: {} }),
  );
}

/**
 * Deletes a declared object. `gone` returns the fields of the deleted row that the audit log line shows.
 * @throws ApiError under the same conditions as deleteDeclared
 */
export async function deleteAudited<Spec, Fields extends object, Row extends WrittenRow>(
  deps: Deps,
  kind: DeclaredKind<Spec, Fields, Row>,
  act: Act & { gone: (row: Row) => Partial<Change> },
): Promise<void> {
  const { caller, id, precondition, gone } = act;
  await writingAhead(
    lineOf(deps, kind, act),
    ({ begin }) =>
      deleteDeclared(deps, kind, {
        key: { namespace: caller.namespace, id },
        precondition,
        prepare: (row) => begin(gone(row)),
      }),
    (wasThere) => (wasThere ? { after: null } : undefined),
  );
}

function lineOf(
  { pool, nowMs }: Deps,
  { idPrefix }: Pick<DeclaredKind<unknown, object, WrittenRow>, 'idPrefix'>,
  { caller, action, id }: Act,
): Parameters<typeof writingAhead>[0] {
  return { pool, by: caller, id: newUuid(nowMs()), action, target: fromUuid(idPrefix, id) };
}

function fieldsOf(state: object): AuditFields {
  return Object.fromEntries(Object.entries(state));
}
