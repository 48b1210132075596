import { z } from 'zod';
import { estimateTokens } from '../../models/usage.ts';
import { ApiError } from '../../errors.ts';
import { fromUuid, toUuid } from '../../ids.ts';
import { errorAnswer } from '../../platform/http/answer.ts';
import type { Caller } from '../../platform/http/authorize.ts';
import { unixSec } from '../../platform/http/fields.ts';
import { route, type Answer, type Route } from '../../platform/http/route.ts';
import { EVENT_STREAM_TYPE } from '../../platform/http/sse.ts';
import type { BroughtTurn } from '../record/turns.sql.ts';
import {
  Completion,
  CompletionBody,
  completionOf,
  type FinishReason,
  type Head,
  type Usage,
} from './completion.view.ts';
import { modelRoutes, requireModelName, unknownModel } from './models.routes.ts';
import { openTalk, type OpenTalk, type TalkRequest } from './open-talk.ts';
import { readMessages } from './read-messages.ts';
import { fingerprintOf, speak, spokenBefore, type SpeakDeps, type Spoken } from './speak.ts';
import { chunksOf, streamed, type Turn } from './stream-completion.ts';

/**
 * Returns the routes for OpenAI clients (contract/openai.md). The routes present agents as models, and conversations as
 * chat completions.
 */
export function openAiRoutes(deps: SpeakDeps): Route[] {
  return [completionRoute(deps), ...modelRoutes(deps)];
}

function completionRoute(deps: SpeakDeps): Route {
  return route({
    method: 'post',
    path: '/v1/chat/completions',
    operationId: 'createChatCompletion',
    tag: 'OpenAI',
    scope: 'write',
    errorShape: 'openai',
    summary: 'Create a chat completion (OpenAI-compatible)',
    description:
      'Each chat is stored as a conversation, which emits the usual events. `metadata.conversation_id` ' +
      'selects the conversation to continue. Without it, the request continues the conversation that has ' +
      'exactly the earlier messages and the same API key, or starts a new one. If no user message follows ' +
      'the last reply, the agent sends the next message by itself. Unknown fields are ignored.',
    body: { schema: CompletionBody },
    answers: {
      200: {
        description: "The agent's reply.",
        schema: Completion,
        forms: { [EVENT_STREAM_TYPE]: z.string() },
      },
    },
    errors: [
      'not_found',
      'conversation_ended',
      'write_conflict',
      'too_many_in_flight',
      'reply_failed',
    ],
    asksForEvents: (bytes) => asksForStream(JSON.parse(bytes.toString())),
    eventsOf: (body) => async (send) => {
      await chunksOf(send, Completion.parse(body), true);
    },
    handle: async ({ body, caller, headers, answering, plan, plannedId, countAs, untilGone }) => {
      // Aborts when the client disconnects, because nobody is waiting for the reply any longer.
      const signal = untilGone();
      const said = readMessages(body.messages);
      if (body.stream === true) countAs('message_streams');
      const isRetry = plan.isRetry || Number(headers['x-stainless-retry-count'] ?? 0) > 0;
      const about = { ...requestOf(body, caller), said, isRetry, isTakenUp: plan.isRetry };
      const talk = await opened(deps, about);
      const head = headOf(talk, { model: body.model, id: plannedId, nowMs: deps.nowMs() });
      const answer = answerOf({ head, said, requestId: caller.requestId });
      const hasUsage = includesUsage(body.stream_options);
      if (talk.answered) {
        const before = answer(await spokenBefore(deps, talk, talk.answered));
        const replayed = talk.answered.isGreeting ? {} : { 'Idempotency-Replayed': 'true' };
        const headers = { ...before.headers, ...replayed };
        return body.stream === true ? asStream(before, headers, hasUsage) : { ...before, headers };
      }
      const turn: Turn = (heard) =>
        answering(
          (beforeCommit) => speak(deps, talk, { ...heard, signal, plan, beforeCommit }),
          answer,
        );
      if (body.stream !== true) return turn({ streamed: () => '' });
      return streamed(turn, { head, unheard: talk.unheard, hasUsage });
    },
  });
}

function asStream(answer: Answer, headers: Record<string, string>, hasUsage: boolean): Answer {
  const completion = Completion.parse(answer.body);
  return { status: 200, headers, stream: (send) => chunksOf(send, completion, hasUsage) };
}

