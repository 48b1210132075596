import { clearTimeout, setTimeout, timeoutSignal } from '../../clock.ts';
import { readVersion } from '../../agents/agent-versions.sql.ts';
import { reasonOf } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { ModelError, type FindModel } from '../../models/model.ts';
import { createFairQueue, type FairQueueMetrics } from '../../platform/controller/fair-queue.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { outsideOfTraces } from '../../platform/observability/trace-context.ts';
import { askJudge, TURNS_MAX } from '../judging/ask-judge.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import type { ConversationRow } from '../record/conversations.sql.ts';
import { readLastTurns } from '../record/turns.sql.ts';
import { completeTranscript, type Judging } from './complete-transcript.ts';

/**
 * Maximum number of concurrent judgements in a process (`PLACES`), and how many of them one namespace may use
 * (`SHARE`). Both are low, because replies to users who are talking have priority. If the provider of a namespace
 * hangs, the other half of the slots remains for other namespaces.
 */
const PLACES = 8;
const SHARE = 4;
/**
 * Maximum number of queued judgements. If the queue is full, a conversation gets the summary and outcome that are
 * computed without a model.
 */
const WAITING_MAX = { namespace: 200, all: 1_000 };
/** Timeout in ms for the model's response. */
const ANSWER_MS = 30_000;
/** Time in ms that a stopping process waits for judgements in progress. */
const GRACE_MS = 5_000;

type Ended = { row: ConversationRow; isOutcomeStated: boolean };

export type Judge = {
  /** Queues a conversation for judgement. Never waits or throws. */
  take: (ended: Ended) => void;
  /**
   * Shuts the queue down, and resolves when every conversation in it has a summary. Judgements in progress have five
   * seconds to finish. All other conversations get the summary and outcome that are computed without a model.
   */
  stop: () => Promise<void>;
};

type Deps = Omit<ConversationDeps, 'judge'> & {
  findModel: FindModel;
  log: Logger;
  metrics: FairQueueMetrics;
};

/**
 * Creates a queue in which models judge the conversations that this process has ended. A few judgements run
 * concurrently. After each judgement, the queue stores the summary and emits the event that reports the complete
 * transcript. A conversation is judged at most once. If the process dies, the reaper completes the transcript without a
 * judgement. Each judgement costs two queries and one transaction.
 */
export function createJudge(deps: Deps): Judge {
  const { metrics } = deps;
  const queue = createFairQueue({
    kind: 'judgements',
    places: PLACES,
    share: SHARE,
    waitingMax: WAITING_MAX,
    metrics,
  });
  const taken = new Set<Promise<void>>();
  const stopping = new AbortController();
  const cutting = new AbortController();

  async function judgeInTurn(ended: Ended): Promise<void> {
    try {
      await queue.run(
        ended.row.namespace,
        () => judge(deps, ended, cutting.signal),
        stopping.signal,
      );
    } catch {
      // The queue is full, or the process is stopping.
      await settle(deps, ended.row, { error: BUSY });
    }
  }

  return {
    take: (ended) => {
      const job = outsideOfTraces(() => judgeInTurn(ended)).finally(() => taken.delete(job));
      taken.add(job);
    },
    stop: async () => {
      stopping.abort(new Error('the process is shutting down'));
      const timer = setTimeout(() => cutting.abort(), GRACE_MS);
      await Promise.all(taken);
      clearTimeout(timer);
      cutting.abort();
    },
  };
}

const BUSY = {
  code: 'not_judged',
  detail: 'The model did not judge the conversation in time, so a rule determined the outcome.',
};
const NO_MODEL = {
  code: 'no_model',
  detail: 'No model can judge the conversation: set `provider` in `judgement.model` or in `model`.',
};

async function judge(
  deps: Deps,
  { row, isOutcomeStated }: Ended,
  cutting: AbortSignal,
): Promise<void> {
  // After `judgeUntil`, the reaper completes the transcript, so a later verdict would cost money but have no effect.
  const leftMs = Math.min(ANSWER_MS, (row.judgeUntil ?? 0) - deps.nowMs());
  if (leftMs <= 0) return settle(deps, row, { error: BUSY });
  const signal = AbortSignal.any([cutting, timeoutSignal(leftMs)]);
  const about = { conversationId: fromUuid('conv', row.id) };
  let judging: Judging;
  try {
    judging = await ask(deps, row, { isOutcomeStated, signal });
  } catch (error) {
    const why = signal.aborted ? BUSY : failureOf(error);
    judging = { error: why };
    deps.log.warn({ ...about, ...why, reason: reasonOf(error) }, 'judging a conversation failed');
  }
  await settle(deps, row, judging);
}

async function ask(
  { pool, findModel }: Deps,
  { id, namespace, agentId, agentVersion }: ConversationRow,
  { isOutcomeStated, signal }: { isOutcomeStated: boolean; signal: AbortSignal },
): Promise<Judging> {
  const [version, turns] = await Promise.all([
    readVersion(pool, { agentId, version: agentVersion }),
    readLastTurns(pool, { conversationId: id, limit: TURNS_MAX }),
  ]);
  // The version or the turns have been deleted, so nobody will read the result.
  if (!version || turns.length === 0) return { error: BUSY };
  const judged = await askJudge(
    { findModel },
    { namespace, content: version.content, turns },
    signal,
  );
  return judged ? { judged, isOutcomeStated } : { error: NO_MODEL };
}

function failureOf(error: unknown): { code: string; detail: string } {
  return error instanceof ModelError
    ? { code: error.code, detail: error.message }
    : { code: 'not_judged', detail: 'The judgement failed, so a rule determined the outcome.' };
}

/** Completes the transcript. If this fails, the reaper completes it later. */
async function settle(deps: Deps, { id, test }: ConversationRow, judging: Judging): Promise<void> {
  try {
    const done = await completeTranscript(deps, id, judging);
    if (done && !test) deps.metrics.judgements.inc({ result: resultOf(judging) });
  } catch (error) {
    deps.log.warn({ reason: reasonOf(error) }, 'completing a transcript failed; retrying');
  }
}

function resultOf(judging: Judging): 'judged' | 'late' | 'failed' {
  if ('judged' in judging) return 'judged';
  return judging.error === BUSY ? 'late' : 'failed';
}
