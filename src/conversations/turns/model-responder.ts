import { clearTimeout, setTimeout } from '../../clock.ts';
import type { FindModel, ModelReply } from '../../models/model.ts';
import type { KnowledgeHit } from '../../knowledge/passages/search-passages.ts';
import { hasSources } from '../../knowledge/search-knowledge.ts';
import { storable } from '../record/storable.ts';
import { sentencesIn } from '../sentences/sentences.ts';
import type { TurnError, TurnModel } from '../record/turns.sql.ts';
import type { MakeToolBox } from '../tools/tool.ts';
import { handOverAfter, handOverAtOnce } from './hand-over.ts';
import { retrievalOf } from './look-up.ts';
import type { Reply, Responder, ResponderRequest } from './responder.ts';
import { drawnFrom } from './thinking/drawn-from.ts';
import { createHistory } from './thinking/history.ts';
import { orAborted } from './thinking/or-aborted.ts';
import { emptyThought, isNoted, think, type Thought } from './thinking/think.ts';
import { toolTurnOf } from './thinking/tool-turns.ts';

/** Maximum duration of a turn. A longer turn ends with its partial reply. */
const TURN_TIMEOUT_MS = 120_000;

export type ModelResponderDeps = {
  findModel: FindModel;
  makeToolBox: MakeToolBox;
  /** Monotonic clock in ms. */
  nowMs: () => number;
  /** Responder that is used if no model is configured. */
  extractive: Responder;
  turnTimeoutMs?: number;
};

/**
 * Creates a responder that uses the agent's model and its tools (docs/conversations.md, the reply with a model).
 * Requests for a human are handled without calling the model. If the model fails, the responder does not throw, but
 * returns a reply with an `error`.
 */
export function createModelResponder(deps: ModelResponderDeps): Responder {
  const thinking = { ...deps, makeHistory: createHistory() };
  return async (request) => {
    const { content, conversation, signal } = request;
    if (signal.aborted) return { text: '', interrupted: true };
    const called = handOverAtOnce(request);
    if (called && 'handover' in called) {
      return sayOnly(request, sentencesIn(content.language).handOver, called);
    }
    if (called?.isAsked) return sayOnly(request, called.closed, { isClosed: true });
    const startedMs = deps.nowMs();
    const { namespace } = conversation;
    const model = await orAborted(deps.findModel({ namespace, model: content.model }), signal);
    if (signal.aborted) return { text: '', interrupted: true };
    if (!model) return deps.extractive(request);
    const thought = emptyThought(request);
    const watch = watchTurn(signal, deps.turnTimeoutMs ?? TURN_TIMEOUT_MS);
    try {
      await think(thinking, { request, signal: watch.signal, model, thought });
    } finally {
      watch.stop();
    }
    if (watch.hasRunOut() && !signal.aborted) thought.error = TURN_TIMEOUT;
    const elapsedMs = deps.nowMs() - startedMs;
    return replyOf(request, { thought, startedMs, elapsedMs, closed: called?.closed });
  };
}

/** Replies with a fixed text, without calling the model. */
function sayOnly(
  { emitToken }: ResponderRequest,
  text: string,
  after: Pick<Reply, 'handover' | 'isClosed'>,
): Reply {
  emitToken(text);
  return { text, ...after };
}

const TURN_TIMEOUT: TurnError = {
  code: 'turn_timeout',
  detail: 'The turn exceeded its time limit.',
};

/** Returns a signal that aborts with the request, or when the turn takes too long. */
function watchTurn(
  asked: AbortSignal,
  ms: number,
): { signal: AbortSignal; hasRunOut: () => boolean; stop: () => void } {
  const watch = new AbortController();
  const abort = (): void => watch.abort();
  let hasRunOut = false;
  const timer = setTimeout(() => {
    hasRunOut = true;
    abort();
  }, ms);
  asked.addEventListener('abort', abort, { once: true });
  return {
    signal: watch.signal,
    hasRunOut: () => hasRunOut,
    stop: () => {
      clearTimeout(timer);
      asked.removeEventListener('abort', abort);
    },
  };
}

