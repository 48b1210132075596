import { delay, monotonicMs } from '../../clock.ts';
import type { PlayoutOutput } from './playout-output.ts';
import { MS_PER_CHARACTER, type Segment } from './segment.ts';

/** A carrier that synthesizes the speech itself. */
export type TextSink = {
  say: (words: string, allowInterruptions: boolean) => void;
  endSegment: (allowInterruptions: boolean) => void;
  sendKeys: (keys: string) => void;
};

/** Estimated duration in ms of a DTMF tone and the pause after it. */
const KEY_MS = 250;

/**
 * Creates the output for a carrier that synthesizes the speech itself. The carrier queues the words it receives. It
 * does not report playback, except for the last words before an interruption.
 */
export function createTextOutput(sink: TextSink): PlayoutOutput {
  /** Estimated time at which playback of each segment starts. A segment without words has no entry. */
  const starts = new WeakMap<Segment, number>();
  /** Estimated time at which all sent words have been played. */
  let endMs = 0;

  return {
    pushText: (segment, words) => {
      endMs = Math.max(endMs, monotonicMs());
      if (!starts.has(segment)) starts.set(segment, endMs);
      endMs += words.length * MS_PER_CHARACTER;
      sink.say(words, segment.allowInterruptions);
    },
    flush: ({ allowInterruptions }) => sink.endSegment(allowInterruptions),
    sendKeys: (keys) => {
      endMs = Math.max(endMs, monotonicMs()) + keys.length * KEY_MS;
      sink.sendKeys(keys);
    },
    isPlaying: () => endMs > monotonicMs(),
    reportsPlayback: false,
    interrupt: (segments, reported = '') => {
      // A segment that was not sent yet starts after all sent words.
      const freeMs = Math.max(endMs, monotonicMs());
      const at = playing(segments, reported, (segment) => starts.get(segment) ?? freeMs);
      endMs = 0;
      const cuts = segments.slice(at).map((segment, i) => ({
        segment,
        chars: i === 0 ? playedPart(segment.words.said(), reported).length : 0,
      }));
      return { cuts };
    },
    waitForPlayout: async (signal) => {
      const leftMs = endMs - monotonicMs();
      if (leftMs > 0) await delay(leftMs, { signal }).catch(() => undefined);
    },
    stop: () => undefined,
  };
}

/** Creates an output that plays nothing. */
export function createSilentOutput(more: Pick<PlayoutOutput, 'aside'> = {}): PlayoutOutput {
  const nothing = (): void => undefined;
  return {
    pushText: nothing,
    flush: nothing,
    sendKeys: nothing,
    isPlaying: () => false,
    reportsPlayback: false,
    interrupt: () => undefined,
    waitForPlayout: async () => undefined,
    stop: nothing,
    ...more,
  };
}

/**
 * Returns the index of the interrupted segment. This is the last segment that contains the reported words, or the last
 * of all segments if none contains them. If no words were reported, it is the segment whose estimated start is closest
 * to the current time.
 */
function playing(
  segments: readonly Segment[],
  reported: string,
  startOf: (segment: Segment) => number,
): number {
  if (lettersOf(reported).letters === '') {
    const nowMs = monotonicMs();
    const off = segments.map((segment) => Math.abs(startOf(segment) - nowMs));
    return Math.max(0, off.lastIndexOf(Math.min(...off)));
  }
  const found = segments.findLastIndex(
    ({ words }) => placeOf(words.said(), reported) !== undefined,
  );
  return Math.max(0, found < 0 ? segments.length - 1 : found);
}

/**
 * Returns the beginning of a text, up to the last played word. Carriers report the words as spoken, with different
 * spaces and punctuation, and perhaps `forty-two pounds` for `£42`. If the reported words are not in the text, the
 * result is the same number of words from the beginning of the text.
 */
export function playedPart(text: string, reported: string): string {
  const end = placeOf(text, reported);
  if (end !== undefined) return text.slice(0, end).trimEnd();
  const words = reported.trim().split(/\s+/).length;
  return text.match(new RegExp(`^(?:\\s*\\S+){1,${words}}`))?.[0] ?? '';
}

/**
 * Returns the position in the text at which the reported words and the punctuation after them end. Returns undefined if
 * the text does not contain the words.
 */
function placeOf(text: string, reported: string): number | undefined {
  const words = lettersOf(reported);
  if (words.letters === '') return 0;
  const all = lettersOf(text);
  const at = all.letters.indexOf(words.letters);
  if (at < 0) return undefined;
  const last = all.places[at + words.letters.length - 1]!; // The search found these letters, so the index exists.
  const rest = /^[^\p{L}\p{N}\s]*/u.exec(text.slice(last))?.[0] ?? '';
  return last + rest.length;
}

/** Returns the letters and digits in lower case, each with the position in the text at which it ends. */
function lettersOf(text: string): { letters: string; places: number[] } {
  let letters = '';
  const places: number[] = [];
  for (const { 0: letter, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    for (const unit of letter.toLowerCase()) {
      letters += unit;
      for (let i = 0; i < unit.length; i += 1) places.push(index + letter.length);
    }
  }
  return { letters, places };
}
