import { z } from 'zod';
import { audited } from '../../audit/audited.ts';
import { found } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../../platform/http/cursor.ts';
import { idParam } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import type { UploadDeps } from '../sources/sync-source.ts';
import { KnowledgeSource, sourceView } from '../sources/knowledge.view.ts';
import { listSyncs, readSync, type SyncRow } from '../sources/knowledge-syncs.sql.ts';
import { requireSource } from '../sources/write-source.ts';
import { requestSync, stopSync } from './request-sync.ts';
import { KnowledgeSync, syncStatus, syncView } from './sync.view.ts';

const tag = 'Knowledge';
const sourceParam = { id: idParam('ks', 'knowledge source') };
const params = { ...sourceParam, sync_id: idParam('sync', 'sync') };
const path = '/v1/knowledge/sources/{id}';

/** Returns the routes that request, show and cancel syncs of sources (contract/knowledge.md#syncs). */
export function syncRoutes(deps: UploadDeps): Route[] {
  return [requestRoute(deps), listRoute(deps), readRoute(deps), cancelRoute(deps)];
}

function requestRoute(deps: UploadDeps): Route {
  return route({
    method: 'post',
    path: `${path}/sync`,
    operationId: 'syncKnowledgeSource',
    tag,
    scope: 'write',
    summary: 'Sync a source',
    description:
      'Indexes a text or a file again before the API responds. For a website or an integration, ' +
      'queues a sync; the source in the response then has the status `refreshing` (or `syncing` if nothing is ' +
      'indexed yet). If a sync is already queued or running, no other sync is created. Until the sync ' +
      'completes, searches find the previous content. Every sync that succeeds or fails emits the ' +
      'event `knowledge.source.synced`, even if nothing changed.',
    params: sourceParam,
    body: { schema: z.strictObject({}).describe('No fields.'), isOptional: true },
    answers: { 202: { description: 'The source.', schema: KnowledgeSource } },
    errors: ['no_content'],
    handle: ({ answering, caller, params: { id } }) =>
      answering(
        audited(
          caller,
          (beforeCommit) => requestSync(deps, { namespace: caller.namespace, id }, beforeCommit),
          ({ documents, chunks, bytes, sync }) => ({
            action: 'knowledge_source.synced',
            target: fromUuid('ks', id),
            after: sync ? { sync: fromUuid('sync', sync.id) } : { documents, chunks, bytes },
          }),
        ),
        (row) => ({ status: 202, body: sourceView(row) }),
      ),
  });
}

function listRoute(deps: UploadDeps): Route {
  return route({
    method: 'get',
    path: `${path}/syncs`,
    operationId: 'listKnowledgeSyncs',
    tag,
    scope: 'read',
    summary: 'List the syncs of a website or an integration, newest first',
    description: 'Ended syncs are kept for 30 days, up to the newest 100 for each source.',
    params: sourceParam,
    query: { status: syncStatus.optional(), ...idPage('sync') },
    answers: { 200: { description: 'A page of syncs.', schema: pageSchema(KnowledgeSync) } },
    handle: async ({ caller: { namespace }, params: { id }, query }) => {
      const { limit, cursor: before, status } = query;
      const { id: sourceId } = await requireSource(deps, { namespace, id });
      const rows = await listSyncs(deps.pool, { sourceId, status, before, limit: limit + 1 });
      const view = (row: SyncRow) => syncView(row, false);
      return { status: 200, body: pageOf(rows, { limit, view, cursorOf: idCursor('sync') }) };
    },
  });
}

function readRoute(deps: UploadDeps): Route {
  return route({
    method: 'get',
    path: `${path}/syncs/{sync_id}`,
    operationId: 'getKnowledgeSync',
    tag,
    scope: 'read',
    summary: 'Read a sync and its progress',
    params,
    answers: { 200: { description: 'The sync.', schema: KnowledgeSync } },
    handle: async ({ caller: { namespace }, params: { id, sync_id: syncId } }) => {
      const { id: sourceId } = await requireSource(deps, { namespace, id });
      const row = found(await readSync(deps.pool, { sourceId, id: syncId }), 'sync');
      return { status: 200, body: syncView(row, true) };
    },
  });
}

function cancelRoute(deps: UploadDeps): Route {
  return route({
    method: 'post',
    path: `${path}/syncs/{sync_id}/cancel`,
    operationId: 'cancelKnowledgeSync',
    tag,
    scope: 'write',
    summary: 'Stop a sync',
    description:
      'The sync stops within two seconds and does not change the index: all content that is already ' +
      'indexed stays. No event is emitted.',
    params,
    body: { schema: z.strictObject({}).describe('No fields.'), isOptional: true },
    answers: { 200: { description: 'The canceled sync.', schema: KnowledgeSync } },
    errors: ['sync_finished'],
    handle: async ({ answering, caller, params: { id, sync_id: syncId } }) => {
      const { namespace } = caller;
      await requireSource(deps, { namespace, id });
      return answering(
        audited(
          caller,
          (beforeCommit) => stopSync(deps, { source: { namespace, id }, id: syncId }, beforeCommit),
          (sync) => ({
            action: 'knowledge_source.sync_canceled',
            target: fromUuid('ks', id),
            after: { sync: fromUuid('sync', sync.id) },
          }),
        ),
        (sync) => ({ status: 200, body: syncView(sync, true) }),
      );
    },
  });
}