function replyOf(
  request: ResponderRequest,
  of: { thought: Thought; startedMs: number; elapsedMs: number; closed: string | undefined },
): Reply {
  const { thought, startedMs, elapsedMs, closed } = of;
  const { signal, speaker } = request;
  const isInterrupted = signal.aborted;
  const error = isInterrupted ? undefined : (thought.error ?? silenceOf(thought));
  const drawn = drawnFrom(thought.text, thought.given, request.user.question);
  const outcome = isInterrupted || error ? {} : answerOf(request, { thought, drawn });
  const followUps: FollowUps = isInterrupted ? {} : followUpsOf(request, thought, outcome);
  const { closed: closedAfter = closed, ...after } = followUps;
  const told = isInterrupted || after.handover ? undefined : closedAfter;
  const text =
    thought.text + (isInterrupted ? '' : lastWords(request, { thought, error, after, told }));
  const toolTurns = [
    ...request.notedTools,
    ...thought.calls.filter(({ id }) => !isNoted(request, id)).map(toolTurnOf),
  ];
  const model = modelOf(thought, startedMs);
  return {
    text: storable(text),
    ...(toolTurns.length > 0 && { toolTurns, toolFailuresInRow: thought.failuresInRow }),
    ...retrievedIn(request, { thought, drawn }),
    ...outcome,
    ...after,
    ...(told !== undefined && { isClosed: true }),
    ...(thought.speaker !== speaker && { speaker: thought.speaker }),
    ...(model && { model }),
    ...(error && { error }),
    ...(isInterrupted && { interrupted: true }),
    latency: {
      ...(thought.retrievalMs > 0 && { retrieval_ms: rounded(thought.retrievalMs) }),
      model_ms: rounded(thought.modelMs),
      ...(toolTurns.length > 0 && { tools_ms: rounded(thought.toolsMs) }),
      platform_ms: rounded(Math.max(0, elapsedMs - thought.modelMs - thought.toolsMs)),
    },
  };
}

/** Returns an error if the model returned no text, unless a tool ended the conversation or requested a human. */
function silenceOf({ text, ends, transfer, replies }: Thought): TurnError | undefined {
  if (text !== '' || ends || transfer) return undefined;
  const { finishReason } = replies.at(-1) ?? {};
  if (finishReason === 'content_filter') {
    return {
      code: 'model_content_filter',
      detail: "The provider's content filter blocked the reply.",
    };
  }
  const detail =
    finishReason === 'length'
      ? 'The model used up `max_tokens` before it returned any text.'
      : 'The model returned an empty reply.';
  return { code: 'model_invalid_answer', detail };
}

type Drawn = { thought: Thought; drawn: readonly KnowledgeHit[] };
type Answer = Pick<Reply, 'answeredFrom' | 'unanswered'>;

/**
 * Returns whether the user's question was answered (`answeredFrom`) or revealed a gap in the agent's knowledge
 * (`unanswered`). Returns neither if the message asked nothing and no passage was used.
 */
function answerOf({ user }: ResponderRequest, { thought, drawn: [best] }: Drawn): Answer {
  const { given, found, speaker, isHelpedByTool } = thought;
  const isQuestion = user.question !== '' && !user.isRemark;
  const isKnowing = found.length > 0 || hasSources(speaker.content.knowledge);
  if (isQuestion && isKnowing && given.length === 0 && !isHelpedByTool) {
    const topScore = Math.max(0, ...found.map(({ score }) => score));
    return { unanswered: { question: user.question, topScore, closest: found } };
  }
  return isQuestion || best ? { answeredFrom: best?.heading ?? '' } : {};
}

type FollowUps = Pick<Reply, 'handover' | 'ends'> & { closed?: string };

