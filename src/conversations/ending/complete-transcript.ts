import { fromUuid } from '../../ids.ts';
import {
  lockWithoutSummary,
  setSummary,
  type ConversationRow,
} from '../record/conversations.sql.ts';
import {
  inConversation,
  transcriptUrl,
  type ConversationDeps,
} from '../record/conversation-deps.ts';
import { summarize } from '../record/summarize.ts';
import { countUsage } from '../record/tally.ts';
import type { Judgement } from '../record/judgement.ts';
import type { EventData } from '../../events/event-types.ts';
import type { Judged } from '../judging/ask-judge.ts';
import { VERDICT_OUTCOMES } from '../judging/verdict.ts';

/**
 * Result of a model's judgement: the verdict or an error. `isOutcomeStated` is true if the party that ended the
 * conversation stated an outcome. The verdict does not replace a stated outcome.
 */
export type Judging =
  | { judged: Judged; isOutcomeStated: boolean }
  | { error: NonNullable<Judgement['error']> };

/** Result if the model did not respond in time, or if the process that requested the judgement died. */
const LOST: Judging = {
  error: {
    code: 'not_judged',
    detail: 'The model did not judge the conversation in time, so a rule determined the outcome.',
  },
};

/**
 * Stores the summary of an ended conversation, and emits the event that reports its complete transcript. Does nothing
 * if there already is a summary, so a repeated call is harmless. `judging` is the result of the judgement by a model.
 * It is undefined if the process that should have judged the conversation has died, or if an earlier release ended the
 * conversation without a summary.
 */
export function completeTranscript(
  deps: Omit<ConversationDeps, 'judge'>,
  id: string,
  judging?: Judging,
): Promise<ConversationRow | undefined> {
  return inConversation(deps, async ({ db, emit }) => {
    const ended = await lockWithoutSummary(db, id);
    if (!ended) return undefined;
    const byRule = { ...ended, summary: summarize(ended) };
    const outOfTime = ended.judgeUntil === null ? undefined : LOST;
    const row = withJudgement(byRule, judging ?? outOfTime);
    await setSummary(db, row);
    await emit(row, transcriptReady(deps, row));
    return row;
  });
}

/** Builds the event that reports the complete transcript. The conversation must have ended and have a summary. */
export function transcriptReady(
  deps: Pick<ConversationDeps, 'baseUrl'>,
  row: ConversationRow,
): { type: 'conversation.transcript.ready'; data: EventData<'conversation.transcript.ready'> } {
  return {
    type: 'conversation.transcript.ready',
    data: {
      conversation_id: fromUuid('conv', row.id),
      agent_id: fromUuid('agt', row.agentId),
      agent_version: row.agentVersion,
      transcript_url: transcriptUrl(deps, row.id),
      // The defaults are never used, because these values were set when the conversation ended or was judged.
      summary: row.summary ?? '',
      turns: row.turnCount,
      outcome: row.outcome ?? 'unknown',
      csat_predicted: row.csatPredicted ?? 1,
      ...told(row.judgement),
    },
  };
}

type Completed = ConversationRow & { summary: string };

/**
 * Applies the model's verdict. The verdict does not replace an outcome that the party who ended the conversation
 * stated, nor an outcome that follows from facts, such as `escalated` (see `VERDICT_OUTCOMES`). `by_rule` keeps the
 * result of the rules.
 */
function withJudgement(byRule: Completed, judging: Judging | undefined): Completed {
  if (judging === undefined) return byRule;
  const { summary, outcome, csatPredicted } = byRule;
  const ruled = {
    by_rule: { summary, outcome: outcome ?? 'unknown', csat_predicted: csatPredicted ?? 1 },
  };
  if ('error' in judging) return { ...byRule, judgement: { ...NOT_JUDGED, ...ruled, ...judging } };
  const { verdict, reply } = judging.judged;
  const isOpen = VERDICT_OUTCOMES.some((one) => one === outcome) && !judging.isOutcomeStated;
  const { inputTokens, outputTokens, cachedInputTokens, estimated } = reply.usage;
  const usage = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cached_input_tokens: cachedInputTokens,
    estimated,
  };
  const { cost } = reply;
  return {
    ...byRule,
    tally: countUsage(byRule.tally, [{ usage, cost }]),
    summary: verdict.summary,
    outcome: isOpen ? verdict.outcome : outcome,
    csatPredicted: verdict.satisfaction,
    judgement: {
      provider: reply.provider,
      model: reply.model,
      topics: verdict.topics,
      open_questions: verdict.openQuestions,
      ...ruled,
      usage,
      cost,
      duration_ms: reply.durationMs,
      error: null,
    },
  };
}

const NOT_JUDGED = {
  provider: null,
  model: null,
  topics: [],
  open_questions: [],
  usage: null,
  cost: null,
  duration_ms: null,
};

/** Returns the judgement fields for the event, or no fields if no model judged the conversation. */
function told(
  judgement: Judgement | null,
): Pick<EventData<'conversation.transcript.ready'>, 'judgement'> {
  if (!judgement || judgement.provider === null || judgement.model === null) return {};
  const { provider, model, topics, open_questions, by_rule } = judgement;
  return { judgement: { provider, model, topics, open_questions, by_rule } };
}
