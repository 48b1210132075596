import { delay } from '../../clock.ts';
import { createSentences } from '../tts/sentences.ts';
import { heardOfSaying, sentenceOf, type Heard, type Saying } from './saying.ts';
import { createSayings } from './sayings.ts';
import { createSoundQueue, samplesPerFrameOf, type SoundQueueDeps } from './sound-queue.ts';

/** Speaks text as sound, and tracks the part that was heard. */
export type Speaker = {
  /** Says text. `isKept` protects the utterance that it begins from interruptions. */
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
   * Stops speaking immediately. Returns the heard part of the utterance that was playing; undefined if nothing that
   * belongs in a transcript was cut.
   */
  interrupt: () => Heard | undefined;
  /** Resolves when everything was played, or the signal is aborted. */
  untilPlayed: (signal: AbortSignal) => Promise<void>;
  close: () => void;
};

const LOOK_MS = 20;

export function createSpeaker(deps: SoundQueueDeps): Speaker {
  const queue = createSoundQueue(deps);
  const sayings = createSayings();
  const gone = new AbortController();
  let sentences = createSentences();
  let marks = 0;
  const isSpeaking = (): boolean => !sayings.isEmpty();

  function put(saying: Saying, text: string, keys?: string): void {
    marks += 1;
    const sentence = sentenceOf(text, `s${marks}`, keys);
    saying.sentences.push(sentence);
    queue.add(sentence);
  }

  function add(saying: Saying, texts: readonly string[]): void {
    for (const text of texts) put(saying, text);
  }

  function sendKeys(keys: string): void {
    if (gone.signal.aborted) return;
    endSegment();
    const saying = sayings.begin({ isOwn: true, isKept: true });
    put(saying, '', keys);
    saying.isEnded = true;
  }

  function say(text: string, isOwn: boolean, isKept = false): void {
    if (gone.signal.aborted) return;
    add(sayings.open() ?? sayings.begin({ isOwn, isKept }), sentences.push(text));
  }

  function endSegment(): void {
    const last = sayings.open();
    if (!last) return;
    add(last, sentences.end());
    last.isEnded = true;
  }

  function interrupt(): Heard | undefined {
    // A greeting that is kept is heard in full. Keys are sent in full, because the user does not hear them.
    if (!isSpeaking() || sayings.isKept()) return undefined;
    const playedFrames = queue.clear();
    const cut = sayings.drop();
    sentences = createSentences();
    // Keys that were waiting are still pressed.
    for (const { sentences: waiting } of cut)
      for (const { keys } of waiting) if (keys !== undefined) sendKeys(keys);
    if (cut.every(({ isOwn }) => isOwn)) return undefined;
    if (cut[0]!.isOwn) return { whole: '' };
    return heardOfSaying(cut[0]!, playedFrames, samplesPerFrameOf(deps.format));
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
    played: sayings.played,
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
      sayings.drop();
    },
  };
}
