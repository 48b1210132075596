import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { transcriptKey } from '../../data/conversations.ts';
import { ok, parley } from '../../data/parley.ts';
import { createLiveText, type LiveText } from '../../transcript/live-text.ts';
import { Line, type SoundState } from '../../../../widget/src/sound/line.ts';
// Vite emits the worklet as a file; this is its URL.
// oxlint-disable-next-line import/default
import workletUrl from '../../../../widget/src/sound/worklets.ts?worker&url';
import type { TalkState } from '../../../../widget/src/talk/talk-state.ts';
import type { Start } from './talk.ts';

/** A voice conversation in the playground. */
export type Spoken = {
  talk: TalkState;
  sound: SoundState;
  /** Whether the conversation is running or starting. */
  isOn: boolean;
  /** The agent's speech as text, as it is generated. */
  reply: LiveText;
  /** Subscribes to the volume of both sides, from 0 to 1. It is reported many times per second and bypasses React. */
  onLevel: (listener: LevelListener) => () => void;
  start: (start: Start) => void;
  say: (text: string) => void;
  mute: (isMuted: boolean) => void;
  resumeSound: () => void;
  stop: () => void;
};

export type LevelListener = (side: 'microphone' | 'agent', level: number) => void;

/** Runs a test conversation by voice. Its token is requested with the dashboard session. */
export function useLine(): Spoken {
  const queryClient = useQueryClient();
  const start = useRef<Start>(null);
  const [listeners] = useState(() => new Set<LevelListener>());
  const [reply] = useState(createLiveText);
  const [line] = useState(
    () =>
      new Line({
        workletUrl,
        getToken: async () => {
          const { agentId: id, version, variables } = start.current!;
          const body = { version, test: true, variables };
          const params = { path: { id } };
          return ok(parley.POST('/v1/agents/{id}/talk_tokens', { params, body }));
        },
        onReady: () => start.current?.onStarted(line.talk.get().conversationId!),
        onLevel: (side, level) => listeners.forEach((listener) => listener(side, level)),
      }),
  );
  const talk = useSyncExternalStore(line.talk.subscribe, line.talk.get);
  const sound = useSyncExternalStore(line.sound.subscribe, line.sound.get);

  // Hangs up when the user leaves the page.
  useEffect(() => () => line.leave(), [line]);
  // The stored transcript has details that the voice session lacks, such as how a reply was generated.
  const { conversationId, turns, phase } = talk;
  useEffect(() => {
    if (conversationId === null) return;
    void queryClient.invalidateQueries({ queryKey: transcriptKey(conversationId) });
    void queryClient.invalidateQueries({ queryKey: ['conversations', 'one', conversationId] });
  }, [queryClient, conversationId, turns, phase]);
  useEffect(() => {
    reply.clear();
    reply.append(talk.reply);
  }, [reply, talk.reply]);

  const onLevel = useCallback(
    (listener: LevelListener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    [listeners],
  );

  return {
    talk,
    sound,
    isOn: sound.microphone !== 'off',
    reply,
    onLevel,
    start: (begin) => {
      start.current = begin;
      void line.speak();
    },
    say: (text) => line.talk.say(text),
    mute: (isMuted) => line.mute(isMuted),
    resumeSound: () => line.resumeSound(),
    stop: () => line.end(),
  };
}
