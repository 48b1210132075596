import { clearTimeout, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { SttStream } from './stt.ts';

/** Time limit in ms from the end of an utterance to its text. */
const RECOGNITION_MS = 10_000;

/**
 * Ends an utterance and resolves to its text, or to undefined if recognition failed or took too long. Logs a failure
 * unless `isClosed` returns true, which means that the call is over.
 */
export async function textInTime(
  stream: SttStream,
  { log, what, isClosed }: { log: Logger; what: string; isClosed: () => boolean },
): Promise<string | undefined> {
  const late = setTimeout(stream.cancel, RECOGNITION_MS);
  try {
    return (await stream.finish()).text;
  } catch (error) {
    if (!isClosed()) log.warn({ reason: reasonOf(error) }, `could not transcribe ${what}`);
    return undefined;
  } finally {
    clearTimeout(late);
  }
}
