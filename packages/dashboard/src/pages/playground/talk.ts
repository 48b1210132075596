import { useEffect, useRef, useState } from 'react';
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import {
  sayStreaming,
  transcriptKey,
  useConversation,
  useTranscript,
  type Conversation,
  type Transcript,
  type Turn,
} from '../../data/conversations.ts';
import { ok, parley } from '../../data/parley.ts';
import { createLiveText, type LiveText } from '../../transcript/live-text.ts';

/** Data for starting a conversation, if there is none yet. */
export type Start = {
  agentId: string;
  version: number;
  variables: Record<string, string>;
  /** Called as soon as the conversation exists, so that its ID is added to the address. */
  onStarted: (conversationId: string) => void;
};

/** Latency in ms, measured in the browser from the time of sending. Null until it is known. */
export type Seen = { firstTokenMs: number | null; totalMs: number | null };

export type Talk = {
  turns: readonly Turn[];
  conversation: Conversation | undefined;
  /** The message that was sent but is not stored yet. */
  said: string | null;
  /** The reply in progress, or null if none is expected. */
  reply: LiveText | null;
  isBusy: boolean;
  error: unknown;
  /** Latency of the last message. */
  seen: Seen;
  /** Sends messages one after the other. Each waits for the reply to the previous message. */
  say: (texts: readonly string[], start: Start) => void;
  /** Stops the reply. The text generated until then is stored. */
  stop: () => void;
  /** Repeats the failed step, without sending a message twice. */
  again: () => void;
  /** Discards unsent messages, so that a new conversation can start. */
  clear: () => void;
};

type Message = { text: string; key: string };
type Said = { messages: readonly Message[]; start: Start };
/** The message that is being sent or replied to. `since` is the number of turns before it. */
type UnderWay = { text: string; since: number };

const NOT_SEEN: Seen = { firstTokenMs: null, totalMs: null };

/**
 * Manages a test conversation in the playground.
 * @param conversationId null to start a conversation with the first message
 */
export function useTalk(conversationId: string | null): Talk {
  const queryClient = useQueryClient();
  const transcript = useTranscript(conversationId);
  const conversation = useConversation(conversationId);
  const [reply] = useState(createLiveText);
  const [underWay, setUnderWay] = useState<UnderWay | null>(null);
  const [seen, setSeen] = useState(NOT_SEEN);
  const [isStopped, setStopped] = useState(false);
  const stopping = useRef<AbortController>(null);
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const left = useRef<Said>(null);

  const saying = useMutation({
    mutationFn: async (said: Said) => {
      const { signal } = (stopping.current = new AbortController());
      setStopped(false);
      const id = conversationId ?? (await begin(said.start));
      // If the user has opened another page by now, the address must not change.
      if (conversationId === null && isShown.current) said.start.onStarted(id);
      for (const message of said.messages) {
        left.current = { ...said, messages: said.messages.slice(said.messages.indexOf(message)) };
        setUnderWay({ text: message.text, since: knownTurns(queryClient, id) });
        await sayOne(id, message, signal);
        setUnderWay(null);
      }
    },
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['conversations'] }),
  });

  const sayOne = async (id: string, { text, key }: Message, signal: AbortSignal): Promise<void> => {
    reply.clear();
    setSeen(NOT_SEEN);
    const sentAt = performance.now();
    let firstTokenMs: number | null = null;
    const turns = await sayStreaming({
      conversationId: id,
      text,
      idempotencyKey: key,
      signal,
      onToken: (token) => {
        firstTokenMs ??= performance.now() - sentAt;
        reply.append(token);
      },
    });
    setSeen({ firstTokenMs, totalMs: performance.now() - sentAt });
    appendTurns(queryClient, id, turns);
  };

  const turns = transcript.data?.turns ?? NONE;
  const stored = underWay ? turns.slice(underWay.since) : NONE;
  const isHeard = stored.some(({ role }) => role === 'user');
  const isAnswered = isHeard && stored.at(-1)?.role === 'agent';
  return {
    turns,
    conversation: conversation.data,
    said: underWay && !isHeard ? underWay.text : null,
    reply:
      underWay && !isAnswered && (saying.isPending || (isStopped && reply.read() !== ''))
        ? reply
        : null,
    isBusy: saying.isPending,
    error: isStopped ? null : (saying.error ?? transcript.error ?? conversation.error),
    seen,
    say: (texts, start) => {
      const messages = texts.map((text) => ({ text, key: crypto.randomUUID() }));
      saying.mutate({ messages, start });
    },
    stop: () => {
      setStopped(true);
      stopping.current?.abort();
    },
    again: () => {
      if (left.current) saying.mutate(left.current);
    },
    clear: () => {
      setStopped(true);
      stopping.current?.abort();
      setUnderWay(null);
      setSeen(NOT_SEEN);
      saying.reset();
    },
  };
}

const NONE: readonly Turn[] = [];

async function begin({ agentId, version, variables }: Start): Promise<string> {
  const body = { agent_id: agentId, agent_version: version, test: true, variables };
  return (await ok(parley.POST('/v1/conversations', { body }))).id;
}

function knownTurns(queryClient: QueryClient, id: string): number {
  return queryClient.getQueryData<Transcript>(transcriptKey(id))?.turns.length ?? 0;
}

function appendTurns(queryClient: QueryClient, id: string, added: readonly Turn[]): void {
  queryClient.setQueryData<Transcript>(transcriptKey(id), (old) => {
    if (!old) return old;
    const known = new Set(old.turns.map(({ index }) => index));
    return { ...old, turns: [...old.turns, ...added.filter(({ index }) => !known.has(index))] };
  });
}
