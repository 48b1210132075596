import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { clearTimeout, setTimeout } from '../../clock.ts';

/** Longer than a typical stall of a bad connection, and short enough that a stalled reader soon loses its slot. */
const STALLED_MS = 30_000;

/**
 * Writes a text, and waits until the socket's buffer has room for more, so that a response holds at most one `text` in
 * memory beyond the socket's buffer. A reader that takes no data for `stalledMs` is disconnected, because it holds a
 * slot and memory. It can reconnect and resume.
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
    // An error means that the connection broke. The response closes anyway, so nothing is left to do.
  ]).catch(() => undefined);
  clearTimeout(timer);
  ended.abort();
}
