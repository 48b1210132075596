import { delay } from '../../clock.ts';
import { createSentences } from '../tts/sentences.ts';
import { playedOfSegment, sentenceOf, type Heard, type AudioSegment } from './audio-segment.ts';
import { createAudioSegments } from './audio-segments.ts';
import { createAudioQueue, samplesPerFrameOf, type AudioQueueDeps } from './audio-queue.ts';

/** Speaks text as sound, and tracks the part that was heard. */
export type AudioOutput = {
  /** Says text. `isKept` protects the segment that it begins from interruptions. */
  say: (text: string, isKept?: boolean) => void;
  endSegment: () => void;
  /** Says words that are in no transcript. */
  aside: (text: string) => void;
  /** Presses keys after the words said before. Nothing interrupts the keys. */
  sendKeys: (keys: string) => void;
  /** Whether sound is playing or waiting. */
  isSpeaking: () => boolean;
  /** Notes that the other side has played everything before this mark. */
  played: (mark: string) => void;
  /**
   * Stops speaking immediately. Returns the heard part of the segment that was playing; undefined if nothing that
   * belongs in a transcript was cut.
   */
  interrupt: () => Heard | undefined;
  /** Resolves when everything was played, or the signal is aborted. */
  untilPlayed: (signal: AbortSignal) => Promise<void>;
  close: () => void;
};

const LOOK_MS = 20;

export function createAudioOutput(deps: AudioQueueDeps): AudioOutput {
  const queue = createAudioQueue(deps);
  const segments = createAudioSegments();
  const gone = new AbortController();
  let sentences = createSentences();
  let marks = 0;
  const isSpeaking = (): boolean => !segments.isEmpty();

  function put(segment: AudioSegment, text: string, keys?: string): void {
    marks += 1;
    const sentence = sentenceOf(text, `s${marks}`, keys);
    segment.sentences.push(sentence);
    queue.add(sentence);
  }

  function add(segment: AudioSegment, texts: readonly string[]): void {
    for (const text of texts) put(segment, text);
  }

  function sendKeys(keys: string): void {
    if (gone.signal.aborted) return;
    endSegment();
    const segment = segments.begin({ isOwn: true, isKept: true });
    put(segment, '', keys);
    segment.isEnded = true;
  }

  function say(text: string, isOwn: boolean, isKept = false): void {
    if (gone.signal.aborted) return;
    add(segments.open() ?? segments.begin({ isOwn, isKept }), sentences.push(text));
  }

  function endSegment(): void {
    const last = segments.open();
    if (!last) return;
    add(last, sentences.end());
    last.isEnded = true;
  }

  function interrupt(): Heard | undefined {
    // A greeting that is kept is heard in full. Keys are sent in full, because the user does not hear them.
    if (!isSpeaking() || segments.isKept()) return undefined;
    const playedFrames = queue.clear();
    const cut = segments.drop();
    sentences = createSentences();
    // Keys that were waiting are still pressed.
    for (const { sentences: waiting } of cut)
      for (const { keys } of waiting) if (keys !== undefined) sendKeys(keys);
    if (cut.every(({ isOwn }) => isOwn)) return undefined;
    if (cut[0]!.isOwn) return { whole: '' };
    return playedOfSegment(cut[0]!, playedFrames, samplesPerFrameOf(deps.format));
  }

  return {
    say: (text, isKept) => say(text, false, isKept),
    endSegment,
    aside: (text) => {
      endSegment();
      say(text, true);
      endSegment();
    },
    sendKeys,
    isSpeaking,
    played: segments.played,
    interrupt,
    untilPlayed: async (signal) => {
      const either = AbortSignal.any([signal, gone.signal]);
      while (!either.aborted && isSpeaking()) {
        await delay(LOOK_MS, { signal: either }).catch(() => undefined);
      }
    },
    close: () => {
      gone.abort();
      queue.stop();
      segments.drop();
    },
  };
}
