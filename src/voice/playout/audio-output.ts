import { delay, monotonicMs } from '../../clock.ts';
import { createSentences } from '../tts/sentences.ts';
import { createAudioQueue, samplesPerFrameOf, type AudioQueueDeps } from './audio-queue.ts';
import type { Interruption, PlayoutOutput } from './playout-output.ts';
import type { Retranscriber } from './retranscriber.ts';
import type { Cut, Segment } from './segment.ts';
import { createSentence, playedOf, type Sentence } from './sentence.ts';

/** Output to a carrier or a web page that plays audio. */
export type AudioOutput = PlayoutOutput & {
  /** Records that the other side has played all audio before this mark. */
  played: (mark: string) => void;
};

export type AudioOutputDeps = Omit<AudioQueueDeps, 'keepsSound'> & {
  /**
   * Transcribes an interrupted sentence to find the last word that was played. Without a retranscriber, that word is
   * estimated from the audio alone.
   */
  retranscriber?: Pick<Retranscriber, 'listen'> | undefined;
};

const LOOK_MS = 20;

export function createAudioOutput(deps: AudioOutputDeps): AudioOutput {
  const { format, retranscriber } = deps;
  const queue = createAudioQueue({ ...deps, keepsSound: retranscriber !== undefined });
  const gone = new AbortController();
  const unplayed = createUnplayed();
  const splitter = createSplitter();
  let marks = 0;

  function add(what: Omit<Parameters<typeof createSentence>[0], 'mark'>): void {
    marks += 1;
    const sentence = createSentence({ ...what, mark: `s${marks}` });
    unplayed.add(sentence);
    queue.add(sentence);
  }

  const isPlaying = (): boolean =>
    unplayed.first() !== undefined || splitter.segment() !== undefined;

  function interrupt(segments: readonly Segment[]): Interruption | undefined {
    const playing = unplayed.first();
    const owner = playing ? playing.segment : splitter.segment();
    // A protected greeting is played in full. DTMF tones are also played in full, because they are meant for a machine
    // and not for the user.
    if (!owner?.allowInterruptions) return undefined;
    const playedFrames = queue.clear();
    const dropped = unplayed.drop();
    const cut = new Set([...dropped.map(({ segment }) => segment), splitter.drop()]);
    // DTMF tones that were waiting behind the dropped sentences are still sent.
    for (const { keys } of dropped) if (keys !== undefined) add({ keys });
    if (![...cut].some((segment) => segment?.isAside === false)) return undefined;
    const under = playing && playedOf(playing, playedFrames, samplesPerFrameOf(format));
    const cuts = segments
      .filter((segment) => cut.has(segment) || !segment.isEnded)
      .map((segment) =>
        under && segment === owner
          ? cutAt(playing, segment, under.guess)
          : { segment, chars: segment.playedChars },
      );
    if (!retranscriber || !under || owner.isAside) return { cuts };
    const refined = retranscriber
      .listen(under)
      .then((words) => (words === undefined ? undefined : cutAt(playing, owner, words)));
    return { cuts, refined };
  }

  return {
    pushText: (segment, words) => {
      if (!gone.signal.aborted) splitter.push(segment, words).forEach(add);
    },
    flush: () => splitter.end().forEach(add),
    sendKeys: (keys) => {
      if (!gone.signal.aborted) add({ keys });
    },
    isPlaying,
    reportsPlayback: true,
    played: unplayed.played,
    interrupt,
    waitForPlayout: async (signal) => {
      const either = AbortSignal.any([signal, gone.signal]);
      while (!either.aborted && isPlaying()) {
        await delay(LOOK_MS, { signal: either }).catch(() => undefined);
      }
    },
    stop: () => {
      gone.abort();
      queue.stop();
      unplayed.drop();
      splitter.drop();
    },
  };
}

/**
 * Returns the position in a segment at which playback was interrupted. `words` is the played part of the interrupted
 * sentence. If `words` is empty, the position is the end of the previous sentence. If it were the start of the
 * interrupted sentence, the Markdown marks between the two sentences would count as played.
 */
const cutAt = ({ start }: Sentence, segment: Segment, words: string): Cut => ({
  segment,
  chars: words === '' ? segment.playedChars : start + words.length,
});

/** Sentences and keys that were not played completely, in order. */
type Unplayed = {
  add: (sentence: Sentence) => void;
  /** Records that the other side has played all audio before this mark. */
  played: (mark: string) => void;
  /** Returns the sentence that is playing or, if none is, the one to be played next. */
  first: () => Sentence | undefined;
  /** Removes and returns all sentences. */
  drop: () => readonly Sentence[];
};

/**
 * Time in ms after a sentence's last frame. When it has passed, the sentence counts as played even if its mark has not
 * come back, because some carriers do not report marks.
 */
const MARK_LOST_MS = 3_000;

function createUnplayed(): Unplayed {
  let sentences: Sentence[] = [];

  function confirm(count: number): void {
    for (const { segment, end } of sentences.splice(0, count)) {
      if (segment) segment.playedChars = end;
    }
  }

  return {
    add: (sentence) => void sentences.push(sentence),
    played: (mark) => {
      // Carriers also send back the marks of dropped sentences. Those marks match no sentence here.
      const at = sentences.findIndex((one) => one.mark === mark && one.sentMs !== undefined);
      confirm(at + 1);
    },
    first: () => {
      const nowMs = monotonicMs();
      const at = sentences.findIndex(({ isMade, frames, sentMs }) => {
        // A sentence without audio counts as played when all sentences before it have been played.
        const isSilent = isMade && frames === 0;
        const isLost = sentMs !== undefined && nowMs - sentMs > MARK_LOST_MS;
        return !isSilent && !isLost;
      });
      confirm(at < 0 ? sentences.length : at);
      return sentences[0];
    },
    drop: () => {
      const dropped = sentences;
      sentences = [];
      return dropped;
    },
  };
}

type Piece = Pick<Sentence, 'text' | 'start'> & { segment: Segment };

/** Splits the words of segments into sentences and determines their positions. */
type Splitter = {
  push: (segment: Segment, words: string) => Piece[];
  end: () => Piece[];
  /** Returns the segment that is being split, if any. */
  segment: () => Segment | undefined;
  /** Drops the words that have not been split yet, and returns their segment. */
  drop: () => Segment | undefined;
};

function createSplitter(): Splitter {
  let sentences = createSentences();
  /** `rest` is the part of the segment that has not been split yet, and `at` is its position. */
  let run: { segment: Segment; rest: string; at: number } | undefined;

  /**
   * Adds the position in the segment to each sentence. In the words to speak, two sentences are separated only by white
   * space, so the search finds the right position.
   */
  const place = (of: NonNullable<typeof run>, texts: readonly string[]): Piece[] =>
    texts.map((text) => {
      const from = of.rest.indexOf(text);
      const start = of.at + from;
      of.rest = of.rest.slice(from + text.length);
      of.at = start + text.length;
      return { text, segment: of.segment, start };
    });

  return {
    push: (segment, words) => {
      // A segment that continues after an aside begins at `sentChars`, not at 0.
      run ??= { segment, rest: '', at: segment.sentChars };
      run.rest += words;
      return place(run, sentences.push(words));
    },
    end: () => {
      const ended = run;
      run = undefined;
      return ended ? place(ended, sentences.end()) : [];
    },
    segment: () => run?.segment,
    drop: () => {
      const dropped = run?.segment;
      run = undefined;
      sentences = createSentences();
      return dropped;
    },
  };
}
