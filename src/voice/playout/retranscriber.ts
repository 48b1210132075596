import type { Logger } from '../../platform/observability/logger.ts';
import type { Stt, SttStream } from '../stt/stt.ts';
import { textInTime } from '../stt/text-in-time.ts';
import { playedByTranscript } from './played-by-transcript.ts';
import type { CutSentence } from './sentence.ts';

/**
 * Transcribes the audio of an interrupted sentence in two requests: one for the part that was played and one for the
 * rest. The two transcripts locate the interruption more precisely than an estimate from the durations of the words
 * (docs/evaluation.md). The conversation continues in the meantime.
 */
export type Retranscriber = {
  /**
   * Resolves to all words of the sentence that were played, or to undefined if the transcripts do not improve on
   * `cut.guess`. Never rejects.
   */
  listen: (cut: CutSentence) => Promise<string | undefined>;
  /** Cancels all requests. The session calls it when the connection to the user has closed. */
  close: () => void;
};

export type RetranscriberDeps = {
  pipeline: { stt: Stt; outputLanguage: string | undefined };
  /** Sample rate of the line in Hz. */
  sampleRate: number;
  log: Logger;
};

export function createRetranscriber({
  pipeline,
  sampleRate,
  log,
}: RetranscriberDeps): Retranscriber {
  const { stt, outputLanguage: language } = pipeline;
  const open = new Set<SttStream>();
  let isClosed = false;

  async function understand(sound: readonly Int16Array[]): Promise<string | undefined> {
    if (isClosed || sound.length === 0) return undefined;
    const stream = stt.open({ sampleRate, ...(language !== undefined && { language }) });
    open.add(stream);
    sound.forEach(stream.push);
    const what = 'the played part of a sentence';
    const text = await textInTime(stream, { log, what, isClosed: () => isClosed });
    open.delete(stream);
    return text;
  }

  return {
    listen: async ({ text, guess, ...cut }) => {
      if (cut.played.length === 0) return undefined;
      // The requests run one after the other, so that the user's next utterance waits for at most one of them.
      const played = await understand(cut.played);
      const rest = await understand(cut.rest ?? []);
      return isClosed ? undefined : playedByTranscript(text, { played, rest, guess });
    },
    close: () => {
      isClosed = true;
      for (const stream of open) stream.cancel();
      open.clear();
    },
  };
}
