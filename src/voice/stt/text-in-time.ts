import { clearTimeout, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { RecognizerSession } from './recognizer.ts';

/** From the end of what was said to its text. */
const RECOGNITION_MS = 10_000;

/**
 * Ends an utterance and resolves to its text; undefined: it is lost, it was not understood in time or not at all.
 * `isClosed`: nobody wants to know any more.
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
