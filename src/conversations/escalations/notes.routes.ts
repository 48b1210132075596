import { z } from 'zod';
import { audited } from '../../audit/audited.ts';
import { found } from '../../errors.ts';
import { fromUuid, newUuid, uuidTimeMs } from '../../ids.ts';
import { idCursor, idPage, listOrder, pageOf, pageSchema } from '../../platform/http/cursor.ts';
import { createdAt, idParam, unixSec } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import { inConversation, type ConversationDeps } from '../record/conversation-deps.ts';
import { lockConversationOf, requireEscalation } from './accept-escalation.ts';
import { lineName, Person } from './escalation.view.ts';
import { deleteNoteRow, insertNote, listNotes, type NoteRow } from './notes.sql.ts';

const tag = 'Escalations';
const params = { id: idParam('esc', 'escalation') };
const TEXT_MAX = 4_000;

export const Note = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the note, `note_…`.' }),
    created: createdAt,
    conversation_id: z.string(),
    escalation_id: z.string(),
    actor: z
      .string()
      .meta({ description: 'Actor that added the note, `api:key_…` or `session:<name>`.' }),
    by: Person.nullable().meta({
      description: 'Human agent who wrote the note. Null if the request named nobody.',
    }),
    text: z.string(),
  })
  .meta({ id: 'EscalationNote', description: 'A private note that the user never sees.' });

/**
 * Returns the routes for the private notes that human agents write about an escalation (contract/escalations.md#notes).
 */
export function noteRoutes(deps: ConversationDeps): Route[] {
  return [listRoute(deps), addRoute(deps), deleteRoute(deps)];
}

function listRoute({ pool }: ConversationDeps): Route {
  return route({
    method: 'get',
    path: '/v1/escalations/{id}/notes',
    operationId: 'listEscalationNotes',
    tag,
    scope: 'read',
    summary: 'List the private notes about an escalation',
    description: 'Includes the notes about earlier and later escalations of the same conversation.',
    params,
    query: { order: listOrder, ...idPage('note') },
    answers: { 200: { description: 'A page of notes.', schema: pageSchema(Note) } },
    handle: async ({ caller: { namespace }, params: { id }, query }) => {
      const { conversationId } = await requireEscalation(pool, { namespace, id });
      const { order, limit, cursor: before } = query;
      const filter = { namespace, conversationId, order, before, limit: limit + 1 };
      const page = { limit, view: noteView, cursorOf: idCursor('note') };
      return { status: 200, body: pageOf(await listNotes(pool, filter), page) };
    },
  });
}

const addBody = z
  .strictObject({
    text: z
      .string()
      .min(1)
      .max(TEXT_MAX)
      .regex(...saying(/\S/, 'must not be blank'))
      .describe('Text of the note.'),
    by: Person.extend({ name: lineName }).optional().describe('Human agent who writes the note.'),
  })
  .describe('The note to add.');

function addRoute(deps: ConversationDeps): Route {
  return route({
    method: 'post',
    path: '/v1/escalations/{id}/notes',
    operationId: 'createEscalationNote',
    tag,
    scope: 'write',
    summary: 'Add a private note about an escalation',
    description: 'Allowed in every status. Erasing the conversation deletes its notes.',
    params,
    body: { schema: addBody },
    answers: { 201: { description: 'The note.', schema: Note } },
    handle: async ({ answering, caller: { namespace, actor }, params: { id }, body }) =>
      answering(
        (beforeCommit) =>
          addNote(
            deps,
            { namespace, id, actor, text: body.text, writtenBy: body.by ?? null },
            beforeCommit,
          ),
        (row) => ({ status: 201, body: noteView(row) }),
      ),
  });
}

/** Adds a note under the conversation's lock, so that no note outlives the erasure of its conversation. */
async function addNote(
  deps: ConversationDeps,
  input: Pick<NoteRow, 'namespace' | 'id' | 'actor' | 'text' | 'writtenBy'>,
  beforeCommit: CommitHook<unknown>,
): Promise<NoteRow> {
  const { id: escalationId, ...written } = input;
  const note = await inConversation(
    deps,
    async ({ db }) => {
      const conversation = found(await lockConversationOf(db, input), 'conversation');
      const row = {
        ...written,
        id: newUuid(deps.nowMs()),
        escalationId,
        conversationId: conversation.id,
      };
      await insertNote(db, row);
      return row;
    },
    beforeCommit,
  );
  deps.changed(note.conversationId);
  return note;
}

function deleteRoute(deps: ConversationDeps): Route {
  return route({
    method: 'delete',
    path: '/v1/escalations/{id}/notes/{note_id}',
    operationId: 'deleteEscalationNote',
    tag,
    scope: 'write',
    summary: 'Delete a private note about an escalation',
    params: { ...params, note_id: idParam('note', 'note') },
    answers: { 204: { description: 'The note is deleted.' } },
    handle: async ({ answering, caller, params: { id, note_id: noteId } }) => {
      const key = { namespace: caller.namespace, escalationId: id, id: noteId };
      return answering(
        audited(
          caller,
          (beforeCommit) => deleteNote(deps, key, beforeCommit),
          () => ({
            action: 'escalation.note_deleted',
            target: fromUuid('esc', id),
            detail: { note_id: fromUuid('note', noteId) },
          }),
        ),
        () => ({ status: 204 }),
      );
    },
  });
}

async function deleteNote(
  deps: ConversationDeps,
  key: Pick<NoteRow, 'namespace' | 'escalationId' | 'id'>,
  beforeCommit: CommitHook<unknown>,
): Promise<void> {
  const note = await inConversation(
    deps,
    async ({ db }) => {
      await requireEscalation(db, { namespace: key.namespace, id: key.escalationId });
      return found(await deleteNoteRow(db, key), 'note');
    },
    beforeCommit,
  );
  deps.changed(note.conversationId);
}

export function noteView(row: NoteRow): z.output<typeof Note> {
  return {
    id: fromUuid('note', row.id),
    created: unixSec(uuidTimeMs(row.id)),
    conversation_id: fromUuid('conv', row.conversationId),
    escalation_id: fromUuid('esc', row.escalationId),
    actor: row.actor,
    by: row.writtenBy,
    text: row.text,
  };
}
