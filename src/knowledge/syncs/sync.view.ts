import { z } from 'zod';
import { fromUuid } from '../../ids.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';
import { SYNC_STATUSES, SYNC_TRIGGERS, type SyncRow } from '../sources/knowledge-syncs.sql.ts';

/** This module defines the REST representation of syncs (contract/knowledge.md#syncs). */

const count = z.int().min(0);

export const syncStatus = z.enum(SYNC_STATUSES);

export const KnowledgeSync = z
  .strictObject({
    id: z.string().meta({ description: 'sync_…' }),
    created: createdAt,
    source_id: z.string(),
    trigger: z.enum(SYNC_TRIGGERS).meta({
      description:
        'request: somebody asked for it; declared: what is to be read is new; schedule; retry: again ' +
        'after one that failed.',
    }),
    status: syncStatus,
    requested_at: unixTime,
    started_at: unixTime.nullable(),
    finished_at: unixTime.nullable(),
    found: count.meta({ description: 'Documents known of so far.' }),
    read: count.meta({ description: 'Of those, how many were looked at: all that follow.' }),
    unchanged: count,
    changed: count.meta({ description: 'New ones and other ones.' }),
    failed: count.meta({ description: 'Could not be read; what was indexed of them stays.' }),
    skipped: count.meta({ description: 'Are not to be read; what was indexed of them goes.' }),
    problems: z
      .array(
        z.strictObject({
          path: z.string(),
          kind: z.enum(['failed', 'skipped']),
          reason: z.string(),
        }),
      )
      .optional()
      .meta({ description: 'The first hundred that failed or were skipped. Lists leave it out.' }),
    reason: z.string().nullable().meta({ description: 'Of a failed one: a word for programs.' }),
    error: z.string().nullable().meta({ description: 'Why it failed or was canceled.' }),
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
        description: 'Of a succeeded one: the documents after it, and how many it changed.',
      }),
  })
  .meta({ id: 'KnowledgeSync', description: 'One reading of a website or an integration.' });

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
