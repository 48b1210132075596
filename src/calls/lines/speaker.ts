import { setTimeout as delay } from 'node:timers/promises';
import { createSentences } from '../../speech/synthesis/sentences.ts';
import { heardOfSaying, isOver, sentenceOf, type Saying } from './saying.ts';
import { createSoundQueue, type SoundQueueDeps } from './sound-queue.ts';

/** Text is said as sound, and it is known what of it was heard. */
export type Speaker = {
  say: (text: string) => void;
  endUtterance: () => void;
  /** Says what is in no transcript. */
  aside: (text: string) => void;
  /** Something is heard, or will be. */
  isSpeaking: () => boolean;
  /** The other side has played what comes before this mark. */
  played: (mark: string) => void;
  /**
   * Silence, at once. Returns what was heard of the utterance that was playing; undefined: nothing was that
   * stands in a transcript.
   */
  interrupt: () => string | undefined;
  /** Resolves when nothing is left to be heard, or the signal is aborted. */
  untilPlayed: (signal: AbortSignal) => Promise<void>;
  close: () => void;
};

/** After its last frame was sent; some carriers tell of no marks. */
const MARK_LOST_MS = 3_000;
const LOOK_MS = 20;

export function createSpeaker(deps: SoundQueueDeps): Speaker {
  const queue = createSoundQueue(deps);
  const gone = new AbortController();
  let sayings: Saying[] = [];
  let sentences = createSentences();
  let marks = 0;

  function current(): Saying {
    const last = sayings.at(-1);
    if (last && !last.isEnded) return last;
    const begun: Saying = { sentences: [], isEnded: false, isOwn: false };
    sayings.push(begun);
    return begun;
  }

  function add(saying: Saying, texts: readonly string[]): void {
    for (const text of texts) {
      marks += 1;
      const sentence = sentenceOf(text, `s${marks}`);
      saying.sentences.push(sentence);
      queue.add(sentence);
    }
  }

  /** Forgets what was played. What became no sound counts as such once its turn has come. */
  function settle(): void {
    const nowMs = performance.now();
    for (const sentence of sayings.flatMap((saying) => saying.sentences)) {
      const { isMade, frames, sentMs } = sentence;
      const isSilent = isMade && frames === 0;
      const isLost = sentMs !== undefined && nowMs - sentMs > MARK_LOST_MS;
      sentence.isPlayed ||= isSilent || isLost;
      if (!sentence.isPlayed) break;
    }
    while (sayings[0] && isOver(sayings[0])) sayings.shift();
  }

  function isSpeaking(): boolean {
    settle();
    return sayings.length > 0;
  }

  function endUtterance(): void {
    const last = sayings.at(-1);
    if (!last || last.isEnded) return;
    add(last, sentences.end());
    last.isEnded = true;
  }

  function interrupt(): string | undefined {
    if (!isSpeaking()) return undefined;
    const playedFrames = queue.clear();
    const cut = sayings;
    sayings = [];
    sentences = createSentences();
    if (cut.every(({ isOwn }) => isOwn)) return undefined;
    return cut[0]!.isOwn ? '' : heardOfSaying(cut[0]!, playedFrames);
  }

  return {
    say: (text) => {
      if (!gone.signal.aborted) add(current(), sentences.push(text));
    },
    endUtterance,
    aside: (text) => {
      if (gone.signal.aborted) return;
      endUtterance();
      const saying = { sentences: [], isEnded: true, isOwn: true };
      sayings.push(saying);
      add(saying, [text]);
    },
    isSpeaking,
    played: (mark) => {
      const all = sayings.flatMap((saying) => saying.sentences);
      const at = all.findIndex((sentence) => sentence.mark === mark);
      // One that was cleared is echoed too: nobody knows it any more.
      for (const sentence of all.slice(0, at + 1)) sentence.isPlayed = true;
      settle();
    },
    interrupt,
    untilPlayed: async (signal) => {
      const either = AbortSignal.any([signal, gone.signal]);
      while (!either.aborted && isSpeaking()) {
        await delay(LOOK_MS, undefined, { signal: either }).catch(() => undefined);
      }
    },
    close: () => {
      gone.abort();
      queue.stop();
      sayings = [];
    },
  };
}
