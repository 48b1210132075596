import {
  createPeriodic,
  type Periodic,
  type PeriodicRun,
} from '../../platform/controller/periodic.ts';
import type { Retention } from '../../config.ts';
import { createRetention } from '../../erasure/retention.ts';
import { createReaper } from '../../conversations/ending/reaper.ts';
import { createTakeTurn, type TakeTurn } from '../../conversations/turns/take-turn.ts';
import { createExtractiveResponder } from '../../conversations/turns/extractive-responder.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { ConversationDeps } from '../../conversations/record/conversation-deps.ts';
import { forgetOldMarks } from '../../platform/idempotency/idempotency.ts';
import { createGenAi } from '../../platform/observability/gen-ai.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { createKeyUse, type KeyUse } from '../../access/key-use.ts';
import { runReplayJobs, type ReplayRunnerDeps } from '../../webhooks/replay/run-replay-jobs.ts';
import { createCallPlayer } from '../../calls/play-calls.ts';
import { observeResponder } from './observed-turns.ts';
import { PROVIDERS } from '../../calls/providers/providers.ts';

/**
 * What the API role does besides answering. Every part looks by itself for what there is to do, in
 * the database and by its clock: any number of processes may run them, and the others find what a
 * process that died left unfinished.
 */
export type Maintenance = {
  parts: readonly Periodic[];
  takeTurn: TakeTurn;
  noteKeyUse: KeyUse['note'];
  wakeJobs: () => void;
  wakeCalls: () => void;
};

export type MaintenanceDeps = ReplayRunnerDeps & {
  conversations: ConversationDeps;
  /** Monotonic. */
  clockMs: () => number;
  retention: Retention;
  metrics: Metrics;
  log: Logger;
};

export function createMaintenance(deps: MaintenanceDeps): Maintenance {
  const { pool, conversations, clockMs, log } = deps;
  const periodic = (what: string, everyMs: number, run: PeriodicRun) =>
    createPeriodic({ what, everyMs, run, log });
  const keyUse = createKeyUse({ pool, nowMs: clockMs, onPending: () => keyUseWriter.wake() });
  const keyUseWriter = periodic('noting when API keys were used', 10_000, keyUse.write);
  const jobs = periodic('a replay job', 1_000, (signal) => runReplayJobs(deps, signal));
  const marks = periodic('removing answers of a day ago', 60_000, () => forgetOldMarks({ pool }));
  const takeTurn = createTakeTurn({
    ...conversations,
    clockMs,
    respond: observeResponder(
      createExtractiveResponder({ nowMs: clockMs }),
      createGenAi(deps.metrics),
    ),
  });
  const calls = createCallPlayer({ ...conversations, takeTurn, providers: PROVIDERS, log });
  const reaper = createReaper({ ...conversations, log });
  const retention = createRetention(deps);
  return {
    parts: [keyUseWriter, jobs, marks, calls, reaper, retention],
    takeTurn,
    noteKeyUse: keyUse.note,
    wakeJobs: jobs.wake,
    wakeCalls: calls.wake,
  };
}
