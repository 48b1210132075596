import { z } from 'zod';
import { fromUuid } from '../../ids.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';
import { SYNC_STATUSES, SYNC_TRIGGERS, type SyncRow } from '../sources/knowledge-syncs.sql.ts';

/** This module defines the REST representation of syncs (contract/knowledge.md#syncs). */

const count = z.int().min(0);

export const syncStatus = z.enum(SYNC_STATUSES);

export const KnowledgeSync = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the sync, `sync_…`.' }),
    created: createdAt,
    source_id: z.string(),
    trigger: z.enum(SYNC_TRIGGERS).meta({
      description:
        'Why the sync was started: `request` (by the API), `declared` (the declaration changed), ' +
        '`schedule`, or `retry` (after a failure).',
    }),
    status: syncStatus,
    requested_at: unixTime,
    started_at: unixTime.nullable(),
    finished_at: unixTime.nullable(),
    found: count.meta({ description: 'Number of documents found so far.' }),
    read: count.meta({
      description:
        'Number of documents processed so far: the sum of `unchanged`, `changed`, `failed` and `skipped`.',
    }),
    unchanged: count,
    changed: count.meta({ description: 'Number of new or changed documents.' }),
    failed: count.meta({
      description: 'Number of documents that could not be read. Their indexed content stays.',
    }),
    skipped: count.meta({
      description:
        'Number of documents that must not be indexed. Any content indexed from them is removed.',
    }),
    problems: z
      .array(
        z.strictObject({
          path: z.string(),
          kind: z.enum(['failed', 'skipped']),
          reason: z.string(),
        }),
      )
      .optional()
      .meta({
        description: 'The first 100 failed or skipped documents. Omitted from lists.',
      }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Machine-readable failure reason. Null unless the sync failed.' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why the sync failed or was canceled. Null otherwise.' }),
    result: z
      .strictObject({
        documents: count,
        added: count,
        updated: count,
        removed: count,
        failed: count,
        duration_sec: z.number().min(0),
      })
      .nullable()
      .meta({
        description:
          'Number of documents after the sync, and how many it added, updated, removed or failed to read. Null unless the sync succeeded.',
      }),
  })
  .meta({ id: 'KnowledgeSync', description: 'One sync of a website or an integration.' });

/** Returns a sync for the REST API. Lists leave out the problems. */
export function syncView(row: SyncRow, withProblems: boolean): z.output<typeof KnowledgeSync> {
  const { found, unchanged, changed, failed, skipped } = row;
  return {
    id: fromUuid('sync', row.id),
    created: unixSec(row.requestedAt),
    source_id: fromUuid('ks', row.sourceId),
    trigger: row.trigger,
    status: row.status,
    requested_at: unixSec(row.requestedAt),
    started_at: unixSecOrNull(row.startedAt),
    finished_at: unixSecOrNull(row.finishedAt),
    found,
    read: unchanged + changed + failed + skipped,
    unchanged,
    changed,
    failed,
    skipped,
    ...(withProblems && { problems: row.problems }),
    reason: row.reason,
    error: row.error,
    result: row.result,
  };
}
