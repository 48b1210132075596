import { delay } from '../../clock.ts';
import { createSentences } from '../../speech/synthesis/sentences.ts';
import { heardOfSaying, sentenceOf, type Heard, type Saying } from './saying.ts';
import { createSayings } from './sayings.ts';
import { createSoundQueue, samplesPerFrameOf, type SoundQueueDeps } from './sound-queue.ts';

/** Text is said as sound, and it is known what of it was heard. */
export type Speaker = {
  /** `isKept`: nobody interrupts the utterance that it begins. */
  say: (text: string, isKept?: boolean) => void;
  endUtterance: () => void;
  /** Says what is in no transcript. */
  aside: (text: string) => void;
  /** Presses keys, after what was said before; nobody interrupts that. */
  sendKeys: (keys: string) => void;
  /** Something is heard, or will be. */
  isSpeaking: () => boolean;
  /** The other side has played what comes before this mark. */
  played: (mark: string) => void;
  /**
   * Silence, at once. Returns what was heard of the utterance that was playing; undefined: nothing was that
   * stands in a transcript.
   */
  interrupt: () => Heard | undefined;
  /** Resolves when nothing is left to be heard, or the signal is aborted. */
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
    endUtterance();
    const saying = sayings.begin({ isOwn: true, isKept: true });
    put(saying, '', keys);
    saying.isEnded = true;
  }

  function say(text: string, isOwn: boolean, isKept = false): void {
    if (gone.signal.aborted) return;
    add(sayings.open() ?? sayings.begin({ isOwn, isKept }), sentences.push(text));
  }

  function endUtterance(): void {
    const last = sayings.open();
    if (!last) return;
    add(last, sentences.end());
    last.isEnded = true;
  }

  function interrupt(): Heard | undefined {
    // A greeting is heard first, and whoever speaks into keys does not hear them.
    if (!isSpeaking() || sayings.isKept()) return undefined;
    const playedFrames = queue.clear();
    const cut = sayings.drop();
    sentences = createSentences();
    // Keys that wait behind are pressed all the same.
    for (const { sentences: waiting } of cut)
      for (const { keys } of waiting) if (keys !== undefined) sendKeys(keys);
    if (cut.every(({ isOwn }) => isOwn)) return undefined;
    if (cut[0]!.isOwn) return { whole: '' };
    return heardOfSaying(cut[0]!, playedFrames, samplesPerFrameOf(deps.format));
  }

  return {
    say: (text, isKept) => say(text, false, isKept),
    endUtterance,
    aside: (text) => {
      endUtterance();
      say(text, true);
      endUtterance();
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
