import { delay, monotonicMs } from '../../clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { soundOfKeys } from '../audio/dtmf.ts';
import { createPacer, FRAME_MS } from '../audio/pacer.ts';
import type { Tts } from '../tts/tts.ts';
import { synthesize } from './synthesize.ts';
import type { Sentence } from './sentence.ts';

/** Queue that synthesizes sentences one after the other and sends their audio at the pace of playback. */
export type AudioQueue = {
  add: (sentence: Sentence) => void;
  /**
   * Drops all unplayed audio, in this process and on the other side. Returns the number of frames played since the last
   * `clear`.
   */
  clear: () => number;
  /** Stops sending. */
  stop: () => void;
};

export const samplesPerFrameOf = ({ sampleRate }: Pick<AudioFormat, 'sampleRate'>): number =>
  (sampleRate * FRAME_MS) / 1_000;

/** Encoding of the audio on a line. */
export type AudioFormat = {
  sampleRate: number;
  bytesPerFrame: number;
  silence: number;
  encode: (samples: Int16Array) => Uint8Array;
};

/** The other side of the line, which plays frames in order. */
export type AudioSink = {
  frame: (bytes: Uint8Array) => void;
  /** Asks the other side to report that it has played all frames before this mark. */
  mark: (name: string) => void;
  /** Drops unplayed frames. */
  clear: () => void;
};

export type AudioQueueDeps = {
  tts: Tts;
  /** Language of the agent (BCP 47). */
  language: string | undefined;
  format: AudioFormat;
  sink: AudioSink;
  log: Logger;
  /** Whether to keep the audio of the sentences, so that it can be transcribed. */
  keepsSound: boolean;
};

/** Number of frames sent before they are due, so that a late timer causes no audible gap. */
const AHEAD_FRAMES = 5;
/**
 * Maximum length in ms of audio to synthesize ahead of playback. The length is limited because audio that is discarded
 * after an interruption still costs money.
 */
const MADE_AHEAD_MS = 15_000;
const LOOK_MS = 100;

export function createAudioQueue(deps: AudioQueueDeps): AudioQueue {
  const { sink } = deps;
  const sender = createSender(deps);
  let waiting: Sentence[] = [];
  let wanted = new AbortController();
  let isMaking = false;

  async function make(sentence: Sentence, { signal }: AbortController): Promise<void> {
    while (sender.queuedMs() > MADE_AHEAD_MS) {
      await delay(LOOK_MS);
      if (signal.aborted) return;
    }
    sender.begin(sentence);
    const isWhole = await soundOf(sentence, signal);
    if (!signal.aborted) sender.end(sentence, isWhole);
  }

  async function soundOf(sentence: Sentence, signal: AbortSignal): Promise<boolean> {
    const take = (samples: Int16Array): void => sender.push(sentence, samples);
    if (sentence.keys === undefined) return synthesize(deps, sentence.text, signal, take);
    take(soundOfKeys(sentence.keys, deps.format.sampleRate));
    return true;
  }

  /**
   * Synthesizes the waiting sentences. After an interruption, a new loop starts without waiting for the aborted loop to
   * end.
   */
  async function makeAll(): Promise<void> {
    if (isMaking) return;
    isMaking = true;
    const mine = wanted;
    while (!mine.signal.aborted && waiting.length > 0) await make(waiting.shift()!, mine);
    if (mine === wanted) isMaking = false;
  }

  function drop(): number {
    const playedFrames = sender.clear();
    wanted.abort();
    wanted = new AbortController();
    waiting = [];
    isMaking = false;
    return playedFrames;
  }

  return {
    add: (sentence) => {
      waiting.push(sentence);
      void makeAll();
    },
    clear: () => {
      const playedFrames = drop();
      sink.clear();
      return playedFrames;
    },
    stop: () => {
      drop();
      sender.stop();
    },
  };
}

/** Sends audio at the pace of playback, and a mark after each sentence. */
type Sender = {
  begin: (sentence: Sentence) => void;
  push: (sentence: Sentence, samples: Int16Array) => void;
  end: (sentence: Sentence, isWhole: boolean) => void;
  queuedMs: () => number;
  /** Drops all unsent audio. Returns the number of frames played since the last `clear`. */
  clear: () => number;
  stop: () => void;
};

function createSender({
  format,
  sink,
  keepsSound,
}: Pick<AudioQueueDeps, 'format' | 'sink' | 'keepsSound'>): Sender {
  const { bytesPerFrame } = format;
  const samplesPerFrame = samplesPerFrameOf(format);
  /** Sentences whose mark has not been sent yet. */
  let unmarked: Sentence[] = [];
  let madeBytes = 0;
  /** Number of samples synthesized so far for the current sentence. */
  let madeSamples = 0;
  let sentFrames = 0;

  const pacer = createPacer({
    ...format,
    aheadFrames: AHEAD_FRAMES,
    send: (frame) => {
      sentFrames += 1;
      sink.frame(frame);
      markSent();
    },
  });

  function markSent(): void {
    for (let next = unmarked[0]; next?.isMade; next = unmarked[0]) {
      if (next.startFrame + next.frames > sentFrames) return;
      unmarked.shift();
      // A sentence without sound gets no mark; `first` in `audio-output.ts` counts it as played.
      if (next.frames === 0) continue;
      next.sentMs = monotonicMs();
      sink.mark(next.mark);
    }
  }

  function count(sentence: Sentence, bytes: number): void {
    madeBytes = bytes;
    sentence.frames = Math.floor(madeBytes / bytesPerFrame) - sentence.startFrame;
  }

  return {
    begin: (sentence) => {
      sentence.startFrame = madeBytes / bytesPerFrame;
      madeSamples = 0;
      unmarked.push(sentence);
    },
    push: (sentence, samples) => {
      const bytes = format.encode(samples);
      if (keepsSound) sentence.sound.push(samples);
      for (const sample of samples) {
        const frame = Math.floor(madeSamples / samplesPerFrame);
        sentence.peaks[frame] = Math.max(sentence.peaks[frame] ?? 0, Math.abs(sample));
        madeSamples += 1;
      }
      count(sentence, madeBytes + bytes.length);
      pacer.push(bytes);
    },
    end: (sentence, isWhole) => {
      // Rounds up, because the pacer pads the last frame.
      count(sentence, Math.ceil(madeBytes / bytesPerFrame) * bytesPerFrame);
      sentence.isCut = !isWhole;
      sentence.isMade = true;
      pacer.flush();
      markSent();
    },
    queuedMs: pacer.queuedMs,
    clear: () => {
      const { playedMs } = pacer.clear();
      unmarked = [];
      madeBytes = sentFrames = 0;
      return Math.floor(playedMs / FRAME_MS);
    },
    stop: pacer.stop,
  };
}
