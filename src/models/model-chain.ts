import { clearTimeout, setTimeout } from '../clock.ts';
import { attempt, type Attempted, type ModelLink } from './model-attempt.ts';
import type { Failure } from './model-failure.ts';
import {
  ModelError,
  type FinishReason,
  type Model,
  type ModelReply,
  type ModelRequest,
} from './model.ts';
import type { ProviderSlots } from './provider-slots.ts';
import { promptTokensOf } from './requests/request-messages.ts';
import { costOf, estimateUsage } from './usage.ts';

/** Finds a usable model. Throws ModelError if the model cannot be used. */
export type FindLink = () => Promise<ModelLink>;

type Deps = { slots: ProviderSlots; nowMs: () => number; random: () => number };

/** Maximum number of retries per model. Each pause is twice as long as the previous one. */
const RETRIES = 2;
/**
 * Maximum number of times that a rejected request is changed and sent again. Each rejection names one unsupported
 * feature.
 */
const CHANGES_MAX = 8;
const FIRST_PAUSE_MS = 250;
/**
 * Maximum pause in ms before a retry. It is short, because a caller is waiting. If a provider asks for a longer pause,
 * the next fallback is tried. If there is none, the turn fails.
 */
const MAX_RETRY_AFTER_MS = 3000;

/**
 * Creates a model that calls the agent's model, then its fallbacks in order. Retries only while no text of an answer
 * has arrived, because text that a caller has seen or heard cannot be withdrawn. The total time limit of the first
 * provider applies to all models together.
 */
export function createModelChain(links: readonly FindLink[], deps: Deps): Model {
  return async (request) => {
    const turn = { request, startedAt: deps.nowMs(), attempts: 0, totalMs: undefined };
    const failures: Reason[] = [];
    for (const find of links) {
      const link = await find().catch((error: unknown) => noteUnusable(error, failures));
      if (link === undefined) continue;
      const reply = await askOne(link, turn, deps, failures);
      if (reply !== undefined) return reply;
    }
    const [first] = failures;
    if (first === undefined)
      throw new ModelError('model_failed', 'The agent does not name a model.');
    const rest = failures.length === 1 ? '' : " The agent's fallbacks failed as well.";
    throw new ModelError(first.code, first.message + rest, { cause: first.cause });
  };
}

/** Reason why a model could not answer. */
type Reason = Pick<Failure, 'code' | 'message' | 'cause'>;

type Turn = {
  request: ModelRequest;
  startedAt: number;
  attempts: number;
  totalMs: number | undefined;
};

/** Calls one model. Returns `undefined` if it cannot answer and the next model may be called. */
async function askOne(
  link: ModelLink,
  turn: Turn,
  deps: Deps,
  failures: Reason[],
): Promise<ModelReply | undefined> {
  let { request } = turn;
  const totalMs = (turn.totalMs ??= link.endpoint.timeouts.totalMs);
  const leftMs = (): number => turn.startedAt + totalMs - deps.nowMs();
  if (leftMs() <= 0) return undefined; // Earlier models have used up the time.
  for (let tries = 0, changes = 0; ; tries += 1) {
    const attempted = await attempt(link, { ...deps, totalMs, leftMs: leftMs() }, request);
    if (attempted.wasSent) turn.attempts += 1;
    const { outcome, draft } = attempted;
    if (outcome.kind !== 'failed') return replyOf(link, turn, attempted, deps);
    // After a failure that permits a retry, an answer with only tool calls is requested again. The calls have had no
    // effect yet, because they run only after the answer is complete.
    const hasBegun = draft.text !== '' || (draft.hasPart && !outcome.failure.mayRetry);
    if (hasBegun) throw brokenOff(outcome.failure, replyOf(link, turn, attempted, deps));
    const changed = changes < CHANGES_MAX ? changedAfter(link, attempted, request) : undefined;
    if (changed && leftMs() > 0 && !request.signal.aborted) {
      request = changed;
      changes += 1;
      tries -= 1;
      continue;
    }
    const pauseMs = pauseBefore(outcome.failure, tries, deps);
    if (pauseMs === undefined || pauseMs >= leftMs()) {
      failures.push(outcome.failure);
      return undefined;
    }
    await pause(pauseMs, request.signal);
  }
}

