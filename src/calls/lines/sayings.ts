import { monotonicMs } from '../../clock.ts';
import { isOver, played, type Saying } from './saying.ts';

/** What was not played to its end yet, in order. */
export type Sayings = {
  begin: (kind: Pick<Saying, 'isOwn' | 'isKept'>) => Saying;
  /** That is added to; undefined: there is none. */
  open: () => Saying | undefined;
  /** The other side has played what comes before this mark. */
  played: (mark: string) => void;
  isEmpty: () => boolean;
  /** Whether what is playing, or next, is not to be interrupted. */
  isKept: () => boolean;
  /** Forgets all; returns it. */
  drop: () => readonly Saying[];
};

/** After its last frame was sent; some carriers tell of no marks. */
const MARK_LOST_MS = 3_000;

export function createSayings(): Sayings {
  let sayings: Saying[] = [];
  const sentences = () => sayings.flatMap((saying) => saying.sentences);

  /** Forgets what was played. What became no sound counts as such once its turn has come. */
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
      // One that was cleared is echoed too: nobody knows it any more.
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
