import { createPeriodic, type Periodic } from '../../platform/controller/periodic.ts';
import { ApiError, reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { closeEscalation } from '../escalations/close-escalation.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import {
  isAnyDue,
  listDeletedAgents,
  listExpired,
  listLiveOf,
  listWithoutSummary,
  noneGoesOn,
  type DeletedAgent,
} from './due.sql.ts';
import { endConversation, endExpired } from './end-conversation.ts';
import { completeTranscript } from './complete-transcript.ts';
import { listTimedOut, listVanished } from '../escalations/escalations.sql.ts';
import { requestEscalation } from '../escalations/request-escalation.ts';
import {
  listAbortedRollouts,
  listWithAborted,
  noneIsLeft,
  type AbortedRollout,
} from './rollout-escalations.sql.ts';
import { releaseEscalation } from '../escalations/release-escalation.ts';

const EVERY_MS = 1_000;
/** Maximum number of items per step and run. After a full batch, the next run follows immediately. */
const BATCH = 100;

export type ReaperDeps = ConversationDeps & {
  /** Functions that find and settle the turns of killed processes. */
  lostTurns: {
    list: (limit: number) => Promise<{ id: string }[]>;
    settle: (turn: { id: string }) => Promise<unknown>;
  };
  log: Logger;
};

/**
 * Creates the reaper, which ensures that nothing stays open forever. The reaper settles the turns of killed processes,
 * ends conversations that have expired or whose agent was deleted, and writes summaries that are missing after a crash.
 * If nobody accepts an escalation in time, it asks the fallback team or lets the agent continue. If a human agent has
 * accepted an escalation but stopped sending heartbeats, it requests a different human agent. If the `onAbort` of an
 * aborted rollout is `Escalate`, it requests a human in each conversation in progress on the new version.
 *
 * Several processes may run the reaper concurrently: each step checks again under a lock, and skips what another
 * process has locked.
 */
export function createReaper(deps: ReaperDeps): Periodic {
  return createPeriodic({
    what: 'ending expired conversations',
    everyMs: EVERY_MS,
    log: deps.log,
    run: async (signal) => (await isAnyDue(deps.pool)) && runReaper(deps, signal),
  });
}

/** Runs every step once. Returns true if there is more to do immediately. */
export async function runReaper(deps: ReaperDeps, signal: AbortSignal): Promise<boolean> {
  const { pool, lostTurns } = deps;
  // The order matters. Lost turns must be settled before their conversation ends. If an escalation timeout and a
  // silence timeout are both due, the agent continues first, which restarts the silence timeout.
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
    await eachOf(deps, signal, await listAbortedRollouts(pool, BATCH), (rollout) =>
      escalateThoseOf(deps, signal, rollout),
    ),
  ];
  return done.some((count) => count === BATCH);
}

/** Ends the conversations of a deleted agent, at most `BATCH` of them. The next run handles the rest. */
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

/**
 * Requests a human for the conversations of an aborted rollout, at most `BATCH` of them. The next run handles the rest.
 */
async function escalateThoseOf(
  deps: ReaperDeps,
  signal: AbortSignal,
  rollout: AbortedRollout,
): Promise<void> {
  const live = await listWithAborted(deps.pool, rollout, BATCH);
  const { reason } = rollout;
  await eachOf(deps, signal, live, (key) =>
    requestEscalation(deps, { ...key, reason, team: null }),
  );
  if (live.length === 0) await noneIsLeft(deps.pool, rollout);
}

/** Runs `act` for each item. A failed item does not stop the others. Returns the number of items that succeeded. */
async function eachOf<Item extends { id: string } | { agentId: string }>(
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
      // Another process or caller has already handled this item.
      if (error instanceof ApiError) continue;
      const id = 'id' in item ? item.id : item.agentId;
      const about = { reason: reasonOf(error), id };
      log.warn(about, 'ending a conversation failed; retrying');
    }
  }
  return done;
}
