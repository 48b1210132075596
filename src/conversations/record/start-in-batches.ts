import { readLiveContents } from '../../agents/agent-versions.sql.ts';
import { newUuid } from '../../ids.ts';
import { activeTraceparent } from '../../platform/observability/trace-context.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { createGroupCommit, SHARED_CHARS_MAX } from '../../platform/postgres/group-commit.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { inConversation, type ConversationDeps } from './conversation-deps.ts';
import { insertConversations, type ConversationRow } from './conversations.sql.ts';
import { insertFirstTurns } from './turns.sql.ts';
import {
  emitStart,
  prepareStart,
  startConversation,
  unitOf,
  type ConversationToStart,
  type Numbered,
} from './start-conversation.ts';

/**
 * Starts a conversation by request of an API client. Concurrent requests share the statements and the commit of one
 * transaction, which starts the conversations with the live version. Requests for a certain version, for a test, with
 * large variables, or with `beforeCommit` have their own transaction, and so has each request that is refused.
 * @throws ApiError as `startConversation`
 */
export type StartInBatches = (
  start: ConversationToStart,
  beforeCommit?: CommitHook<ConversationRow>,
) => Promise<ConversationRow>;

type Item = Numbered & { traceparent: string | undefined };

/** `batchPool` has the settings `BATCH_SETTINGS`. */
export function createStartInBatches(deps: ConversationDeps & { batchPool: Pool }): StartInBatches {
  const commit = createGroupCommit((items: readonly Item[]) =>
    startTogether({ ...deps, pool: deps.batchPool }, items),
  );
  return async (start, beforeCommit = noCommitHook) => {
    if (isShared(start) && beforeCommit === noCommitHook) {
      const item = { ...start, id: newUuid(deps.nowMs()), traceparent: activeTraceparent() };
      const started = await commit(item);
      if (started) return started;
    }
    return startConversation(deps, start, beforeCommit);
  };
}

function isShared({ version, test, brought, variables, metadata }: ConversationToStart): boolean {
  if (version !== undefined || test || brought) return false;
  return JSON.stringify([variables, metadata]).length <= SHARED_CHARS_MAX;
}

/**
 * Starts conversations in one transaction. The result is undefined for one whose agent does not exist or has no live
 * version.
 */
async function startTogether(
  deps: ConversationDeps,
  items: readonly Item[],
): Promise<(ConversationRow | undefined)[]> {
  const inserted = await inConversation(deps, async ({ db, emit, send }) => {
    const asked = items.map((item) => ({ ...item, unit: unitOf(item) }));
    const live = await readLiveContents(db, asked);
    const starts = items.flatMap((item, i) => {
      const { version = null, content = null, rollout = null } = live[i] ?? {};
      if (version === null || content === null) return [];
      return [{ ...prepareStart(item, { version, content, rollout }), item }];
    });
    const rows = insertConversations(
      db,
      starts.map(({ row }) => row),
    );
    send(rows);
    send(
      insertFirstTurns(
        db,
        starts.flatMap(({ firstTurns }) => firstTurns),
      ),
    );
    for (const { row, item } of starts) {
      await emitStart(emit, row, { traceparent: item.traceparent });
    }
    return { rows };
  });
  const byId = new Map((await inserted.rows).map((row) => [row.id, row]));
  return items.map(({ id }) => byId.get(id));
}
