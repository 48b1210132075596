import { readVersion } from '../../agents/agent-versions.sql.ts';
import type { AgentContent } from '../../agents/agent.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { closeEscalationRow, markMissed, type EscalationRow } from './escalations.sql.ts';
import { closedMessage } from './opening-hours.ts';
import { summarizeSoFar } from '../record/summarize.ts';
import { fillPlaceholders } from '../record/fill-placeholders.ts';
import { sentencesIn } from '../sentences/sentences.ts';
import type { Tally } from '../record/tally.ts';
import {
  lockConversationOf,
  requireAcceptedBy,
  statusError,
  timeoutOf,
} from './accept-escalation.ts';
import {
  inConversation,
  type ConversationDeps,
  type ConversationTransaction,
} from '../record/conversation-deps.ts';
import {
  addSystemTurn,
  countRequest,
  openEscalation,
  silenceWhileEscalated,
} from './request-escalation.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';

/**
 * Status of an escalation that is closed while its conversation continues. The agent then replies again
 * (contract/escalations.md#waiting).
 */
export type Closing = 'declined' | 'timed_out' | 'completed';

const RULES = {
  declined: { from: 'requested', counts: 'declined' },
  timed_out: { from: 'requested', counts: 'timedOut' },
  completed: { from: 'accepted', counts: undefined },
} as const;

/**
 * Ends an escalation before its conversation ends, and lets the agent continue. If the escalation timed out during the
 * agent's opening hours and has a fallback team, asks that team instead.
 * @throws ApiError not_found, escalation_closed; already_accepted (declining), escalation_not_accepted (completing)
 */
export async function closeEscalation(
  deps: ConversationDeps,
  input: { namespace: string; id: string; to: Closing; by?: string | null },
  beforeCommit?: CommitHook<EscalationRow>,
): Promise<EscalationRow> {
  const { from, counts } = RULES[input.to];
  const closed = await inConversation(
    deps,
    async (transaction) => {
      const { db, count } = transaction;
      const conversation = await lockConversationOf(db, input);
      const summary =
        conversation && from === 'accepted'
          ? summarizeSoFar(conversation, { isWaiting: false })
          : null;
      if (input.to === 'completed') await requireAcceptedBy(db, input, input.by ?? null);
      const row = await closeEscalationRow(db, input.id, { from, to: input.to, summary });
      if (!row || !conversation) throw await statusError(db, input);
      const isNext = input.to === 'timed_out' && row.fallbackTeam !== null;
      const content = await contentOf(db, conversation);
      const words = sentencesIn(content.language);
      if (isNext && isSomebodyThere(content, conversation)) {
        await askNext({ ...transaction, deps }, conversation, { row, text: words.othersAsked });
        return row;
      }
      if (input.to === 'timed_out') await markMissed(db, row.id);
      await addSystemTurn(db, conversation, {
        text:
          from === 'requested'
            ? words.nobodyFree
            : fillPlaceholders(words.left, { name: row.acceptedBy?.name ?? '' }),
        status: 'active',
        tally: counts === undefined ? conversation.tally : countOne(conversation.tally, counts),
        silenceSec: conversation.silenceTimeoutSec,
      });
      count(conversation, input.to);
      return row;
    },
    beforeCommit,
  );
  deps.changed(closed.conversationId);
  return closed;
}

async function contentOf(
  db: Db,
  { agentId, agentVersion }: LiveConversation,
): Promise<Pick<AgentContent, 'escalation' | 'language'>> {
  return (await readVersion(db, { agentId, version: agentVersion }))?.content ?? {};
}

/**
 * Returns true during the agent's opening hours, or if it has none. Outside these hours, nobody can accept, so the
 * agent continues.
 */
function isSomebodyThere(
  content: Pick<AgentContent, 'escalation' | 'language'>,
  { startedAt, ageMs }: LiveConversation,
): boolean {
  return closedMessage(content, startedAt + ageMs) === undefined;
}

/**
 * Requests a human agent from the fallback team, because nobody in the first team accepted. This happens once per
 * escalation. The user keeps waiting.
 */
async function askNext(
  transaction: ConversationTransaction & { deps: ConversationDeps },
  conversation: LiveConversation,
  { row: { reason, fallbackTeam: team, ...row }, text }: { row: EscalationRow; text: string },
): Promise<void> {
  const timeoutSec = timeoutOf(row);
  const updated = await addSystemTurn(transaction.db, conversation, {
    text,
    status: 'escalated',
    tally: countRequest(countOne(conversation.tally, 'timedOut')),
    silenceSec: silenceWhileEscalated(conversation.silenceTimeoutSec, timeoutSec),
  });
  transaction.count(conversation, 'timed_out');
  await openEscalation(transaction, updated, {
    reason,
    timeoutSec,
    team,
    fallbackTeam: null,
    telephone: null,
  });
}

function countOne(tally: Tally, what: 'declined' | 'timedOut'): Tally {
  const escalations = { ...tally.escalations, [what]: tally.escalations[what] + 1 };
  return { ...tally, escalations };
}
