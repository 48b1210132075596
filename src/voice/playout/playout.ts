import { delay, monotonicMs, timeoutSignal } from '../../clock.ts';
import type { TurnRow } from '../../conversations/record/turns.sql.ts';
import type { Line } from '../line.ts';
import { createSegments, type Segment } from './segments.ts';

/** Speaker of segments on a line, one after the other. It tracks the words that the user heard. */
export type Playout = {
  begin: () => Segment;
  /** Says part of a segment as it is generated. Ignores parts of an interrupted segment. */
  say: (segment: Segment, text: string) => void;
  /** Says the rest of a segment that has been stored as a turn of the transcript. */
  finish: (segment: Segment, turn: TurnRow) => void;
  end: (segment: Segment) => void;
  /** Says a whole turn. With `isKept`, the user cannot interrupt it. */
  whole: (turn: TurnRow, isKept?: boolean) => void;
  /** Says words that do not appear in the transcript. */
  aside: (text: string) => void;
  /** Sends DTMF tones after the words said before. */
  press: (keys: string) => void;
  interrupted: (heard: string) => Segment[];
  heardAll: () => void;
  /** Resolves when all words have presumably been heard, or when the signal is aborted. */
  untilHeard: (signal: AbortSignal) => Promise<void>;
  /** Stops speaking. */
  close: () => void;
};

/**
 * Estimated duration of a character, for a carrier that synthesizes the speech itself and does not report playback. At
 * this rate 900 characters take a minute.
 */
const CHARACTER_MS = 65;
/** Estimated duration of a DTMF key: its tone and the pause after it. */
const KEY_MS = 250;
const HEARD_MAX_MS = 60_000;
/** Index of a segment that does not belong to a turn. */
const ASIDE = -1;

export function createPlayout(line: Line): Playout {
  const segments = createSegments();
  /** The segment that the line has begun and not ended. */
  let open: Segment | undefined;
  let isClosed = false;
  let heardAtMs = 0;

  function utter(segment: Segment, text: string, isKept = false): void {
    if (segment.heard !== undefined || text === '') return;
    if (open && open !== segment) end(open);
    segment.text += text;
    give(segment, segment.words.push(text), isKept);
  }

  /** Sends words of a segment to the line, unless the segment was interrupted. */
  function give(segment: Segment, text: string, isKept = false): void {
    if (isClosed || segment.heard !== undefined || text === '') return;
    open = segment;
    heardAtMs = Math.max(heardAtMs, monotonicMs());
    segment.startMs ??= heardAtMs;
    heardAtMs += text.length * CHARACTER_MS;
    line.say(text, isKept);
  }

  function end(segment: Segment, isKept = false): void {
    const rest = segment.words.end();
    if (open && open !== segment && rest !== '') end(open);
    give(segment, rest, isKept);
    if (open !== segment) return;
    open = undefined;
    if (!isClosed) line.endSegment(isKept);
  }

  return {
    begin: () => segments.begin(),
    say: (segment, text) => utter(segment, text),
    finish: (segment, { index, text }) => {
      segment.index = index;
      // The text of a failed turn is an apology. It does not continue the words that were already sent.
      if (text.startsWith(segment.text)) utter(segment, text.slice(segment.text.length));
    },
    end: (segment) => end(segment),
    whole: ({ index, text }, isKept) => {
      const segment = segments.begin(index);
      utter(segment, text, isKept);
      end(segment, isKept);
    },
    aside: (text) => {
      if (line.aside) return isClosed ? undefined : line.aside(text);
      const segment = segments.begin(ASIDE);
      utter(segment, text);
      end(segment);
    },
    press: (keys) => {
      if (isClosed) return;
      // Ends the segment, so that later words are heard after the tones.
      if (open) end(open);
      heardAtMs = Math.max(heardAtMs, monotonicMs()) + keys.length * KEY_MS;
      line.sendKeys(keys);
    },
    interrupted: (heard) => {
      const times = { nowMs: monotonicMs(), freeMs: heardAtMs };
      open = undefined;
      heardAtMs = 0;
      return segments.interrupted(heard, times);
    },
    heardAll: segments.heardAll,
    untilHeard: (signal) => untilPlayed(line, { heardAtMs, signal }),
    close: () => {
      isClosed = true;
    },
  };
}

/** Waits until all words were played. `heardAtMs` is an estimated time, used if the line does not report playback. */
async function untilPlayed(
  line: Line,
  { heardAtMs, signal }: { heardAtMs: number; signal: AbortSignal },
): Promise<void> {
  if (line.untilPlayed) {
    return line.untilPlayed(AbortSignal.any([signal, timeoutSignal(HEARD_MAX_MS)]));
  }
  const leftMs = Math.min(heardAtMs - monotonicMs(), HEARD_MAX_MS);
  if (leftMs > 0) await delay(leftMs, { signal }).catch(() => undefined);
}
