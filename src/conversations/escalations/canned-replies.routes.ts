import { z } from 'zod';
import { audited } from '../../audit/audited.ts';
import type { AuditLine } from '../../audit/audit-log.sql.ts';
import { ApiError, found } from '../../errors.ts';
import { fromUuid, newUuid, uuidTimeMs } from '../../ids.ts';
import { idCursor, idPage, listOrder, pageOf, pageSchema } from '../../platform/http/cursor.ts';
import { createdAt, idParam, unixSec, updatedAt } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import {
  deleteCannedReply,
  insertCannedReply,
  listCannedReplies,
  lockCannedReply,
  readCannedReply,
  setCannedReply,
  type CannedReplyRow,
} from './canned-replies.sql.ts';
import { onOneLine } from './escalation.view.ts';

const tag = 'Escalations';
const params = { id: idParam('reply', 'canned reply') };
/** Maximum number of canned replies in a namespace. It is limited because the dashboard loads all of them. */
const REPLIES_MAX = 500;

const CannedReply = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the canned reply, `reply_…`.' }),
    created: createdAt,
    updated: updatedAt,
    title: z.string(),
    text: z.string(),
  })
  .meta({
    id: 'CannedReply',
    description: 'A reply prepared in advance. It may contain placeholders.',
  });

type Deps = Pick<ConversationDeps, 'pool' | 'nowMs'>;

/**
 * Returns the routes for canned replies, which the human agents of a namespace prepare for each other
 * (contract/canned-replies.md).
 */
export function cannedReplyRoutes(deps: Deps): Route[] {
  return [
    listRoute(deps),
    createRoute(deps),
    readRoute(deps),
    updateRoute(deps),
    deleteRoute(deps),
  ];
}

