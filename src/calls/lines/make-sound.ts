import { clearTimeout, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Synthesizer } from '../../speech/synthesis/synthesizer.ts';

/** Nothing came for so long: it does not come any more. */
const STALL_MS = 10_000;
/** With all fallbacks each. */
const TRIES = 2;

type Deps = { synthesizer: Synthesizer; language: string | undefined; log: Logger };

/**
 * Makes a sentence into sound; false: not, or not to its end. It is tried again as long as nothing of it was
 * heard. It fails never, and once `signal` is aborted it hands over nothing more.
 */
export async function makeSound(
  { synthesizer, language, log }: Deps,
  text: string,
  signal: AbortSignal,
  take: (samples: Int16Array) => void,
): Promise<boolean> {
  let isHeard = false;
  const speak = async (stall: AbortController, timer: NodeJS.Timeout): Promise<void> => {
    const both = AbortSignal.any([signal, stall.signal]);
    for await (const samples of synthesizer.speak({ text, language, signal: both })) {
      if (signal.aborted) return;
      timer.refresh();
      isHeard = true;
      take(samples);
    }
  };
  for (let tries = 1; !signal.aborted; tries += 1) {
    const stall = new AbortController();
    const timer = setTimeout(() => stall.abort(new Error('its sound dried up')), STALL_MS);
    try {
      await speak(stall, timer);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      log.warn({ reason: reasonOf(error), isHeard, tries }, 'a sentence was not spoken');
      if (isHeard || tries === TRIES) return false;
    } finally {
      clearTimeout(timer);
    }
  }
  return false;
}
