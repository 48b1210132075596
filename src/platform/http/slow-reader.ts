import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { clearTimeout, setTimeout } from '../../clock.ts';

/**
 * Time in ms after which a client that reads no data is disconnected. It is longer than the typical stall of a bad
 * connection, but short enough that a stalled reader soon loses its slot.
 */
const STALLED_MS = 30_000;

/**
 * Writes a string, and waits until the socket's buffer has room for more. A response therefore keeps at most one `text`
 * in memory beyond the socket's buffer. A client that reads no data for `stalledMs` is disconnected, because it
 * occupies a slot and memory. It can reconnect and resume.
 */
export async function writeOrCut(
  response: ServerResponse,
  text: string,
  stalledMs = STALLED_MS,
): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const ended = new AbortController();
  const { signal } = ended;
  const timer = setTimeout(() => response.destroy(), stalledMs);
  await Promise.race([
    once(response, 'drain', { signal }),
    once(response, 'close', { signal }),
    // An error means that the connection broke. The response will close anyway, so the error is ignored.
  ]).catch(() => undefined);
  clearTimeout(timer);
  ended.abort();
}
