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

/** Fields without a value are `null`, so that clients need not handle absent fields. Only `text` may be absent. */
export const KnowledgeSource = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the source, `ks_…`.' }),
    created: createdAt,
    updated: updatedAt,
    name: z.string().meta({ description: 'DNS label. It never changes.' }),
    type: sourceType,
    text: z
      .string()
      .nullable()
      .optional()
      .meta({
        description:
          'Text of a source of type `text`, up to a megabyte. Omitted from lists and from the response ' +
          'to a sync request.',
      }),
    ...readableFields(KnowledgeSourceWrite, ['website', 'integration', 'schedule', 'embeddings']),
    metadata: z.record(z.string(), z.string()),
    managed_by: z.enum(['api', 'kubernetes', 'file']),
    ready: z.boolean().meta({ description: 'Whether the declared content is indexed.' }),
    status_message: z.string().nullable(),
    status: sourceStatus.meta({
      description: 'Indexing state. `pending` means that nothing is indexed yet.',
    }),
    documents: count.meta({ description: 'Number of indexed documents.' }),
    chunks: count.meta({ description: 'Number of indexed passages.' }),
    embedded: count.nullable().meta({
      description:
        'Number of passages that are also found by their meaning. Null if the source is not embedded.',
    }),
    embedding_message: z.string().nullable().meta({
      description: 'Why the last attempt to embed passages failed. Null if it succeeded.',
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
        id: z.string().meta({ description: 'ID of the sync, `sync_…`.' }),
        status: z.enum(['queued', 'running']),
        requested_at: unixTime,
        found: count.meta({ description: 'Number of documents found so far.' }),
        read: count.meta({ description: 'Number of documents processed so far.' }),
      })
      .nullable()
      .meta({
        description: 'The unfinished sync of a website or an integration. Null if there is none.',
      }),
    next_sync_at: unixTime.nullable().meta({
      description:
        'Time of the next automatic sync, by schedule or as a retry after a failure. Null if none is ' +
        'planned.',
    }),
  })
  .meta({
    id: 'KnowledgeSource',
    description: 'A knowledge source that agents use to answer questions.',
  });

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
    id: z.string().meta({ description: 'ID of the document, `doc_…`.' }),
    created: createdAt,
    updated: updatedAt,
    source_id: z.string(),
    path: z
      .string()
      .meta({ description: 'Name of the document within its source, such as a file name.' }),
    title: z.string(),
    url: z
      .string()
      .nullable()
      .meta({ description: 'Address where people can open the document. Null if it has none.' }),
    language: z.string().nullable().meta({
      description:
        'ISO 639-1 code of the language, as declared or detected. Null if it is not known.',
    }),
    bytes: count,
    chunks: count,
  })
  .meta({ id: 'KnowledgeDocument', description: 'A document in a knowledge source.' });

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
