import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { clearTimeout, setTimeout } from '../../clock.ts';

/** Longer than a bad connection stands still, shorter than a place is worth. */
const STALLED_MS = 30_000;

/**
 * Writes, and waits until there is room for more: what a reader does not take must not pile up here.
 * One that takes nothing for `stalledMs` is cut: it holds a place and memory for nothing, and comes
 * back where it was. So of each answer there is at most one `text` more than a socket's buffer.
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
  ]).catch(() => undefined); // An error is that of a connection that broke: it closes.
  clearTimeout(timer);
  ended.abort();
}
