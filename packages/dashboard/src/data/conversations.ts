import { useQuery } from '@tanstack/react-query';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ok, parley, ParleyError, type ItemOf, type Problem } from './parley.ts';

export type Conversation = ItemOf<'/v1/conversations'>;
export const CONVERSATION_STATUSES = allOf<Conversation['status']>({
  active: true,
  escalated: true,
  ended: true,
  failed: true,
});
export const OUTCOMES = allOf<NonNullable<Conversation['outcome']>>({
  resolved: true,
  unresolved: true,
  escalated: true,
  abandoned: true,
  voicemail: true,
  failed: true,
  unknown: true,
});
export const CHANNELS = allOf<Conversation['channel']>({
  chat: true,
  voice: true,
  sms: true,
  web_voice: true,
});

export type Transcript = Awaited<ReturnType<typeof readTranscript>>;
/** One turn of a transcript (contract/messages.md#transcript): what somebody said, or a call of a tool. */
export type Turn = Transcript['turns'][number];

/** Returns the keys. The type of the parameter makes a value that is missing here an error of the compiler. */
function allOf<T extends string>(values: Record<T, true>): T[] {
  return Object.keys(values) as T[];
}

/** @param id null: there is none yet */
export function useConversation(id: string | null) {
  return useQuery({
    queryKey: ['conversations', 'one', id],
    enabled: id !== null,
    queryFn: async ({ signal }) => {
      const params = { path: { id: id ?? '' } };
      return ok(parley.GET('/v1/conversations/{id}', { params, signal }));
    },
  });
}

/** Turns that are known keep their identity when it is read again, so only new ones are drawn. */
export function useTranscript(id: string | null) {
  return useQuery({
    queryKey: transcriptKey(id ?? ''),
    enabled: id !== null,
    queryFn: ({ signal }) => readTranscript(id ?? '', signal),
  });
}

export function transcriptKey(id: string): readonly string[] {
  return ['conversations', 'transcript', id];
}

async function readTranscript(id: string, signal: AbortSignal) {
  return ok(parley.GET('/v1/conversations/{id}/transcript', { params: { path: { id } }, signal }));
}

type Said = {
  conversationId: string;
  text: string;
  /** The same again for a repeat, so that nothing is said twice. */
  idempotencyKey: string;
  onToken: (text: string) => void;
  /** Aborted: the reply is cut short, and kept as far as it went. */
  signal: AbortSignal;
};

/**
 * A message and its reply as it is made (`POST …/messages` as a stream).
 *
 * @returns the turns that it added
 * @throws ParleyError: nothing was stored, and what came is void
 */
export async function sayStreaming(said: Said): Promise<readonly Turn[]> {
  const { data, response, error } = await parley.POST('/v1/conversations/{id}/messages', {
    params: {
      path: { id: said.conversationId },
      header: { 'Idempotency-Key': said.idempotencyKey },
    },
    body: { text: said.text },
    headers: { Accept: 'text/event-stream' },
    parseAs: 'stream',
    signal: said.signal,
  });
  if (!response.ok) throw new ParleyError(response, error);
  const stream = data as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
  const reader = stream
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const { event, data: text } = part.value;
    if (event === 'done') return (JSON.parse(text) as { turns: Turn[] }).turns;
    if (event === 'token') said.onToken((JSON.parse(text) as { text: string }).text);
    if (event === 'error') throw new ParleyError(response, JSON.parse(text) as Problem);
  }
  throw new TypeError('the stream ended before the reply did');
}
