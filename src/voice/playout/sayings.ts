import { monotonicMs } from '../../clock.ts';
import { isOver, played, type Saying } from './saying.ts';

/** Utterances that are not completely played, in order. */
export type Sayings = {
  begin: (kind: Pick<Saying, 'isOwn' | 'isKept'>) => Saying;
  /** Returns the utterance that still grows, if any. */
  open: () => Saying | undefined;
  /** Notes that the other side has played everything before this mark. */
  played: (mark: string) => void;
  isEmpty: () => boolean;
  /** Whether the utterance that is playing, or next, ignores interruptions. */
  isKept: () => boolean;
  /** Removes and returns all utterances. */
  drop: () => readonly Saying[];
};

/** Time after the last frame when a sentence counts as played without a mark. Some carriers report no marks. */
const MARK_LOST_MS = 3_000;

export function createSayings(): Sayings {
  let sayings: Saying[] = [];
  const sentences = () => sayings.flatMap((saying) => saying.sentences);

  /** Removes played utterances. A sentence without sound counts as played when its turn comes. */
  function settle(): void {
    const nowMs = monotonicMs();
    for (const sentence of sentences()) {
      const { isMade, frames, sentMs } = sentence;
      const isSilent = isMade && frames === 0;
      const isLost = sentMs !== undefined && nowMs - sentMs > MARK_LOST_MS;
      if (isSilent || isLost) played(sentence);
      if (!sentence.isPlayed) break;
    }
    while (sayings[0] && isOver(sayings[0])) sayings.shift();
  }

  return {
    begin: (kind) => {
      const saying: Saying = { sentences: [], isEnded: false, ...kind };
      sayings.push(saying);
      return saying;
    },
    open: () => {
      const last = sayings.at(-1);
      return last?.isEnded ? undefined : last;
    },
    played: (mark) => {
      const all = sentences();
      // Carriers also echo the marks of cleared sentences, which match nothing here.
      const at = all.findIndex((sentence) => sentence.mark === mark);
      for (const sentence of all.slice(0, at + 1)) played(sentence);
    },
    isEmpty: () => {
      settle();
      return sayings.length === 0;
    },
    isKept: () => {
      settle();
      return sayings[0]?.isKept === true;
    },
    drop: () => {
      const dropped = sayings;
      sayings = [];
      return dropped;
    },
  };
}
