import { delay } from '../../clock.ts';
import { createSentences } from '../tts/sentences.ts';
import { playedOfSegment, sentenceOf, type Heard, type AudioSegment } from './audio-segment.ts';
import { createAudioSegments } from './audio-segments.ts';
import { createAudioQueue, samplesPerFrameOf, type AudioQueueDeps } from './audio-queue.ts';

/** Speaker of text as audio. It tracks which part of the text the user has heard. */
export type AudioOutput = {
  /** Says text. With `isKept`, the user cannot interrupt the segment that this text begins. */
  say: (text: string, isKept?: boolean) => void;
  endSegment: () => void;
  /** Says words that do not appear in the transcript. */
  aside: (text: string) => void;
  /** Sends DTMF tones after the words said before. They cannot be interrupted. */
  sendKeys: (keys: string) => void;
  /** Returns whether audio is playing or waiting to be played. */
  isSpeaking: () => boolean;
  /** Notes that the other side has played all audio before this mark. */
  played: (mark: string) => void;
  /**
   * Stops speaking immediately. Returns the heard part of the segment that was playing, or undefined if no words of the
   * transcript were cut off.
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
    // A protected greeting is played in full. So are DTMF tones: they are meant for a machine, not for the user.
    if (!isSpeaking() || segments.isKept()) return undefined;
    const playedFrames = queue.clear();
    const cut = segments.drop();
    sentences = createSentences();
    // DTMF tones that were still waiting are sent nevertheless.
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