function listRoute({ pool }: Deps): Route {
  return route({
    method: 'get',
    path: '/v1/canned_replies',
    operationId: 'listCannedReplies',
    tag,
    scope: 'read',
    summary: 'List canned replies',
    query: { order: listOrder, ...idPage('reply') },
    answers: {
      200: { description: 'A page of canned replies.', schema: pageSchema(CannedReply) },
    },
    handle: async ({ caller: { namespace }, query: { order, limit, cursor: before } }) => {
      const rows = await listCannedReplies(pool, { namespace, order, before, limit: limit + 1 });
      const page = { limit, view: cannedReplyView, cursorOf: idCursor('reply') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}

const title = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine(...onOneLine())
  .describe('Title shown in the list. It must be a single line.');
const text = z
  .string()
  .min(1)
  .max(4_000)
  .regex(...saying(/\S/, 'must not be blank'))
  .describe('Text of the reply. Clients replace `{{name}}` when a human agent inserts the reply.');

function createRoute({ pool, nowMs }: Deps): Route {
  return route({
    method: 'post',
    path: '/v1/canned_replies',
    operationId: 'createCannedReply',
    tag,
    scope: 'write',
    summary: 'Create a canned reply',
    body: { schema: z.strictObject({ title, text }).describe('A canned reply.') },
    answers: {
      201: { description: 'The canned reply.', schema: CannedReply, location: true },
    },
    errors: ['quota_exceeded'],
    handle: async ({ answering, caller, body }) => {
      const { namespace } = caller;
      const create = async (db: Db): Promise<CannedReplyRow> => {
        const row = { id: newUuid(nowMs()), namespace, ...body };
        return (await insertCannedReply(db, row, REPLIES_MAX)) ?? tooMany();
      };
      return answering(
        audited(
          caller,
          (hook) => committing(pool, create, hook),
          (row) => lineOf('canned_reply.created', null, row),
        ),
        (row) => {
          const view = cannedReplyView(row);
          return {
            status: 201,
            body: view,
            headers: { Location: `/v1/canned_replies/${view.id}` },
          };
        },
      );
    },
  });
}

/** @throws ApiError quota_exceeded */
function tooMany(): never {
  throw new ApiError(
    'quota_exceeded',
    `The namespace already has ${REPLIES_MAX} canned replies, which is the maximum. Delete one first.`,
  );
}

function readRoute({ pool }: Deps): Route {
  return route({
    method: 'get',
    path: '/v1/canned_replies/{id}',
    operationId: 'getCannedReply',
    tag,
    scope: 'read',
    summary: 'Read a canned reply',
    params,
    answers: { 200: { description: 'The canned reply.', schema: CannedReply } },
    handle: async ({ caller: { namespace }, params: { id } }) => ({
      status: 200,
      body: cannedReplyView(found(await readCannedReply(pool, { namespace, id }), 'canned reply')),
    }),
  });
}

function updateRoute({ pool }: Deps): Route {
  return route({
    method: 'patch',
    path: '/v1/canned_replies/{id}',
    operationId: 'updateCannedReply',
    tag,
    scope: 'write',
    summary: 'Change a canned reply',
    params,
    body: {
      schema: z
        .strictObject({ title: title.optional(), text: text.optional() })
        .describe('The fields of the canned reply to change.'),
    },
    answers: { 200: { description: 'The canned reply.', schema: CannedReply } },
    handle: async ({ answering, caller, params: { id }, body }) => {
      const change = async (db: Db) => {
        const before = await locked(db, { namespace: caller.namespace, id });
        const after = { id, title: body.title ?? before.title, text: body.text ?? before.text };
        return { before, row: await setCannedReply(db, after) };
      };
      return answering(
        audited(
          caller,
          (hook) => committing(pool, change, hook),
          ({ before, row }) => lineOf('canned_reply.updated', before, row),
        ),
        ({ row }) => ({ status: 200, body: cannedReplyView(row) }),
      );
    },
  });
}

function deleteRoute({ pool }: Deps): Route {
  return route({
    method: 'delete',
    path: '/v1/canned_replies/{id}',
    operationId: 'deleteCannedReply',
    tag,
    scope: 'write',
    summary: 'Delete a canned reply',
    params,
    answers: { 204: { description: 'The canned reply is deleted.' } },
    handle: async ({ answering, caller, params: { id } }) => {
      const remove = async (db: Db): Promise<CannedReplyRow> => {
        const row = await locked(db, { namespace: caller.namespace, id });
        await deleteCannedReply(db, id);
        return row;
      };
      return answering(
        audited(
          caller,
          (hook) => committing(pool, remove, hook),
          (row) => lineOf('canned_reply.deleted', row, null),
        ),
        () => ({ status: 204 }),
      );
    },
  });
}

/** @throws ApiError not_found */
async function locked(
  db: Db,
  key: Pick<CannedReplyRow, 'namespace' | 'id'>,
): Promise<CannedReplyRow> {
  return found(await lockCannedReply(db, key), 'canned reply');
}

function committing<R>(
  pool: Deps['pool'],
  act: (db: Db) => Promise<R>,
  beforeCommit: CommitHook<unknown>,
): Promise<R> {
  return inTransaction(pool, async (db) => {
    const result = await act(db);
    await beforeCommit(db, result);
    return result;
  });
}

/** Builds the audit log entry, which does not contain the text of the reply. */
function lineOf(
  action: AuditLine['action'],
  before: CannedReplyRow | null,
  after: CannedReplyRow | null,
): AuditLine {
  const isRenamed = before?.title !== after?.title;
  const fields = (row: CannedReplyRow | null) => row && (isRenamed ? { title: row.title } : {});
  const isRewritten = before !== null && after !== null && before.text !== after.text;
  return {
    action,
    target: fromUuid('reply', (after ?? before)!.id),
    before: fields(before),
    after: fields(after),
    ...(isRewritten && { detail: { changed: ['text'] } }),
  };
}

function cannedReplyView(row: CannedReplyRow): z.output<typeof CannedReply> {
  return {
    id: fromUuid('reply', row.id),
    created: unixSec(uuidTimeMs(row.id)),
    updated: unixSec(row.updatedAt),
    title: row.title,
    text: row.text,
  };
}
