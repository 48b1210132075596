import { ApiError } from '../../errors.ts';
import { acceptEscalation, timeoutOf } from '../../conversations/escalations/accept-escalation.ts';
import { readEscalation } from '../../conversations/escalations/escalations.sql.ts';
import {
  addSystemTurn,
  DEFAULT_TIMEOUT_SEC,
  silenceWhileEscalated,
} from '../../conversations/escalations/request-escalation.ts';
import { endConversation } from '../../conversations/ending/end-conversation.ts';
import {
  inConversation,
  lockLive,
  type ConversationDeps,
} from '../../conversations/record/conversation-deps.ts';
import type { ConversationRow } from '../../conversations/record/conversations.sql.ts';
import { sentencesIn } from '../../conversations/sentences/sentences.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { ANSWERED, finishCall, type CallRow, type TransferStatus } from '../calls.sql.ts';
import { isTransferred, Settled, TRANSFERRED } from '../settle-call.ts';
import { answerTransfer, failTransfer } from './acts.sql.ts';

/**
 * Handles an answered transfer: ends the conversation, and accepts the escalation that requested the transfer. If
 * `isOver` is true, both parties have already hung up, and the call is completed as well. A repeated report changes
 * nothing.
 */
export async function somebodyCame(
  deps: ConversationDeps,
  call: CallRow,
  { isOver }: { isOver: boolean },
): Promise<void> {
  const { id, namespace, conversationId } = call;
  const note = async (db: Db): Promise<boolean> =>
    isOver
      ? (await finishCall(db, { id, from: ANSWERED, ...TRANSFERRED })) !== undefined
      : answerTransfer(db, call);
  if (isTransferred(call) || conversationId === null) return void (await note(deps.pool));
  await acceptFor(deps, call);
  const about = {
    namespace,
    id: conversationId,
    reason: 'transferred',
    outcome: 'escalated',
  } as const;
  try {
    await endConversation(deps, about, async (db) => {
      if (!(await note(db))) throw new Settled();
    });
  } catch (error) {
    if (error instanceof Settled) return;
    if (!(error instanceof ApiError)) throw error;
    // The conversation was ended by another request or was erased. The result of the transfer must be stored anyway.
    await note(deps.pool);
  }
}

/**
 * Accepts the escalation on behalf of the human agent who answered the transfer. Does nothing if the escalation was
 * already accepted or has ended.
 */
async function acceptFor(deps: ConversationDeps, call: CallRow): Promise<void> {
  const { namespace, transferEscalationId: id, transferTo: to } = call;
  if (id === null || to === null) return;
  const acceptedBy = { id: to, name: to };
  await acceptEscalation(deps, { namespace, id, acceptedBy, heartbeatSec: null }).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    },
  );
}

/** Returns a silence timeout that lasts at least until the time for a human agent to accept the escalation is over. */
async function silenceWhileWaiting(
  db: Db,
  { namespace, transferEscalationId: id }: CallRow,
  { silenceTimeoutSec }: ConversationRow,
): Promise<number> {
  const escalation = id === null ? undefined : await readEscalation(db, { namespace, id });
  const timeoutSec = escalation ? timeoutOf(escalation) : DEFAULT_TIMEOUT_SEC;
  return silenceWhileEscalated(silenceTimeoutSec, timeoutSec);
}

/**
 * Handles a transfer that nobody answered: the caller returns to the same conversation. Once the carrier has
 * reconnected the caller, the agent says that nobody answered, or asks the caller to wait if an escalation is still
 * open. Does nothing for a repeated report or a conversation that has ended.
 */
export async function nobodyCame(
  deps: ConversationDeps,
  call: CallRow,
  { why, language }: { why: TransferStatus; language: string | undefined },
): Promise<void> {
  const { id, namespace, conversationId, transfers } = call;
  if (conversationId === null) return;
  try {
    await inConversation(deps, async ({ db }) => {
      const row = await lockLive(db, { namespace, id: conversationId });
      const isWaiting = row.status === 'escalated';
      const words = sentencesIn(language);
      const failed = { id, transfers, why, sayFrom: row.turnCount };
      if (!(await failTransfer(db, failed))) throw new Settled();
      await addSystemTurn(db, row, {
        role: 'agent',
        text: isWaiting ? words.waiting : words.unreached,
        status: isWaiting ? 'escalated' : 'active',
        tally: row.tally,
        silenceSec: isWaiting ? await silenceWhileWaiting(db, call, row) : row.silenceTimeoutSec,
      });
    });
  } catch (error) {
    if (error instanceof Settled || error instanceof ApiError) return;
    throw error;
  }
  deps.changed(conversationId);
}
