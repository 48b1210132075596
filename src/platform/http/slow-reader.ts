import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { clearTimeout, setTimeout } from '../../clock.ts';

/** Longer than a stall of a bad connection, and short enough to free the slot. */
const STALLED_MS = 30_000;

/**
 * Writes a text, and waits until the socket's buffer has room for more, so that unread data does not pile up in memory.
 * A reader that takes no data for `stalledMs` is disconnected, because it holds a slot and memory. It can reconnect and
 * resume. Each response therefore buffers at most one `text` beyond the socket's buffer.
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
