import type { Logger } from '../../platform/observability/logger.ts';
import type { RecognizerSession } from '../../speech/recognition/recognizer.ts';
import { textInTime } from '../../speech/recognition/text-in-time.ts';
import { textRecognized } from '../../speech/heard/by-ear.ts';
import type { Speech } from './own-speech.ts';
import type { CutSentence } from './saying.ts';

/**
 * A sentence that was interrupted is listened to, what was played of it and the rest: what a recognizer understands of
 * the two tells where it was cut, better than the length of its words does (docs/evaluation.md). Two requests for
 * each interruption, beside the talk.
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

  async function understand(sound: readonly Int16Array[]): Promise<string | undefined> {
    if (isClosed || sound.length === 0) return undefined;
    const session = recognizer.open({ sampleRate, ...(language !== undefined && { language }) });
    open.add(session);
    sound.forEach(session.push);
    const what = 'what a user had heard of a sentence';
    const text = await textInTime(session, { log, what, isClosed: () => isClosed });
    open.delete(session);
    return text;
  }

  return {
    listen: async ({ text, guess, ...cut }) => {
      if (cut.played.length === 0) return undefined;
      // One after the other: what the user says meanwhile waits for one of them at most.
      const played = await understand(cut.played);
      const rest = await understand(cut.rest ?? []);
      return isClosed ? undefined : textRecognized(text, { played, rest, guess });
    },
    close: () => {
      isClosed = true;
      for (const session of open) session.cancel();
      open.clear();
    },
  };
}
