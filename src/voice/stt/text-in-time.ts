import { clearTimeout, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { RecognizerSession } from './recognizer.ts';

/** Time limit from the end of an utterance to its text. */
const RECOGNITION_MS = 10_000;

/**
 * Ends an utterance and resolves to its text, or undefined if recognition failed or took too long. `isClosed`
 * suppresses the warning once the result is not needed.
 */
export async function textInTime(
  session: RecognizerSession,
  { log, what, isClosed }: { log: Logger; what: string; isClosed: () => boolean },
): Promise<string | undefined> {
  const late = setTimeout(session.cancel, RECOGNITION_MS);
  try {
    return (await session.finish()).text;
  } catch (error) {
    if (!isClosed()) log.warn({ reason: reasonOf(error) }, `${what} was not understood`);
    return undefined;
  } finally {
    clearTimeout(late);
  }
}
