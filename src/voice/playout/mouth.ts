import { delay, monotonicMs, timeoutSignal } from '../../clock.ts';
import type { TurnRow } from '../../conversations/record/turns.sql.ts';
import type { Line } from '../line.ts';
import { createSpoken, type Utterance } from './spoken.ts';

/** Says utterances on a line, one after the other, and tracks the words that were heard. */
export type Mouth = {
  begin: () => Utterance;
  /** Says part of an utterance as it is generated. Ignores parts of an interrupted utterance. */
  say: (utterance: Utterance, text: string) => void;
  /** Says the rest of an utterance that is now a turn of the transcript. */
  finish: (utterance: Utterance, turn: TurnRow) => void;
  end: (utterance: Utterance) => void;
  /** Says a whole turn. `isKept` protects it from interruptions. */
  whole: (turn: TurnRow, isKept?: boolean) => void;
  /** Says words that are in no transcript. */
  aside: (text: string) => void;
  /** Presses keys after the words said before. */
  press: (keys: string) => void;
  interrupted: (heard: string) => Utterance[];
  heardAll: () => void;
  /** Resolves when all words can have been heard, or the signal is aborted. */
  untilHeard: (signal: AbortSignal) => Promise<void>;
  /** Stops speaking. */
  close: () => void;
};

/**
 * Estimated duration of a character, for a carrier that speaks itself and does not report playback. Nine hundred
 * characters take a minute.
 */
const CHARACTER_MS = 65;
/** Estimated duration of a key: its tone and the pause after it. */
const KEY_MS = 250;
const HEARD_MAX_MS = 60_000;
/** Index of an utterance that is not a turn. */
const ASIDE = -1;

export function createMouth(line: Line): Mouth {
  const spoken = createSpoken();
  /** The utterance that is open at the carrier. */
  let open: Utterance | undefined;
  let isClosed = false;
  let heardAtMs = 0;

  function utter(utterance: Utterance, text: string, isKept = false): void {
    if (utterance.heard !== undefined || text === '') return;
    if (open && open !== utterance) end(open);
    utterance.text += text;
    give(utterance, utterance.words.push(text), isKept);
  }

  /** Sends words of an uninterrupted utterance to the line. */
  function give(utterance: Utterance, text: string, isKept = false): void {
    if (isClosed || utterance.heard !== undefined || text === '') return;
    open = utterance;
    heardAtMs = Math.max(heardAtMs, monotonicMs());
    utterance.startMs ??= heardAtMs;
    heardAtMs += text.length * CHARACTER_MS;
    line.say(text, isKept);
  }

  function end(utterance: Utterance, isKept = false): void {
    const rest = utterance.words.end();
    if (open && open !== utterance && rest !== '') end(open);
    give(utterance, rest, isKept);
    if (open !== utterance) return;
    open = undefined;
    if (!isClosed) line.endUtterance(isKept);
  }

  return {
    begin: () => spoken.begin(),
    say: (utterance, text) => utter(utterance, text),
    finish: (utterance, { index, text }) => {
      utterance.index = index;
      // A failed turn gets an apology as its text, which does not continue the words already sent.
      if (text.startsWith(utterance.text)) utter(utterance, text.slice(utterance.text.length));
    },
    end: (utterance) => end(utterance),
    whole: ({ index, text }, isKept) => {
      const utterance = spoken.begin(index);
      utter(utterance, text, isKept);
      end(utterance, isKept);
    },
    aside: (text) => {
      if (line.aside) return isClosed ? undefined : line.aside(text);
      const utterance = spoken.begin(ASIDE);
      utter(utterance, text);
      end(utterance);
    },
    press: (keys) => {
      if (isClosed) return;
      // Later words are heard after the keys.
      if (open) end(open);
      heardAtMs = Math.max(heardAtMs, monotonicMs()) + keys.length * KEY_MS;
      line.sendKeys(keys);
    },
    interrupted: (heard) => {
      const times = { nowMs: monotonicMs(), freeMs: heardAtMs };
      open = undefined;
      heardAtMs = 0;
      return spoken.interrupted(heard, times);
    },
    heardAll: spoken.heardAll,
    untilHeard: (signal) => untilPlayed(line, { heardAtMs, signal }),
    close: () => {
      isClosed = true;
    },
  };
}

/** Waits until all words were played. `heardAtMs` is an estimate, for a line that does not report playback. */
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
