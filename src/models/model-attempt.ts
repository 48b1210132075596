import type OpenAI from 'openai';
import {
  createAnswerDraft,
  type AnswerDraft,
  type Taken,
  type TextSink,
} from './answers/answer-draft.ts';
import type { ModelEndpoint, ModelRequest } from './model.ts';
import { badEnd, InvalidAnswer, readFailure, type Failure } from './model-failure.ts';
import type { ModelHabits } from './requests/model-habits.ts';
import { streamCompletion } from './openai-model.ts';
import type { ProviderSlots } from './provider-slots.ts';
import { bodyOf } from './requests/request-body.ts';
import { lateMessage, watch } from './watchdog.ts';

/** A provider's model with the settings of one agent. */
export type ModelLink = {
  client: OpenAI;
  endpoint: ModelEndpoint;
  model: string;
  temperature: number | undefined;
  maxTokens: number | undefined;
  /** Key under which concurrent requests are counted (see provider-slots.ts). */
  slotsKey: string;
  habits: ModelHabits;
};

export type Attempted = {
  body: ReturnType<typeof bodyOf>;
  draft: AnswerDraft;
  /** Whether a request was sent. */
  wasSent: boolean;
  /** Time of the first part of the answer, by `monotonicMs()`; `undefined` if no part arrived. */
  firstPartAt: number | undefined;
  outcome: { kind: 'whole' } | { kind: 'interrupted' } | { kind: 'failed'; failure: Failure };
};

/**
 * Makes one request. Settles immediately with the partial answer if the caller's signal aborts or a watchdog fires: it
 * never waits for the `openai` package, the connection or the provider.
 */
export function attempt(
  link: ModelLink,
  deps: { slots: ProviderSlots; totalMs: number; leftMs: number; nowMs: () => number },
  request: ModelRequest,
): Promise<Attempted> {
  const { endpoint, model } = link;
  const body = bodyOf({ ...link, capabilities: link.habits.capabilities, request });
  const draft = createAnswerDraft({ isHeld: link.habits.holdsText });
  const inner = new AbortController();
  let wasSent = false;
  let firstPartAt: number | undefined;
  let isSettled = false;
  let leave: (() => void) | undefined;

  return new Promise((resolve) => {
    const settle = (outcome: Attempted['outcome']): void => {
      isSettled = true;
      dog.stop();
      leave?.();
      request.signal.removeEventListener('abort', interrupt);
      if (outcome.kind === 'whole') link.habits.note(draft);
      resolve({ body, draft, wasSent, firstPartAt, outcome });
      // Aborts the request unless the answer is complete, because the rest of the answer is not needed.
      if (outcome.kind !== 'whole' || draft.finishReason() === 'length') inner.abort();
    };
    const fail = (failure: Failure): void => settle({ kind: 'failed', failure });
    const interrupt = (): void => settle({ kind: 'interrupted' });
    const dog = watch(endpoint.timeouts, deps.leftMs, (late) =>
      fail(
        wasSent
          ? tooLate(
              lateMessage(endpoint.provider, { ...endpoint.timeouts, totalMs: deps.totalMs }, late),
            )
          : busy(endpoint),
      ),
    );
    if (request.signal.aborted) return interrupt();
    request.signal.addEventListener('abort', interrupt, { once: true });

    const onTaken = (taken: Taken): void => {
      if (taken === 'idle') return;
      dog.seen();
      if (taken !== 'busy') firstPartAt ??= deps.nowMs();
    };
    const run = async (): Promise<void> => {
      leave = await enter(link, deps.slots, inner.signal);
      if (leave === undefined) return fail(busy(endpoint));
      if (isSettled) return leave();
      wasSent = true;
      const hooks = { signal: inner.signal, sink: sinkOf(request), onTaken };
      await streamCompletion(link.client, body, draft, hooks);
      if (isSettled) return;
      if (!draft.isFinished) throw new InvalidAnswer('stopped in the middle of its answer');
      const { ending, finishWord: reason, hasPart } = draft;
      const bad = badEnd(ending, { reason, hasPart });
      if (bad) throw bad;
      settle({ kind: 'whole' });
    };
    run().catch((error: unknown) =>
      fail(readFailure(error, { provider: endpoint.provider, model })),
    );
  });
}

function sinkOf({ onText, onTakeBack }: ModelRequest): TextSink {
  return { say: onText, takeBack: () => onTakeBack?.() };
}

async function enter(
  { endpoint, slotsKey }: ModelLink,
  slots: ProviderSlots,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  if (endpoint.maxConcurrent === null) return () => {};
  return await slots.take(slotsKey, endpoint.maxConcurrent, signal);
}

function tooLate(message: string): Failure {
  return { code: 'model_timeout', message, mayRetry: false, retryAfterMs: undefined };
}

function busy({ provider, maxConcurrent }: ModelEndpoint): Failure {
  return {
    code: 'model_rate_limited',
    message: `The provider "${provider}" already has ${maxConcurrent} requests in progress, which is its limit: try again later, or raise its limit on concurrent requests.`,
    mayRetry: false,
    retryAfterMs: undefined,
  };
}
