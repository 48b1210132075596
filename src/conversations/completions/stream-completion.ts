import type { Answer } from '../../platform/http/route.ts';
import type { EventStream } from '../../platform/http/sse.ts';
import { chunkOf, Completion, type Head } from './completion.view.ts';
import { UNHEARD_END } from './speak.ts';

type Send = Parameters<EventStream>[0];

/** Runs a turn. `streamed` returns the text that the client has received so far. */
export type Turn = (heard: {
  onToken?: (text: string, isApology?: boolean) => void;
  onTool?: () => void;
  streamed: () => string;
}) => Promise<Answer>;

/**
 * Streams a response in chunks, from the first words or tool call on. An earlier error becomes a response with an HTTP
 * status, as for a request without a stream.
 */
export async function streamed(
  turn: Turn,
  { head, unheard, hasUsage }: { head: Head; unheard: readonly string[]; hasUsage: boolean },
): Promise<Answer> {
  const parts: string[] = unheard.map((text) => text + UNHEARD_END);
  let text = parts.join('');
  let hasBegun = false;
  let wake = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const done = turn({
    streamed: () => text,
    onTool: () => {
      hasBegun = true;
      wake();
    },
    onToken: (part, isApology = false) => {
      if (isApology) return; // An apology is not streamed: the client receives an error instead.
      hasBegun = true;
      text += part;
      parts.push(part);
      wake();
    },
  });
  await Promise.race([begun, done]);
  done.catch(() => undefined); // Avoids an unhandled rejection. The failure is sent below.
  if (!hasBegun) {
    const { status } = await done;
    if (status >= 400) return done;
  }
  const stream: EventStream = async (send) => {
    let isOver = false;
    const over = done.finally(() => {
      isOver = true;
      wake();
    });
    over.catch(() => undefined);
    await sendChunk(send, head, { delta: { role: 'assistant', content: '' } }, hasUsage);
    let sent = '';
    for (;;) {
      const next = new Promise<void>((resolve) => {
        wake = resolve;
      });
      for (const content of parts.splice(0)) {
        sent += content;
        await sendChunk(send, head, { delta: { content } }, hasUsage);
      }
      if (isOver) break;
      if (parts.length === 0) await next;
    }
    const { status, body } = await done;
    if (status >= 400) await send({ data: body });
    else await rest(send, Completion.parse(body), { sent, hasUsage });
  };
  const headers = { 'Parley-Conversation-Id': head.metadata.conversation_id };
  return { status: 200, headers, stream };
}

function sendChunk(
  send: Send,
  head: Head,
  part: Parameters<typeof chunkOf>[1],
  hasUsage: boolean,
): Promise<void> {
  return send({ data: chunkOf(head, part, hasUsage) });
}

/** Sends the remaining text, the finish reason and the end of the stream. */
async function rest(
  send: Send,
  completion: Completion,
  { sent, hasUsage }: { sent: string; hasUsage: boolean },
): Promise<void> {
  const [choice] = completion.choices;
  const { content } = choice!.message; // `choices` has exactly one element, because this server built the completion.
  const left = content.startsWith(sent) ? content.slice(sent.length) : '';
  const { choices: _, usage, object: __, ...head } = completion;
  if (left !== '') await sendChunk(send, head, { delta: { content: left } }, hasUsage);
  await sendChunk(send, head, { delta: {}, finishReason: choice!.finish_reason }, hasUsage);
  if (hasUsage) await sendChunk(send, head, { usage }, hasUsage);
  await send({ json: '[DONE]' });
}

/** Sends a complete stored response as chunks. */
export async function chunksOf(
  send: Send,
  completion: Completion,
  hasUsage: boolean,
): Promise<void> {
  const { choices: _, usage: __, object: ___, ...head } = completion;
  await sendChunk(send, head, { delta: { role: 'assistant', content: '' } }, hasUsage);
  await rest(send, completion, { sent: '', hasUsage });
}