function includesUsage(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'include_usage' in options
    ? options.include_usage === true
    : false;
}

function asksForStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
}

type Body = z.output<typeof CompletionBody>;

function requestOf(
  body: Body,
  { namespace, keyId }: Caller,
): Omit<TalkRequest, 'said' | 'isRetry' | 'isTakenUp'> {
  const { conversation_id: named, ...metadata } = body.metadata ?? {};
  const userId = body.user ?? body.safety_identifier ?? null;
  const conversationId = named === undefined ? undefined : requireId(named);
  return { namespace, keyId, ...requireModelName(body.model), conversationId, userId, metadata };
}

/**
 * Returns the UUID of a conversation id.
 * @throws ApiError not_found if the id is malformed
 */
function requireId(id: string): string {
  const uuid = toUuid('conv', id);
  if (uuid === null) throw noConversation();
  return uuid;
}

/**
 * Opens the talk for a request. Converts errors to the ones that OpenAI clients expect: an unknown agent, for example,
 * becomes an unknown model.
 */
async function opened(deps: SpeakDeps, request: TalkRequest): Promise<OpenTalk> {
  try {
    return await openTalk(deps, request);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'not_found') throw noConversation();
    // Reports an unknown model with status 404 instead of a conflict with status 409, because OpenAI clients retry
    // after 409.
    if (error.code === 'version_recalled') throw unknownModel(error.message);
    const isModel = error.errors.some(({ code }) => code === 'unknown_agent');
    const isNotThere = error.code === 'not_published' || error.code === 'unknown_version';
    throw isModel || isNotThere ? unknownModel() : error;
  }
}

function noConversation(): ApiError {
  const detail = 'This agent has no conversation with this ID.';
  return new ApiError('not_found', detail, {
    errors: [{ pointer: '/metadata/conversation_id', code: 'conversation_not_found', detail }],
  });
}

function headOf(
  talk: OpenTalk,
  { model, id, nowMs }: { model: string; id: string; nowMs: number },
): Head {
  return {
    id: `chatcmpl-${fromUuid('req', id).slice('req_'.length)}`,
    created: unixSec(nowMs),
    model,
    system_fingerprint: fingerprintOf(talk),
    metadata: { conversation_id: fromUuid('conv', talk.conversationId) },
  };
}

/**
 * Returns a function that builds the response for a turn. If the reply failed, the response is an error, even though
 * the turn is stored.
 */
function answerOf(about: {
  head: Head;
  said: readonly BroughtTurn[];
  requestId: string;
}): (spoken: Spoken) => Answer {
  const { head, said, requestId } = about;
  const headers = { 'Parley-Conversation-Id': head.metadata.conversation_id };
  return ({ content, agentTurn, turns }) => {
    if (agentTurn?.error && !agentTurn.interrupted) {
      const failed = errorAnswer(replyFailed(agentTurn.error), requestId, 'openai');
      return { ...failed, headers: { ...failed.headers, ...headers } };
    }
    const finishReason = finishOf(agentTurn?.model?.finish_reason);
    const usage = usageOf({ turns, said, content });
    return { status: 200, headers, body: completionOf(head, { content, finishReason, usage }) };
  };
}

function replyFailed({ code, detail }: { code: string; detail: string }): ApiError {
  return new ApiError('reply_failed', detail, { errors: [{ pointer: '', code, detail }] });
}

function finishOf(reason: string | undefined): FinishReason {
  return reason === 'length' || reason === 'content_filter' ? reason : 'stop';
}

/** Adds up the model's usage over all requests of the turn. If no model was used, estimates the tokens. */
function usageOf({
  turns,
  said,
  content,
}: Pick<Spoken, 'turns' | 'content'> & { said: readonly BroughtTurn[] }): Usage {
  const used = turns.flatMap(({ model }) => (model ? [model.usage] : []));
  const sum = (name: 'input_tokens' | 'output_tokens'): number =>
    used.reduce((tokens, usage) => tokens + usage[name], 0);
  const estimated = { input: said.map(({ text }) => text).join('\n'), output: content };
  const prompt = used.length > 0 ? sum('input_tokens') : estimateTokens(estimated.input);
  const words = used.length > 0 ? sum('output_tokens') : estimateTokens(estimated.output);
  return { prompt_tokens: prompt, completion_tokens: words, total_tokens: prompt + words };
}
