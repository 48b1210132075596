import { z } from 'zod';
import type { TurnInput } from './responder-request.ts';
import type { TakeTurn } from './take-turn.ts';
import { EVENT_STREAM_TYPE, wantsEvents, type EventStream } from '../../platform/http/sse.ts';
import { idParam } from '../../platform/http/fields.ts';
import { route, type Answer, type Route } from '../../platform/http/route.ts';
import { MessageAnswer, MessageBody, messageView } from '../record/conversation.view.ts';

type Send = Parameters<EventStream>[0];
type Heard = Pick<TurnInput, 'onToken' | 'onTool' | 'signal'>;

/** Accepts a user message and returns the agent's reply (contract/messages.md#replies), as JSON or as a stream. */
export function messageRoute(deps: { takeTurn: TakeTurn }): Route {
  return route({
    method: 'post',
    path: '/v1/conversations/{id}/messages',
    operationId: 'sendMessage',
    tag: 'Conversations',
    scope: 'write',
    summary: 'Send a message to the agent',
    description:
      'While a human is requested or has taken over, the message is stored but the agent stays silent. ' +
      'With `Accept: text/event-stream`, the response is a stream: `token {text}` for each part of ' +
      'the reply, `turn` for every stored turn, and finally `done {turns, conversation}`, or ' +
      '`error` with a problem. After an `error`, discard the tokens that were streamed before it. A ' +
      'newer message, or closing the stream, stops a reply in progress. The partial reply is stored as ' +
      '`interrupted`.',
    params: { id: idParam('conv', 'conversation') },
    body: { schema: MessageBody },
    answers: {
      200: {
        description: 'Turns that the message added.',
        schema: MessageAnswer,
        forms: { [EVENT_STREAM_TYPE]: z.string() },
      },
    },
    errors: ['conversation_ended', 'write_conflict'],
    inFlight: ({ accept }) => (wantsEvents(accept) ? 'message_streams' : undefined),
    eventsOf: (body) => (send) => sendResult(send, body),
    handle: async ({ answering, plan, caller, params: { id }, body, headers, untilGone }) => {
      const { namespace } = caller;
      const input = { namespace, conversationId: id, text: body.text, request: plan };
      const turn = (heard?: Heard): Promise<Answer> =>
        answering(
          (beforeCommit) => deps.takeTurn({ ...input, ...heard }, beforeCommit),
          (result) => ({ status: 200, body: messageView(result) }),
        );
      return wantsEvents(headers['accept']) ? streamed(turn, untilGone()) : turn();
    },
  });
}

/**
 * Returns a streamed response as soon as the first part of the reply or the first tool call has arrived. An earlier
 * error becomes a response with an HTTP status, as for a request without a stream.
 */
async function streamed(
  turn: (heard: Heard) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const tokens: string[] = [];
  let wake = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const done = turn({
    onToken: (text) => {
      tokens.push(text);
      wake();
    },
    onTool: () => wake(),
    signal,
  });
  await Promise.race([begun, done]);
  done.catch(() => undefined); // Avoids an unhandled rejection. The failure is sent below.
  return {
    status: 200,
    stream: async (send) => {
      let isOver = false;
      const over = done.finally(() => {
        isOver = true;
        wake();
      });
      over.catch(() => undefined);
      for (let isFirst = true; ; isFirst = false) {
        const next = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const waiting = tokens.splice(0);
        // Joins the tokens that arrived while the client was slow, and sends them as one part.
        const parts = isFirst || waiting.length === 0 ? waiting : [waiting.join('')];
        for (const text of parts) await send({ event: 'token', data: { text } });
        if (isOver) break;
        if (tokens.length === 0) await next;
      }
      await sendResult(send, (await done).body);
    },
  };
}

/**
 * Sends a `MessageAnswer` as events: each turn, then the whole answer. `body` was created by `messageView`, either just
 * now or for an earlier attempt of this request whose response was stored.
 */
async function sendResult(send: Send, body: unknown): Promise<void> {
  const { turns } = body as z.output<typeof MessageAnswer>;
  for (const turn of turns) await send({ event: 'turn', data: turn });
  await send({ event: 'done', data: body });
}
