import { fromUuid, newUuid } from '../ids.ts';
import {
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
import { writingAhead } from './write-ahead.ts';

/** Changes and deletions of a kind whose lines tell no more than its fields (contract §4, audit log). */

type Deps = DeclareDeps & { nowMs: () => number };
type Act = {
  caller: AuditedBy;
  action: AuditAction;
  id: string;
  precondition?: Precondition | undefined;
};

/** `told`: the fields whose values the line tells. @throws ApiError as patchDeclared */
export function patchAudited<Spec, Fields extends object, Row extends WrittenRow>(
  deps: Deps,
  kind: DeclaredKind<Spec, Fields, Row>,
  act: Act & { patch: Record<string, unknown>; told: readonly string[] },
): Promise<Written<Spec, Row>> {
  const { caller, id, patch, precondition, told } = act;
  return writingAhead(
    lineOf(deps, kind, act),
    ({ begin }) =>
      patchDeclared(deps, kind, {
        key: { namespace: caller.namespace, id },
        patch,
        precondition,
        prepare: (_, { before, after }) =>
          begin(changesBetween(fieldsOf(before), fieldsOf(after), told)),
      }),
    () => ({ after: {} }),
  );
}

/** `gone`: what the line tells of the row that goes. @throws ApiError as deleteDeclared */
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
