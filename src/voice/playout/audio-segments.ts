import { monotonicMs } from '../../clock.ts';
import { isOver, played, type AudioSegment } from './audio-segment.ts';

/** Segments that have not been played completely, in the order in which they are spoken. */
export type AudioSegments = {
  begin: (kind: Pick<AudioSegment, 'isOwn' | 'isKept'>) => AudioSegment;
  /** Returns the segment to which sentences may still be added, if any. */
  open: () => AudioSegment | undefined;
  /** Notes that the other side has played all audio before this mark. */
  played: (mark: string) => void;
  isEmpty: () => boolean;
  /** Returns whether the segment that is playing, or plays next, cannot be interrupted. */
  isKept: () => boolean;
  /** Removes and returns all segments. */
  drop: () => readonly AudioSegment[];
};

/**
 * Time after its last frame at which a sentence counts as played even if no mark came back. Some carriers report no
 * marks.
 */
const MARK_LOST_MS = 3_000;

export function createAudioSegments(): AudioSegments {
  let segments: AudioSegment[] = [];
  const sentences = () => segments.flatMap((segment) => segment.sentences);

  /**
   * Removes segments that were played. A sentence without audio counts as played when all sentences before it have been
   * played.
   */
  function settle(): void {
    const nowMs = monotonicMs();
    for (const sentence of sentences()) {
      const { isMade, frames, sentMs } = sentence;
      const isSilent = isMade && frames === 0;
      const isLost = sentMs !== undefined && nowMs - sentMs > MARK_LOST_MS;
      if (isSilent || isLost) played(sentence);
      if (!sentence.isPlayed) break;
    }
    while (segments[0] && isOver(segments[0])) segments.shift();
  }

  return {
    begin: (kind) => {
      const segment: AudioSegment = { sentences: [], isEnded: false, ...kind };
      segments.push(segment);
      return segment;
    },
    open: () => {
      const last = segments.at(-1);
      return last?.isEnded ? undefined : last;
    },
    played: (mark) => {
      const all = sentences();
      // Carriers also send back the marks of dropped sentences. Those marks match no sentence here.
      const at = all.findIndex((sentence) => sentence.mark === mark);
      for (const sentence of all.slice(0, at + 1)) played(sentence);
    },
    isEmpty: () => {
      settle();
      return segments.length === 0;
    },
    isKept: () => {
      settle();
      return segments[0]?.isKept === true;
    },
    drop: () => {
      const dropped = segments;
      segments = [];
      return dropped;
    },
  };
}
