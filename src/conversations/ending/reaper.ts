import { createPeriodic, type Periodic } from '../../platform/controller/periodic.ts';
import { ApiError, reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { closeEscalation } from '../escalations/close-escalation.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import {
  listDeletedAgents,
  listLiveOf,
  noneGoesOn,
  type DeletedAgent,
} from './deleted-agents.sql.ts';
import { endConversation, endExpired } from './end-conversation.ts';
import { completeTranscript } from './complete-transcript.ts';
import { listExpired, listWithoutSummary } from '../record/conversations.sql.ts';
import { listTimedOut, listVanished } from '../escalations/escalations.sql.ts';
import { releaseEscalation } from '../escalations/release-escalation.ts';

const EVERY_MS = 1_000;
/** Handled in one run; after a full batch the next run follows at once. */
const BATCH = 100;

export type ReaperDeps = ConversationDeps & {
  /** Turns of killed processes. */
  lostTurns: {
    list: (limit: number) => Promise<{ id: string }[]>;
    settle: (turn: { id: string }) => Promise<unknown>;
  };
  log: Logger;
};

/**
 * Nothing stays open for ever: ends conversations whose time is over or whose agent was deleted, lets the agent go on where
 * nobody accepted an escalation in time, asks for another person where one has vanished, and writes the summaries that a crash left out. Any number
 * of processes may do so at once: each step checks again under lock and skips what another has
 * locked.
 */
export function createReaper(deps: ReaperDeps): Periodic {
  return createPeriodic({
    what: 'looking for conversations that are over',
    everyMs: EVERY_MS,
    log: deps.log,
    run: (signal) => runReaper(deps, signal),
  });
}

/** One run over everything. Returns whether there is more to do at once. */
export async function runReaper(deps: ReaperDeps, signal: AbortSignal): Promise<boolean> {
  const { pool, lostTurns } = deps;
  // In this order: what was said belongs before an end. And where both are due, the agent goes on and the silence is counted anew.
  const done = [
    await eachOf(deps, signal, await lostTurns.list(BATCH), lostTurns.settle),
    await eachOf(deps, signal, await listVanished(pool, BATCH), ({ namespace, id }) =>
      releaseEscalation(deps, { namespace, id, by: null, team: null, isDue: true }),
    ),
    await eachOf(deps, signal, await listTimedOut(pool, BATCH), ({ namespace, id }) =>
      closeEscalation(deps, { namespace, id, to: 'timed_out' }),
    ),
    await eachOf(deps, signal, await listExpired(pool, BATCH), ({ id }) => endExpired(deps, id)),
    await eachOf(deps, signal, await listWithoutSummary(pool, BATCH), ({ id }) =>
      completeTranscript(deps, id),
    ),
    await eachOf(deps, signal, await listDeletedAgents(pool, BATCH), (agent) =>
      endThoseOf(deps, signal, agent),
    ),
  ];
  return done.some((count) => count === BATCH);
}

/** Ends the conversations of a deleted agent, up to a batch of them; the rest by the next run. */
async function endThoseOf(
  deps: ReaperDeps,
  signal: AbortSignal,
  agent: DeletedAgent,
): Promise<void> {
  const live = await listLiveOf(deps.pool, agent, BATCH);
  await eachOf(deps, signal, live, (key) =>
    endConversation(deps, { ...key, reason: 'agent_deleted' }),
  );
  if (live.length === 0) await noneGoesOn(deps.pool, agent);
}

/** One that fails must not stop the others. Returns how many succeeded. */
async function eachOf<Item extends { id: string } | DeletedAgent>(
  { log }: ReaperDeps,
  signal: AbortSignal,
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<number> {
  let done = 0;
  for (const item of items) {
    if (signal.aborted) break;
    try {
      await act(item);
      done += 1;
    } catch (error) {
      // Somebody else was first.
      if (error instanceof ApiError) continue;
      const id = 'id' in item ? item.id : item.agentId;
      const about = { reason: reasonOf(error), id };
      log.warn(about, 'a conversation could not be brought to its end; tried again');
    }
  }
  return done;
}