/**
 * Returns what happens after the reply. A tool's request for a human takes precedence over ending the conversation, and
 * ending it takes precedence over a handoff rule.
 */
function followUpsOf(
  { conversation }: ResponderRequest,
  { speaker, transfer, ends, calls, failuresInRow }: Thought,
  { unanswered }: Answer,
): FollowUps {
  if (transfer) return { handover: transfer };
  if (ends) return { ends: 'agent_hangup' };
  const called = handOverAfter(
    { content: speaker.content, conversation },
    {
      unansweredInRow: unanswered ? conversation.tally.unansweredInRow + 1 : 0,
      toolFailuresInRow: calls.length > 0 ? failuresInRow : 0,
    },
  );
  if (!called) return {};
  return 'handover' in called ? called : { closed: called.closed };
}

/**
 * Emits and returns the text that Parley adds to the model's reply, such as an apology, a goodbye, or the announcement
 * that a human was requested. Returns empty text if there is nothing to add.
 */
function lastWords(
  { emitToken }: ResponderRequest,
  of: {
    thought: Thought;
    error: TurnError | undefined;
    after: FollowUps;
    told: string | undefined;
  },
): string {
  const { thought, error, after, told } = of;
  const isSilent = thought.text === '';
  const isRule = after.handover !== undefined && thought.transfer === undefined;
  const { apology, goodbye, handOver, refusal } = sentencesIn(thought.speaker.content.language);
  const words = [
    ...(isSilent && error && !thought.transfer && !after.ends
      ? // After the content filter has blocked a message, sending it again would not help.
        [error.code === 'model_content_filter' ? refusal : apology]
      : []),
    ...(isSilent && after.ends ? [goodbye] : []),
    ...(isRule || (isSilent && after.handover) ? [handOver] : []),
    ...(told === undefined ? [] : [told]),
  ].join('\n\n');
  if (words === '') return '';
  const added = isSilent ? words : `\n\n${words}`;
  emitToken(added, isSilent && error !== undefined);
  return added;
}

/**
 * Returns the search result for the transcript. Returns an empty object if no passage was found, and the message has no
 * question or the agent has no sources.
 */
function retrievedIn(
  { user, text }: ResponderRequest,
  { thought: { found, speaker }, drawn }: Drawn,
): Pick<Reply, 'retrieval'> {
  const isAsked = user.question !== '' && hasSources(speaker.content.knowledge);
  if (found.length === 0 && !isAsked) return {};
  return { retrieval: retrievalOf(user.question || text, { hits: found, drawn }) };
}

/** Adds up the usage of the turn's requests. Returns undefined if every request failed before a response. */
function modelOf({ replies, firstTextMs }: Thought, startedMs: number): TurnModel | undefined {
  const last = replies.at(-1);
  if (!last) return undefined;
  const sum = (of: (reply: ModelReply) => number) =>
    replies.reduce((total, reply) => total + of(reply), 0);
  return {
    provider: last.provider,
    name: last.model,
    finish_reason: last.finishReason,
    steps: replies.length,
    usage: {
      input_tokens: sum(({ usage }) => usage.inputTokens),
      output_tokens: sum(({ usage }) => usage.outputTokens),
      cached_input_tokens: sum(({ usage }) => usage.cachedInputTokens),
      estimated: replies.some(({ usage }) => usage.estimated),
    },
    cost: costOf(replies),
    time_to_first_token_ms: firstTextMs === undefined ? null : rounded(firstTextMs - startedMs),
  };
}

/** Returns the total cost, or null if a request has no price or the prices are in different currencies. */
function costOf(replies: readonly ModelReply[]): TurnModel['cost'] {
  const costs = replies.map(({ cost }) => cost);
  const currency = costs[0]?.currency;
  if (currency === undefined || costs.some((cost) => cost?.currency !== currency)) return null;
  const amount = costs.reduce((total, cost) => total + (cost?.amount ?? 0), 0);
  return { amount: Number(amount.toFixed(9)), currency };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
