import type { Fields } from '../../audit/audit-log.sql.ts';
import { changesBetween, differing, toldOf } from '../../audit/changes.ts';
import { recordDeclared } from '../../audit/record-declared.ts';
import { fromUuid } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { WhoElse } from '../../platform/reconcile/actors.ts';
import { toSnakeKey } from '../../platform/resources/schema/key-map.ts';
import type { KnowledgeSourceRow, SourceProjection } from './knowledge-sources.sql.ts';

/** Fields whose values the audit log records. For a text, the log records only that it changed. */
export const TOLD = ['name', 'type', 'schedule', 'managed_by'] as const;

/** Adds the declaration of a source to the audit log when the operator applies it. `row` is the previous state. */
export async function recordSource(
  db: Db,
  declared: {
    row: KnowledgeSourceRow | undefined;
    source: SourceProjection;
    /** Whether the declared text differs from the text that is indexed. */
    isOtherText: boolean;
    whoElse: WhoElse;
  },
): Promise<void> {
  const { row, source, isOtherText, whoElse } = declared;
  const isMoved = row?.uid === source.uid && row.generation !== source.generation;
  const text = row && isMoved && isOtherText ? ['text'] : [];
  const after = fieldsOf(source.spec);
  const change = row && changesBetween(fieldsOf(row.spec), after, TOLD);
  const named = [...text, ...((change?.detail['changed'] ?? []) as string[])].toSorted();
  await recordDeclared(db, {
    noun: 'knowledge_source',
    namespace: source.namespace,
    target: fromUuid('ks', source.id),
    before: row,
    after: source,
    changed: [
      ...(row ? differing({ ...row.spec }, { ...source.spec }) : []),
      ...text.flatMap((field) => [field, 'textFrom']),
    ],
    unseen: ['text', 'textFrom'],
    whoElse,
    line: change
      ? { ...change, detail: { changed: named } }
      : { after: toldOf({ ...after, name: source.name, managed_by: source.managedBy }, TOLD) },
  });
}

function fieldsOf(spec: SourceProjection['spec']): Fields {
  return Object.fromEntries(Object.entries(spec).map(([key, value]) => [toSnakeKey(key), value]));
}

export function sourceGone(
  row: Pick<KnowledgeSourceRow, 'name' | 'type' | 'managedBy' | 'documents'>,
): { before: Fields } {
  const { name, type, managedBy, documents } = row;
  return { before: { name, type, managed_by: managedBy, documents } };
}
