import { found } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import {
  eraseConversationRow,
  lockConversation,
  type LiveConversation,
} from '../conversations/record/conversations.sql.ts';
import { eraseParticipant } from '../conversations/rollout-figures.sql.ts';
import { eraseGapsOf } from '../knowledge/gaps/erase-gaps.ts';
import { eraseCallsOf } from '../calls/calls.sql.ts';
import { eraseEscalationsOf } from '../conversations/escalations/escalations.sql.ts';
import { eraseAnswersAbout } from '../platform/idempotency/idempotency-marks.sql.ts';
import { withoutWords } from '../conversations/record/tally.ts';
import type { Erasing } from '../events/erase-events.sql.ts';
import type { EventType } from '../events/event-types.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { recordAudit, type AuditedBy } from '../audit/audit-log.sql.ts';
import {
  inConversation,
  type ConversationDeps,
  type ConversationTransaction,
} from '../conversations/record/conversation-deps.ts';
import { countEnd, endLocked } from '../conversations/ending/end-conversation.ts';

/** Placeholder for erased text. */
export const ERASED = '[erased]';

export type ErasureDeps = ConversationDeps & {
  /** Erases the text in the conversation's events and their deliveries, in the caller's transaction. */
  eraseEvents: (db: Db, about: Erasing) => Promise<CanceledEvents>;
};

/** Details of the first canceled deliveries, and the total number of canceled deliveries. */
export type CanceledEvents = {
  canceled: readonly {
    deliveryId: string;
    eventId: string;
    eventType: EventType;
    endpointId: string;
  }[];
  canceledCount: number;
};

/**
 * Erases the text of a conversation from all stored data and hides the conversation. Ends a live conversation first.
 * Times, counts and the outcome remain.
 * @throws ApiError not_found
 */
export async function eraseConversation(
  deps: ErasureDeps,
  by: AuditedBy,
  { id, events }: { id: string; events: Erasing['events'] },
): Promise<CanceledEvents> {
  const input = { namespace: by.namespace, id };
  return inConversation(deps, async (transaction) => {
    const { db } = transaction;
    const row = found(await lockConversation(db, input), 'conversation');
    const canceled = await eraseLocked(deps, transaction, { row, events });
    const target = fromUuid('conv', id);
    const detail = { events };
    await recordAudit(db, by, { action: 'conversation.erased', target, detail });
    return canceled;
  });
}

/** Erases a conversation that the caller has locked, in the caller's transaction. */
export async function eraseLocked(
  deps: ErasureDeps,
  transaction: ConversationTransaction,
  { row, events }: { row: LiveConversation; events: Erasing['events'] },
): Promise<CanceledEvents> {
  const { db, later } = transaction;
  const isLive = row.endedAt === null;
  const last = isLive ? await endLocked({ ...transaction, deps }, row, { reason: 'deleted' }) : row;
  await eraseConversationRow(db, row.id, withoutWords(last.tally));
  await eraseEscalationsOf(db, row.id, ERASED);
  await eraseGapsOf(db, row.id, ERASED);
  await eraseParticipant(db, row.id);
  await eraseCallsOf(db, row.id);
  const told = await deps.eraseEvents(db, { conversationId: row.id, events, erased: ERASED });
  // Erases the responses stored for idempotency.
  await eraseAnswersAbout(db, row.id);
  if (row.callId !== null) await eraseAnswersAbout(db, row.callId);
  later(() => {
    if (isLive) countEnd(deps, last);
    deps.changed(row.id);
  });
  return told;
}
