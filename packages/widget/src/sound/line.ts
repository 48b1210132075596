import type { Mode } from '../talk/frames.ts';
import { createStore, type Store } from '../talk/store.ts';
import { Talk } from '../talk/talk.ts';
import type { TalkToken } from '../talk/token.ts';
import { troubleOf, type TalkError } from '../talk/trouble.ts';
import { openVoice, type Voice } from './voice.ts';

export type SoundState = {
  /** `asking`: the browser asks the person. */
  microphone: 'off' | 'asking' | 'on';
  isMuted: boolean;
  /** The agent is heard. */
  isPlaying: boolean;
  /** The device has taken the sound away: neither side hears the other. */
  isHalted: boolean;
  /** Why there is no microphone. */
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
  /** The file of `worklets.ts`. */
  workletUrl: string;
  onReady?: (resume: string, mode: Mode) => void;
  onOver?: () => void;
  /** 0 to 1, some 20 times a second of each side. */
  onLevel?: (side: 'microphone' | 'agent', level: number) => void;
};

/** A talk and, where it is one by voice, its sound. The microphone is open as long as the talk, and no longer. */
export class Line {
  readonly talk: Talk;
  readonly sound: Store<SoundState> = createStore(SILENT);
  readonly #events: LineEvents;
  #voice: Voice | undefined;
  /** Counts what was begun: who is asked for the microphone may have gone when they answer. */
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

  /** To be called by what a person does: the microphone first, so that nobody is called who cannot be heard. */
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

  /** Continues sound that the device interrupted. Browsers may require a click for it. */
  resumeSound(): void {
    this.#voice?.resume();
  }

  /** Ends the conversation, or what is asked before there is one. */
  end(): void {
    this.#hush();
    if (this.talk.get().phase !== 'idle') this.talk.end();
  }

  /** A page that goes: a call ends with it, a chat can be resumed. */
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
