import {
  filteredBy,
  inOrder,
  type ListOrder,
  type ListPage,
} from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Person } from './escalations.sql.ts';

/** Private note about an escalation. The user never sees it. */
export type NoteRow = {
  id: string;
  namespace: string;
  conversationId: string;
  escalationId: string;
  /** Actor of the request that added the note: `api:key_…` or `session:<name>`. */
  actor: string;
  /** Human agent who wrote the note, as named in the request. Null if the request names nobody. */
  writtenBy: Person | null;
  text: string;
};

const COLUMNS = `id, namespace, conversation_id as "conversationId", escalation_id as "escalationId", actor,
  written_by as "writtenBy", text`;

/** Inserts a note. The caller has locked the conversation, which has not been erased. */
export async function insertNote(db: Db, note: NoteRow): Promise<void> {
  await db.query(
    `insert into escalation_notes
       (id, namespace, conversation_id, escalation_id, actor, written_by, text)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      note.id,
      note.namespace,
      note.conversationId,
      note.escalationId,
      note.actor,
      note.writtenBy,
      note.text,
    ],
  );
}

/** Returns the notes about all escalations of a conversation, in the filter's order. */
export async function listNotes(
  db: Db,
  filter: ListPage & ListOrder & { conversationId: string },
): Promise<NoteRow[]> {
  const { direction, follows } = inOrder(filter);
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['conversation_id =', filter.conversationId],
    [`id ${follows}`, filter.before],
  ]);
  const { rows } = await db.query<NoteRow>(
    `select ${COLUMNS} from escalation_notes
      where ${where} order by id ${direction} limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

/** Returns all notes of a conversation, oldest first. */
export async function listAllNotes(db: Db, conversationId: string): Promise<NoteRow[]> {
  const { rows } = await db.query<NoteRow>(
    `select ${COLUMNS} from escalation_notes where conversation_id = $1 order by id`,
    [conversationId],
  );
  return rows;
}

/** Deletes a note about an escalation. Returns undefined if the escalation has no such note. */
export async function deleteNoteRow(
  db: Db,
  { namespace, escalationId, id }: Pick<NoteRow, 'namespace' | 'escalationId' | 'id'>,
): Promise<NoteRow | undefined> {
  const { rows } = await db.query<NoteRow>(
    `delete from escalation_notes where id = $1 and escalation_id = $2 and namespace = $3
     returning ${COLUMNS}`,
    [id, escalationId, namespace],
  );
  return rows[0];
}
