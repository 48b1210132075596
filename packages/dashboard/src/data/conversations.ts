import { useQuery } from '@tanstack/react-query';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ok, parley, ParleyError, type ItemOf, type Problem, type Schemas } from './parley.ts';

export type Conversation = Schemas['Conversation'];
/** A conversation in a list, with its last message and, in a search, the sentence that matches. */
export type ListedConversation = ItemOf<'/v1/conversations'>;
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
/** One turn of a transcript (contract/messages.md#transcript): an utterance, a message or a tool call. */
export type Turn = Transcript['turns'][number];

/** Returns the keys of a record. The type of the parameter makes it a compile error to omit a value of `T`. */
function allOf<T extends string>(values: Record<T, true>): T[] {
  return Object.keys(values) as T[];
}

/** @param id null if there is no conversation yet */
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

/**
 * Reads the transcript of a conversation. Turns that are already known stay the same objects when the transcript is
 * read again, so that only new turns render.
 */
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
  /** Key that identifies the message. A retry sends the same key, so that the message is not added twice. */
  idempotencyKey: string;
  onToken: (text: string) => void;
  /** Aborting this signal ends the reply early. The text generated until then is stored. */
  signal: AbortSignal;
};

/**
 * Sends a message and streams the reply (`POST …/messages`).
 * @returns the turns that the message added
 * @throws ParleyError if the API reports an error before or during the reply. The caller must discard the tokens
 * received so far
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
  throw new TypeError('the stream ended before the reply was complete');
}
