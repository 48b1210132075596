import { activeTraceparent } from '../../platform/observability/trace-context.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { createGroupCommit } from '../../platform/postgres/group-commit.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { inConversation, type ConversationDeps } from '../record/conversation-deps.ts';
import { lockAvailable, type ConversationRow } from '../record/conversations.sql.ts';
import type { Outcome } from '../record/outcomes.ts';
import { endConversationRows, readEndFacts } from './end-conversation.sql.ts';
import { afterEnd, emitEnd, endConversation } from './end-conversation.ts';
import { endedRow } from './settle-end.ts';

type ToEnd = { namespace: string; id: string; outcome?: Outcome | undefined };
type Item = ToEnd & { traceparent: string | undefined };

/**
 * Ends a conversation by request of an API client. Concurrent requests share the statements and the commit of one
 * transaction, which ends the conversations that need nothing else: those without a turn in progress and without an
 * open escalation. All others, and requests with `beforeCommit`, have their own transaction.
 * @throws ApiError not_found, conversation_ended
 */
export type EndInBatches = (
  end: ToEnd,
  beforeCommit?: CommitHook<ConversationRow>,
) => Promise<ConversationRow>;

/** `batchPool` has the settings `BATCH_SETTINGS`. */
export function createEndInBatches(deps: ConversationDeps & { batchPool: Pool }): EndInBatches {
  const commit = createGroupCommit((items: readonly Item[]) =>
    endTogether({ ...deps, pool: deps.batchPool }, items),
  );
  return async (end, beforeCommit = noCommitHook) => {
    if (beforeCommit === noCommitHook) {
      const ended = await commit({ ...end, traceparent: activeTraceparent() });
      if (ended) {
        afterEnd(deps, ended, { isOutcomeStated: end.outcome !== undefined });
        return ended;
      }
    }
    return endConversation(deps, { ...end, reason: 'api' }, beforeCommit);
  };
}

/** Ends conversations in one transaction. The result is undefined for a conversation that needs its own transaction. */
async function endTogether(
  deps: ConversationDeps,
  items: readonly Item[],
): Promise<(ConversationRow | undefined)[]> {
  // If two requests end the same conversation, the first one ends it, and the other one is refused below.
  const asked = new Map(items.toReversed().map((item) => [item.id, item]));
  const ended = await inConversation(deps, async ({ db, emit, send }) => {
    const keys = [...asked.values()];
    const [locked, facts] = await Promise.all([
      lockAvailable(db, keys),
      readEndFacts(db, [...asked.keys()]),
    ]);
    const factsById = new Map(facts.map((one) => [one.id, one]));
    const rows = locked.flatMap((row) => {
      const of = factsById.get(row.id)!; // The row exists, because it is locked.
      if (of.hasLiveTurn || of.hasOpenEscalation) return [];
      return [endedRow(row, { reason: 'api', outcome: asked.get(row.id)?.outcome, facts: of })];
    });
    send(endConversationRows(db, rows));
    for (const one of rows) {
      const { traceparent } = asked.get(one.row.id)!; // Only requested conversations are locked.
      await emitEnd({ emit, deps }, one, { reason: 'api', traceparent });
    }
    return new Map(rows.map(({ row }) => [row.id, row]));
  });
  // A request without a result runs alone. It then fails with the error that fits.
  return items.map((item) => (asked.get(item.id) === item ? ended.get(item.id) : undefined));
}
