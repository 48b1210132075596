import { timeoutSignal } from '../../clock.ts';
import type { TurnRow } from '../../conversations/record/turns.sql.ts';
import type { PlayoutOutput } from './playout-output.ts';
import { createSegment, cutSegment, type Segment } from './segment.ts';

/** Plays segments one after the other on any kind of output, and tracks which text was played. */
export type Playout = {
  begin: () => Segment;
  /** Speaks part of a segment as it is generated. Ignores parts of an interrupted segment. */
  say: (segment: Segment, text: string) => void;
  /** Speaks the rest of a segment that has been stored as a turn of the transcript. */
  finish: (segment: Segment, turn: TurnRow) => void;
  end: (segment: Segment) => void;
  /** Speaks a whole turn. */
  sayTurn: (turn: TurnRow, options?: { allowInterruptions?: boolean }) => void;
  /** Speaks words that do not appear in the transcript. */
  aside: (text: string) => void;
  /** Sends DTMF tones after all words that are already waiting to be played. */
  sendKeys: (keys: string) => void;
  isPlaying: () => boolean;
  /**
   * Handles an interruption. If the carrier has already stopped playback on its own, `reported` holds the last words
   * that it played. Returns undefined if no words of the transcript were cut, or if playback continues because the
   * words are protected from interruption.
   */
  interrupt: (reported?: string) => Interrupted | undefined;
  /**
   * Counts the stored segments as played: a user who begins a turn without interrupting has heard them. Does nothing if
   * the output measures playback.
   */
  confirmPlayed: () => void;
  /** Resolves when everything has been played, when the signal aborts, or after a minute. */
  waitForPlayout: (signal: AbortSignal) => Promise<void>;
  readonly reportsPlayback: boolean;
  /** Speaks the words that are already waiting, then `lastWords`, and ignores all later words. */
  close: (lastWords?: string) => void;
  /** Drops everything that has not been played, because the user has left. */
  stop: () => void;
};

export type Interrupted = {
  /** The interrupted segments in order, with their `playedText`. */
  cut: readonly Segment[];
  /** Resolves to the segment whose `playedText` was replaced by a better estimate, or to undefined if none was. */
  refined?: Promise<Segment | undefined>;
};

/**
 * Maximum number of segments in memory. Usually only the segment that is playing is in memory. There are more only if
 * several AI agents and human agents speak in the same conversation.
 */
const KEPT = 20;
const WAIT_MAX_MS = 60_000;

export function createPlayout(output: PlayoutOutput): Playout {
  const writer = createWriter(output);
  const { write, end } = writer;
  /** Segments that may not have been played completely, in order. */
  let segments: readonly Segment[] = [];

  function add(kind?: Parameters<typeof createSegment>[0]): Segment {
    const segment = createSegment(kind);
    segments = [...segments, segment].slice(-KEPT);
    return segment;
  }

  function sayWhole(segment: Segment, text: string): void {
    write(segment, text);
    end(segment);
  }

  function aside(text: string): void {
    if (writer.isClosed()) return;
    if (output.aside) output.aside(text);
    else sayWhole(add({ isAside: true }), text);
  }

  function interrupt(reported?: string): Interrupted | undefined {
    const interruption = output.interrupt(segments, reported);
    if (!interruption) return undefined;
    const { cuts, refined } = interruption;
    writer.drop();
    segments = [];
    const cut = cuts.map(cutSegment);
    return {
      cut,
      ...(refined && { refined: refined.then((better) => better && cutSegment(better)) }),
    };
  }

  return {
    begin: () => add(),
    say: write,
    finish: (segment, { index, text }) => {
      segment.index = index;
      // The text of a failed turn is an apology, which does not continue the words that were already sent.
      if (text.startsWith(segment.text)) write(segment, text.slice(segment.text.length));
    },
    end,
    sayTurn: ({ index, text }, options) => sayWhole(add({ index, ...options }), text),
    aside,
    sendKeys: (keys) => {
      if (writer.isClosed()) return;
      // Ends the sentence before the tones, so that later words of the segment are heard after them.
      writer.flush();
      output.sendKeys(keys);
    },
    isPlaying: output.isPlaying,
    interrupt,
    confirmPlayed: () => {
      if (output.reportsPlayback) return;
      segments = segments.filter(({ index, isAside }) => index === undefined && !isAside);
    },
    waitForPlayout: (signal) =>
      output.waitForPlayout(AbortSignal.any([signal, timeoutSignal(WAIT_MAX_MS)])),
    reportsPlayback: output.reportsPlayback,
    close: (lastWords) => {
      if (lastWords !== undefined) {
        // Without this `flush`, the last words would continue the unfinished sentence of a reply.
        writer.flush();
        aside(lastWords);
      }
      writer.close();
    },
    stop: () => {
      writer.close();
      output.stop();
    },
  };
}

/** Passes the words of segments to the output. One segment is open at a time. */
type Writer = {
  /** Writes part of a segment. Ignores parts of an interrupted segment. */
  write: (segment: Segment, text: string) => void;
  end: (segment: Segment) => void;
  /** Marks the last sentence of the open segment as complete. The segment may continue later. */
  flush: () => void;
  /** Discards the open segment after an interruption. */
  drop: () => void;
  /** Stops writing for good. */
  close: () => void;
  isClosed: () => boolean;
};

function createWriter(output: Pick<PlayoutOutput, 'pushText' | 'flush'>): Writer {
  let open: Segment | undefined;
  let isClosed = false;

  function push(segment: Segment, words: string): void {
    if (isClosed || segment.playedText !== undefined || words === '') return;
    open = segment;
    output.pushText(segment, words);
    segment.sentChars += words.length;
  }

  function flush(segment: Segment): void {
    const rest = segment.words.end();
    if (open && open !== segment && rest !== '') flush(open);
    push(segment, rest);
    if (open !== segment) return;
    open = undefined;
    if (!isClosed) output.flush(segment);
  }

  return {
    write: (segment, text) => {
      if (segment.playedText !== undefined || text === '') return;
      if (open && open !== segment) flush(open);
      segment.text += text;
      push(segment, segment.words.push(text));
    },
    end: (segment) => {
      segment.isEnded = true;
      flush(segment);
    },
    flush: () => {
      if (open) flush(open);
    },
    drop: () => {
      open = undefined;
    },
    close: () => {
      isClosed = true;
    },
    isClosed: () => isClosed,
  };
}
