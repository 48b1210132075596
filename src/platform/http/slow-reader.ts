import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { clearTimeout, setTimeout } from '../../clock.ts';

/** Longer than a stall of a bad connection, and short enough to free the place. */
const STALLED_MS = 30_000;

/**
 * Writes, and waits until there is room for more, so that unread data does not pile up here. A reader that takes no
 * data for `stalledMs` is cut, because it would hold a place and memory. It can reconnect and resume. So each answer
 * buffers at most one `text` beyond the socket's buffer.
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
  ]).catch(() => undefined); // An error means that the connection broke, and it closes anyway.
  clearTimeout(timer);
  ended.abort();
}