/**
 * Returns a changed request after a rejection, or `undefined` if no change can help. If the server rejects a feature,
 * the changed request omits it, and so do later requests. If the content filter may have matched earlier turns, the
 * changed request omits those turns.
 */
function changedAfter(
  { habits }: ModelLink,
  { outcome, body }: Attempted,
  request: ModelRequest,
): ModelRequest | undefined {
  if (outcome.kind !== 'failed' || outcome.failure.refusal === undefined) return undefined;
  const { code, refusal } = outcome.failure;
  const { messages, historyEnd = 0 } = request;
  const hasHistory = historyEnd > 1;
  if (code === 'model_content_filter') {
    if (!hasHistory) return undefined;
    return {
      ...request,
      messages: [...messages.slice(0, 1), ...messages.slice(historyEnd)],
      historyEnd: 1,
    };
  }
  if (code === 'model_unauthorized' || code === 'model_rate_limited') return undefined;
  const limit = habits.capabilities.promptTokens ?? Infinity;
  const own = [...messages.slice(0, 1), ...messages.slice(Math.max(1, historyEnd))];
  const refused = {
    error: refusal,
    body,
    hasHistory: hasHistory && limit > tokensOfMessages(own),
    promptTokens: () => Math.min(limit, tokensOfMessages(messages)),
  };
  return habits.learn(refused) ? request : undefined;
}

function tokensOfMessages(messages: ModelRequest['messages']): number {
  return messages.reduce((sum, message) => sum + promptTokensOf(message), 0);
}

/** Returns the pause before a retry, or `undefined` if no retry is useful. */
function pauseBefore(failure: Failure, tries: number, deps: Deps): number | undefined {
  if (!failure.mayRetry || tries >= RETRIES) return undefined;
  const asked = failure.retryAfterMs;
  if (asked !== undefined && asked > MAX_RETRY_AFTER_MS) return undefined;
  // Randomized, so that callers that failed together do not retry together.
  const own = FIRST_PAUSE_MS * 2 ** tries * (0.5 + deps.random() / 2);
  return asked === undefined ? own : asked + own;
}

/** Waits until the time has passed or the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

function brokenOff({ code, message, cause }: Failure, partial: ModelReply): ModelError {
  return new ModelError(code, message, { partial, cause });
}

function replyOf(link: ModelLink, turn: Turn, attempted: Attempted, deps: Deps): ModelReply {
  const { draft, outcome, firstPartAt } = attempted;
  const { endpoint, model } = link;
  const toolCalls = draft.toolCalls();
  const { text } = draft;
  const extra = draft.extra();
  // Uses the provider's counts only for a complete answer. Counts that arrive earlier may be incomplete.
  const told = outcome.kind === 'whole' ? draft.usage : undefined;
  const usage = told
    ? { ...told, estimated: false }
    : turn.attempts === 0
      ? { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, estimated: true }
      : estimateUsage(turn.request, { text, toolCalls });
  const finishReason: FinishReason =
    outcome.kind === 'whole' ? draft.finishReason() : 'interrupted';
  return {
    text,
    toolCalls,
    ...(toolCalls.length > 0 && Object.keys(extra).length > 0 && { extra }),
    finishReason,
    usage,
    provider: endpoint.provider,
    model,
    cost: costOf(endpoint.pricing, usage),
    timeToFirstTokenMs: firstPartAt === undefined ? null : Math.round(firstPartAt - turn.startedAt),
    durationMs: Math.round(deps.nowMs() - turn.startedAt),
    attempts: turn.attempts,
  };
}

function noteUnusable(error: unknown, failures: Reason[]): undefined {
  if (!(error instanceof ModelError)) throw error;
  failures.push(error);
}
