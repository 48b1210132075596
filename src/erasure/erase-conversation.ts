import { found } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import {
  eraseConversationRow,
  lockConversation,
  type ConversationRow,
} from '../conversations/record/conversations.sql.ts';
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
} from '../conversations/record/conversation-deps.ts';
import { countEnd, endLocked } from '../conversations/ending/end-conversation.ts';

/** Text that replaces erased words. */
export const ERASED = '[erased]';

export type ErasureDeps = ConversationDeps & {
  /** Erases the words in the conversation's events and their deliveries, in the caller's transaction. */
  eraseEvents: (db: Db, about: Erasing) => Promise<CanceledEvents>;
};

/** Canceled deliveries: details of the first ones, and the number of all. */
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
 * Erases the words of a conversation from everything that is stored and hides it. Ends a live conversation first.
 * Times, counts and the outcome remain.
 * @throws ApiError not_found
 */
export async function eraseConversation(
  deps: ErasureDeps,
  by: AuditedBy,
  { id, events }: { id: string; events: Erasing['events'] },
): Promise<CanceledEvents> {
  const input = { namespace: by.namespace, id };
  const { ended, told } = await inConversation<Erased>(deps, async (transaction) => {
    const { db } = transaction;
    const row = found(await lockConversation(db, input), 'conversation');
    const isLive = row.endedAt === null;
    const last = isLive
      ? await endLocked({ ...transaction, deps }, row, { reason: 'deleted' })
      : row;
    await eraseConversationRow(db, row.id, withoutWords(last.tally));
    await eraseEscalationsOf(db, row.id, ERASED);
    await eraseGapsOf(db, row.id, ERASED);
    await eraseCallsOf(db, row.id);
    const told = await deps.eraseEvents(db, { conversationId: row.id, events, erased: ERASED });
    await eraseAnswersAbout(db, row.id); // Erases the responses stored for idempotency.
    const target = fromUuid('conv', id);
    const detail = { events };
    await recordAudit(db, by, { action: 'conversation.erased', target, detail });
    return { ended: isLive ? last : undefined, told };
  });
  if (ended) countEnd(deps, ended);
  deps.changed(id);
  return told;
}

type Erased = { ended: ConversationRow | undefined; told: CanceledEvents };
