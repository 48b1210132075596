import {
  createPeriodic,
  type Periodic,
  type PeriodicRun,
} from '../../platform/controller/periodic.ts';
import type { Retention } from '../../config.ts';
import { createRetention } from '../../erasure/retention.ts';
import { createReaper } from '../../conversations/ending/reaper.ts';
import type { LiveTurns } from '../../conversations/turns/live-turns.ts';
import { lostTurns } from '../../conversations/turns/settle-lost-turn.ts';
import {
  createTakeTurn,
  type TakeTurn,
  type TakeTurnDeps,
} from '../../conversations/turns/take-turn.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { ConversationDeps } from '../../conversations/record/conversation-deps.ts';
import { forgetOldMarks } from '../../platform/idempotency/idempotency.ts';
import { createGenAi } from '../../platform/observability/gen-ai.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { forgetOldSessions } from '../../access/end-session.ts';
import { createKeyUse, type KeyUse } from '../../access/key-use.ts';
import type { SearchWays } from '../../knowledge/search-knowledge.ts';
import { runReplayJobs, type ReplayRunnerDeps } from '../../webhooks/replay/run-replay-jobs.ts';
import { createCallPlayer } from '../../calls/play-calls.ts';
import { observeResponder } from './observed-turns.ts';
import type { TransportOf } from '../../calls/transports/transport.ts';

/**
 * Background work of the API role. Each part finds its work itself, in the database and by its clock. So any number of
 * processes may run it, and they complete what a dead process left unfinished.
 */
export type Maintenance = {
  parts: readonly Periodic[];
  takeTurn: TakeTurn;
  noteKeyUse: KeyUse['note'];
  wakeJobs: () => void;
  wakeCalls: () => void;
};

/** Responder, and whether its replies take time. */
export type WhoReplies = Pick<TakeTurnDeps, 'respond'> &
  Pick<NonNullable<TakeTurnDeps['live']>, 'takesTime'>;

export type MaintenanceDeps = ReplayRunnerDeps & {
  conversations: ConversationDeps;
  transportOf: TransportOf;
  turns: LiveTurns;
  /** Monotonic clock. */
  clockMs: () => number;
  responder: WhoReplies;
  ways: SearchWays;
  retention: Retention;
  metrics: Metrics;
  log: Logger;
};

export function createMaintenance(deps: MaintenanceDeps): Maintenance {
  const { pool, conversations, turns, responder, clockMs, log } = deps;
  const periodic = (what: string, everyMs: number, run: PeriodicRun) =>
    createPeriodic({ what, everyMs, run, log });
  const keyUse = createKeyUse({ pool, nowMs: clockMs, onPending: () => keyUseWriter.wake() });
  const keyUseWriter = periodic('noting when API keys were used', 10_000, keyUse.write);
  const jobs = periodic('a replay job', 1_000, (signal) => runReplayJobs(deps, signal));
  const marks = periodic('removing answers of a day ago', 60_000, () => forgetOldMarks({ pool }));
  const sessions = periodic('removing old sessions', 600_000, () => forgetOldSessions({ pool }));
  const respond = observeResponder(responder.respond, { genAi: createGenAi(deps.metrics), log });
  const live = { turns, takesTime: responder.takesTime };
  const takeTurn = createTakeTurn({
    ...conversations,
    clockMs,
    respond,
    live,
    ways: deps.ways,
  });
  const calls = createCallPlayer({
    ...conversations,
    takeTurn,
    transportOf: deps.transportOf,
    log,
  });
  const reaper = createReaper({ ...conversations, lostTurns: lostTurns(conversations), log });
  const retention = createRetention(deps);
  return {
    parts: [keyUseWriter, jobs, marks, sessions, calls, reaper, retention, turns.renewal],
    takeTurn,
    noteKeyUse: keyUse.note,
    wakeJobs: jobs.wake,
    wakeCalls: calls.wake,
  };
}
