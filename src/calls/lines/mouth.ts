import { setTimeout as delay } from 'node:timers/promises';
import type { TurnRow } from '../../conversations/record/turns.sql.ts';
import type { Line } from './line.ts';
import { createSpoken, type Utterance } from './spoken.ts';

/** Says utterances on a line, one after the other, and knows what of them was heard. */
export type Mouth = {
  begin: () => Utterance;
  /** A part of one, as it comes; of one that was interrupted nothing more is said. */
  say: (utterance: Utterance, text: string) => void;
  /** Says what is left of it, now that it is a turn of the transcript. */
  finish: (utterance: Utterance, turn: TurnRow) => void;
  end: (utterance: Utterance) => void;
  /** Says a turn whole. */
  whole: (turn: TurnRow) => void;
  /** Says what is in no transcript. */
  aside: (text: string) => void;
  interrupted: (heard: string) => Utterance[];
  heardAll: () => void;
  /** Resolves when what was said can have been heard, or the signal is aborted. */
  untilHeard: (signal: AbortSignal) => Promise<void>;
  /** Says nothing more. */
  close: () => void;
};

/** A carrier that speaks does not tell when it has played something: nine hundred characters take a minute. */
const CHARACTER_MS = 65;
const HEARD_MAX_MS = 60_000;
/** Of what is no turn. */
const ASIDE = -1;

export function createMouth(line: Line): Mouth {
  const spoken = createSpoken();
  /** The utterance that is open at the carrier. */
  let open: Utterance | undefined;
  let isClosed = false;
  let heardAtMs = 0;

  function utter(utterance: Utterance, text: string): void {
    if (isClosed || utterance.heard !== undefined || text === '') return;
    if (open !== utterance) {
      if (open) line.endUtterance();
      open = utterance;
    }
    utterance.text += text;
    heardAtMs = Math.max(heardAtMs, performance.now()) + text.length * CHARACTER_MS;
    line.say(text);
  }

  function end(utterance: Utterance): void {
    if (open !== utterance) return;
    open = undefined;
    if (!isClosed) line.endUtterance();
  }

  return {
    begin: () => spoken.begin(),
    say: utter,
    finish: (utterance, { index, text }) => {
      utterance.index = index;
      // What failed is answered by an apology, whose words were not sent as they came.
      if (text.startsWith(utterance.text)) utter(utterance, text.slice(utterance.text.length));
    },
    end,
    whole: ({ index, text }) => {
      const utterance = spoken.begin(index);
      utter(utterance, text);
      end(utterance);
    },
    aside: (text) => {
      if (line.aside) return isClosed ? undefined : line.aside(text);
      const utterance = spoken.begin(ASIDE);
      utter(utterance, text);
      end(utterance);
    },
    interrupted: (heard) => {
      open = undefined;
      heardAtMs = 0;
      return spoken.interrupted(heard);
    },
    heardAll: spoken.heardAll,
    untilHeard: async (signal) => {
      if (line.untilPlayed) {
        const longest = AbortSignal.any([signal, AbortSignal.timeout(HEARD_MAX_MS)]);
        return line.untilPlayed(longest);
      }
      const leftMs = Math.min(heardAtMs - performance.now(), HEARD_MAX_MS);
      if (leftMs > 0) await delay(leftMs, undefined, { signal }).catch(() => undefined);
    },
    close: () => {
      isClosed = true;
    },
  };
}
