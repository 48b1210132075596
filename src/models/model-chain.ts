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

/** Finds a model that may be asked; throws ModelError when there is none to ask. */
export type FindLink = () => Promise<ModelLink>;

type Deps = { slots: ProviderSlots; nowMs: () => number; random: () => number };

/** After the first request to a model; each waits twice as long as the one before. */
const RETRIES = 2;
/** Requests that are changed after a refusal; each refusal names one thing. */
const CHANGES_MAX = 8;
const FIRST_PAUSE_MS = 250;
/** A caller waits: who asks for more than this gets a fallback, or the error. */
const MAX_RETRY_AFTER_MS = 3000;

/**
 * The model of an agent, then its fallbacks, in order. Everything is tried again only while nothing
 * of an answer has come: what a caller has seen or heard is never taken back. The time of the first
 * provider is that of all of them together.
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
    if (first === undefined) throw new ModelError('model_failed', 'The agent names no model.');
    const rest = failures.length === 1 ? '' : ' Its fallbacks failed as well.';
    throw new ModelError(first.code, first.message + rest, { cause: first.cause });
  };
}

/** Why a model could not answer. */
type Reason = Pick<Failure, 'code' | 'message' | 'cause'>;

type Turn = {
  request: ModelRequest;
  startedAt: number;
  attempts: number;
  totalMs: number | undefined;
};

/** undefined: it cannot answer, and the next one may be asked. */
async function askOne(
  link: ModelLink,
  turn: Turn,
  deps: Deps,
  failures: Reason[],
): Promise<ModelReply | undefined> {
  let { request } = turn;
  const totalMs = (turn.totalMs ??= link.endpoint.timeouts.totalMs);
  const leftMs = (): number => turn.startedAt + totalMs - deps.nowMs();
  if (leftMs() <= 0) return undefined; // Those before had all of it.
  for (let tries = 0, changes = 0; ; tries += 1) {
    const attempted = await attempt(link, { ...deps, totalMs, leftMs: leftMs() }, request);
    if (attempted.wasSent) turn.attempts += 1;
    const { outcome, draft } = attempted;
    if (outcome.kind !== 'failed') return replyOf(link, turn, attempted, deps);
    // Calls alone were heard by nobody: they are made only when the answer is whole.
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
 * The request to make instead of one that was refused: without what the server does not take, which is remembered, or
 * without the earlier turns where something in them may have been filtered. undefined: nothing helps.
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
    hasHistory: hasHistory && limit > tokensOf(own),
    promptTokens: () => Math.min(limit, tokensOf(messages)),
  };
  return habits.learn(refused) ? request : undefined;
}

function tokensOf(messages: ModelRequest['messages']): number {
  return messages.reduce((sum, message) => sum + promptTokensOf(message), 0);
}

/** undefined: not again. */
function pauseBefore(failure: Failure, tries: number, deps: Deps): number | undefined {
  if (!failure.mayRetry || tries >= RETRIES) return undefined;
  const asked = failure.retryAfterMs;
  if (asked !== undefined && asked > MAX_RETRY_AFTER_MS) return undefined;
  // Spread, so that those who failed together do not come back together.
  const own = FIRST_PAUSE_MS * 2 ** tries * (0.5 + deps.random() / 2);
  return asked === undefined ? own : asked + own;
}

/** Until then, or until nobody waits any more. */
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
  // What came before the end may be a count of what was sent so far.
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
