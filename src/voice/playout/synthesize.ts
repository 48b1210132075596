import { clearTimeout, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Tts } from '../tts/tts.ts';

/** Time in ms without audio after which the request is aborted. */
const STALL_MS = 10_000;
/** Number of attempts. Each attempt includes all fallback providers. */
const TRIES = 2;

type Deps = { tts: Tts; language: string | undefined; log: Logger };

/**
 * Synthesizes a sentence. Returns false if its audio is missing or incomplete. A failed synthesis is retried only if no
 * audio has arrived. Never rejects. Delivers no audio after `signal` aborts.
 */
export async function synthesize(
  { tts, language, log }: Deps,
  text: string,
  signal: AbortSignal,
  take: (samples: Int16Array) => void,
): Promise<boolean> {
  let isHeard = false;
  const speak = async (stall: AbortController, timer: NodeJS.Timeout): Promise<void> => {
    const both = AbortSignal.any([signal, stall.signal]);
    for await (const samples of tts.speak({ text, language, signal: both })) {
      if (signal.aborted) return;
      timer.refresh();
      isHeard = true;
      take(samples);
    }
  };
  for (let tries = 1; !signal.aborted; tries += 1) {
    const stall = new AbortController();
    const timer = setTimeout(() => stall.abort(new Error('the audio stopped arriving')), STALL_MS);
    try {
      await speak(stall, timer);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      log.warn({ reason: reasonOf(error), isHeard, tries }, 'could not synthesize a sentence');
      if (isHeard || tries === TRIES) return false;
    } finally {
      clearTimeout(timer);
    }
  }
  return false;
}
