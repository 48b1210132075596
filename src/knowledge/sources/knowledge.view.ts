import { z } from 'zod';
import { fromUuid } from '../../ids.ts';
import { readableFields } from '../../platform/resources/schema/rest-schema.ts';
import { fromKnowledgeSourceSpec, KnowledgeSourceWrite } from './rest-knowledge-source.ts';
import type { DocumentRow } from './knowledge-documents.sql.ts';
import type { KnowledgeSourceRow } from './knowledge-sources.sql.ts';
import {
  createdAt,
  unixSec,
  unixSecOrNull,
  unixTime,
  updatedAt,
} from '../../platform/http/fields.ts';

/** This module defines the REST representation of sources and their documents (contract/knowledge.md#sources). */

const count = z.int().min(0);

export const sourceType = z.enum(['website', 'file', 'text', 'integration']);
export const sourceStatus = z.enum(['pending', 'syncing', 'ready', 'refreshing', 'error']);

/** Unset fields are `null`, so that clients need not handle absent ones. */
export const KnowledgeSource = z
  .strictObject({
    id: z.string().meta({ description: 'ks_…' }),
    created: createdAt,
    updated: updatedAt,
    name: z.string().meta({ description: 'DNS label; never changes.' }),
    type: sourceType,
    text: z
      .string()
      .nullable()
      .optional()
      .meta({
        description:
          'The knowledge itself, of type text. It may be a megabyte: lists and the answer to a sync ' +
          'leave the field out.',
      }),
    ...readableFields(KnowledgeSourceWrite, ['website', 'integration', 'schedule', 'embeddings']),
    metadata: z.record(z.string(), z.string()),
    managed_by: z.enum(['api', 'kubernetes', 'file']),
    ready: z.boolean().meta({ description: 'Whether it is in force as declared.' }),
    status_message: z.string().nullable(),
    status: sourceStatus.meta({ description: 'pending: nothing is indexed yet.' }),
    documents: count.meta({ description: 'Documents that are searched.' }),
    chunks: count.meta({ description: 'Passages that are searched.' }),
    embedded: count.nullable().meta({
      description: 'Passages that are found by their meaning too; null: it is not embedded.',
    }),
    embedding_message: z.string().nullable().meta({
      description: 'Why the last attempt to embed passages failed; null: it did not.',
    }),
    last_synced_at: unixTime.nullable(),
    last_sync: z
      .strictObject({
        documents: count,
        added: count,
        updated: count,
        removed: count,
        failed: count,
        duration_sec: z.number().min(0),
      })
      .nullable(),
    sync: z
      .strictObject({
        id: z.string().meta({ description: 'sync_…' }),
        status: z.enum(['queued', 'running']),
        requested_at: unixTime,
        found: count.meta({ description: 'Documents known of so far.' }),
        read: count.meta({ description: 'Of those, how many were looked at.' }),
      })
      .nullable()
      .meta({ description: 'The unfinished one, of a website or an integration.' }),
    next_sync_at: unixTime.nullable().meta({
      description: 'When it is read by itself: by its schedule, or again after a failure.',
    }),
  })
  .meta({ id: 'KnowledgeSource', description: 'What agents answer from.' });

/** Returns a source for the REST API. The response has no field `text` if `text` is `undefined`. */
export function sourceView(row: KnowledgeSourceRow, text?: string | null): Record<string, unknown> {
  const {
    website = null,
    integration = null,
    schedule = null,
    embeddings = null,
    metadata = {},
  } = fromKnowledgeSourceSpec(row.spec);
  return {
    id: fromUuid('ks', row.id),
    created: unixSec(row.createdAt),
    updated: unixSec(row.updatedAt),
    name: row.name,
    type: row.type,
    ...(text !== undefined && { text }),
    website,
    integration,
    schedule,
    embeddings,
    metadata,
    managed_by: row.managedBy,
    ready: row.ready,
    status_message: row.message === '' ? null : row.message,
    status: row.status,
    documents: row.documents,
    chunks: row.chunks,
    embedded: row.embedded?.passages ?? null,
    embedding_message: row.embedded?.problem ?? null,
    last_synced_at: unixSecOrNull(row.lastSyncedAt),
    last_sync: row.lastSync,
    sync: row.sync && {
      id: fromUuid('sync', row.sync.id),
      status: row.sync.status,
      requested_at: row.sync.requestedSec,
      found: row.sync.found,
      read: row.sync.read,
    },
    next_sync_at: unixSecOrNull(row.nextSyncAt),
  };
}

export const KnowledgeDocument = z
  .strictObject({
    id: z.string().meta({ description: 'doc_…' }),
    created: createdAt,
    updated: updatedAt,
    source_id: z.string(),
    path: z.string().meta({ description: "What it is called in its source: a file's name." }),
    title: z.string(),
    url: z.string().nullable().meta({ description: 'Where people open it.' }),
    language: z
      .string()
      .nullable()
      .meta({ description: 'ISO 639-1, as it declares it or found out; null: not known.' }),
    bytes: count,
    chunks: count,
  })
  .meta({ id: 'KnowledgeDocument', description: 'A part of a source.' });

export function documentView(row: DocumentRow): z.output<typeof KnowledgeDocument> {
  return {
    id: fromUuid('doc', row.id),
    created: unixSec(row.createdAt),
    updated: unixSec(row.updatedAt),
    source_id: fromUuid('ks', row.sourceId),
    path: row.path,
    title: row.title,
    url: row.url,
    language: row.language,
    bytes: row.bytes,
    chunks: row.chunks,
  };
}
