import type { Logger } from '../../platform/observability/logger.ts';
import type { RecognizerSession } from '../../speech/recognition/recognizer.ts';
import { textInTime } from '../../speech/recognition/text-in-time.ts';
import { textRecognized } from '../../speech/heard/by-ear.ts';
import type { Speech } from './own-speech.ts';
import type { CutSentence } from './saying.ts';

/**
 * A sentence that was interrupted is listened to as far as it was played: what its recognizer understands tells
 * its words better than their length does (docs/evaluation.md). One request for each interruption, beside the talk.
 */
export type ListenAgain = {
  /** The words of the sentence that were heard; undefined: as many as were guessed. It fails never. */
  listen: (cut: CutSentence) => Promise<string | undefined>;
  /** Nobody wants to know any more. */
  close: () => void;
};

export type ListenAgainDeps = {
  speech: Pick<Speech, 'recognizer' | 'spokenIn'>;
  /** Hz of the line. */
  sampleRate: number;
  log: Logger;
};

export function createListenAgain({ speech, sampleRate, log }: ListenAgainDeps): ListenAgain {
  const { recognizer, spokenIn: language } = speech;
  const open = new Set<RecognizerSession>();
  let isClosed = false;
  return {
    listen: async ({ text, guess, sound }) => {
      if (isClosed || sound.length === 0) return undefined;
      const session = recognizer.open({ sampleRate, ...(language !== undefined && { language }) });
      open.add(session);
      sound.forEach(session.push);
      const what = 'what a user had heard of a sentence';
      const recognized = await textInTime(session, { log, what, isClosed: () => isClosed });
      open.delete(session);
      if (isClosed || recognized === undefined) return undefined;
      return textRecognized(text, { recognized, guess });
    },
    close: () => {
      isClosed = true;
      for (const session of open) session.cancel();
      open.clear();
    },
  };
}
