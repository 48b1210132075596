import type { Mode } from '../talk/frames.ts';
import { createStore, type Store } from '../talk/store.ts';
import { Talk } from '../talk/talk.ts';
import type { TalkToken } from '../talk/token.ts';
import { troubleOf, type TalkError } from '../talk/trouble.ts';
import { openVoice, type Voice } from './voice.ts';

export type SoundState = {
  /** State of the microphone. It is `asking` while the browser asks the user for permission. */
  microphone: 'off' | 'asking' | 'on';
  isMuted: boolean;
  isPlaying: boolean;
  /** Whether the device has interrupted the audio. During an interruption neither side hears the other. */
  isHalted: boolean;
  /** Reason why the user cannot speak, such as a missing microphone. */
  error: TalkError | null;
};

const SILENT: SoundState = {
  microphone: 'off',
  isMuted: false,
  isPlaying: false,
  isHalted: false,
  error: null,
};

export type LineEvents = {
  getToken: () => Promise<TalkToken>;
  /** URL of the built file of `worklets.ts`. */
  workletUrl: string;
  onReady?: (resume: string, mode: Mode) => void;
  onOver?: () => void;
  /** Called with an audio level from 0 to 1: every 20 ms for the microphone, and at most every 60 ms for the agent. */
  onLevel?: (side: 'microphone' | 'agent', level: number) => void;
};

/**
 * Client of a talk (a conversation by chat or voice), together with the audio of a voice call. The microphone is open
 * only while the call lasts.
 */
export class Line {
  readonly talk: Talk;
  readonly sound: Store<SoundState> = createStore(SILENT);
  readonly #events: LineEvents;
  #voice: Voice | undefined;
  /**
   * Number of the current attempt to start a voice call. If the number changes before the user answers the browser's
   * request for the microphone, the attempt was canceled.
   */
  #era = 0;

  constructor(events: LineEvents) {
    this.#events = events;
    const { getToken, onReady, onOver } = events;
    this.talk = new Talk({
      getToken,
      ...(onReady && { onReady }),
      onOver: () => {
        this.#hush();
        onOver?.();
      },
      onSound: (frame) => this.#voice?.play(frame),
      onMark: (name) => this.#voice?.mark(name),
      onClear: () => this.#voice?.clear(),
    });
  }

  write(resume?: string): void {
    this.#hush();
    this.talk.start('chat', resume);
  }

  /**
   * Starts a voice call. Must be called in response to a user action such as a click. Requests the microphone first, so
   * that a user without a microphone does not start a call.
   */
  async speak(): Promise<void> {
    this.#hush();
    this.talk.leave();
    const era = this.#era;
    this.sound.set({ microphone: 'asking' });
    try {
      const voice = await openVoice(this.#events.workletUrl, {
        onSound: (samples) => this.talk.sendSound(samples),
        onPlayed: (name) => this.talk.played(name),
        onLevel: (side, level) => this.#events.onLevel?.(side, level),
        onPlaying: (isPlaying) => this.sound.set({ isPlaying }),
        onLost: () => this.talk.end(),
        onHalted: (isHalted) => this.#era === era && this.sound.set({ isHalted }),
      });
      if (this.#era !== era) return voice.close();
      this.#voice = voice;
      this.sound.set({ microphone: 'on' });
      this.talk.start('voice');
    } catch (error) {
      if (this.#era === era) this.sound.set({ ...SILENT, error: troubleOf(error) });
    }
  }

  mute(isMuted: boolean): void {
    this.#voice?.mute(isMuted);
    this.sound.set({ isMuted });
  }

  /** Resumes audio that the device interrupted. Browsers may require a click for it. */
  resumeSound(): void {
    this.#voice?.resume();
  }

  /** Ends the conversation, or cancels it while it is starting. */
  end(): void {
    this.#hush();
    if (this.talk.get().phase !== 'idle') this.talk.end();
  }

  /** Disconnects. A call ends, whereas a chat can be resumed. */
  leave(): void {
    if (this.#voice) this.end();
    this.#hush();
    this.talk.leave();
  }

  #hush(): void {
    this.#era += 1;
    this.#voice?.close();
    this.#voice = undefined;
    this.sound.set(SILENT);
  }
}
