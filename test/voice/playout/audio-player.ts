import { clearTimeout, monotonicMs, setTimeout } from '../../../src/clock.ts';
import type { AudioFormat, AudioSink } from '../../../src/voice/playout/audio-queue.ts';
import type { Tts } from '../../../src/voice/tts/tts.ts';

/** Number of samples in a frame of 20 ms at 8,000 Hz. */
const SAMPLES = 160;
const FRAME_MS = 20;

export const FORMAT: AudioFormat = {
  sampleRate: 8_000,
  bytesPerFrame: SAMPLES,
  silence: 0,
  encode: (samples) => Uint8Array.from(samples, (sample) => sample & 0xff),
};

/** Number of frames that the voice needs for a text: two characters in each frame. */
export const framesOf = (text: string): number => Math.ceil(text.length / 2);

/** A voice without pauses that speaks all characters at the same rate. It makes no sound of a text in `silent`. */
export function evenVoice(silent: readonly string[] = []): Tts & { spoken: string[] } {
  const spoken: string[] = [];
  return {
    sampleRate: FORMAT.sampleRate,
    spoken,
    async *speak({ text }) {
      spoken.push(text);
      if (!silent.includes(text)) yield new Int16Array(framesOf(text) * SAMPLES).fill(9_000);
    },
  };
}

export type AudioPlayer = AudioSink & {
  frames: number;
  marks: string[];
  clears: number;
  /** Sends no marks back from now on. */
  loseMarks: () => void;
};

/**
 * The other side of a line. It plays each frame for 20 ms and sends a mark back when the frames before it were played.
 * Like Twilio, it sends the marks of cleared frames back immediately.
 */
export function createAudioPlayer(played: (mark: string) => void): AudioPlayer {
  let endMs = 0;
  let keepsMarks = false;
  let waiting: { name: string; timer: ReturnType<typeof setTimeout> }[] = [];
  const player: AudioPlayer = {
    frames: 0,
    marks: [],
    clears: 0,
    frame: () => {
      player.frames += 1;
      endMs = Math.max(endMs, monotonicMs()) + FRAME_MS;
    },
    mark: (name) => {
      player.marks.push(name);
      if (keepsMarks) return;
      const timer = setTimeout(() => played(name), endMs - monotonicMs());
      waiting.push({ name, timer });
    },
    clear: () => {
      player.clears += 1;
      endMs = 0;
      for (const { timer } of waiting) clearTimeout(timer);
      for (const { name } of waiting) setTimeout(() => played(name), 0);
      waiting = [];
    },
    loseMarks: () => {
      keepsMarks = true;
    },
  };
  return player;
}
