import { clearTimeout, setTimeout } from '../../clock.ts';
import type { BodySink } from './exchange.ts';

/** Neither rejects; `isWhole`: nothing of it was cut, and it did not break off. */
export type CollectedBody = BodySink & { whole: Promise<Buffer>; isWhole: Promise<boolean> };

/**
 * A body as a courtesy: it is read for a short while and up to a size, then cut together with the
 * socket.
 */
export function collectBody(
  limits: { maxResponseBytes: number; bodyGraceMs: number },
  cut: () => void,
): CollectedBody {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  const { promise: whole, resolve } = Promise.withResolvers<Buffer>();
  const { promise: isWhole, resolve: tellWhole } = Promise.withResolvers<boolean>();
  const finish = (isAll: boolean): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(grace);
    tellWhole(isAll);
    resolve(Buffer.concat(chunks).subarray(0, limits.maxResponseBytes));
    chunks.length = 0; // The connection keeps its last exchange.
  };
  const endAndCut = (): void => {
    finish(false);
    cut();
  };
  const grace = setTimeout(endAndCut, limits.bodyGraceMs);
  const push = (chunk: Buffer): void => {
    if (isOver) return;
    chunks.push(chunk);
    bytes += chunk.length;
    // After the parser's turn: it does not expect its socket to vanish inside a callback.
    if (bytes > limits.maxResponseBytes) queueMicrotask(endAndCut);
  };
  return { whole, isWhole, push, end: (error) => finish(error === undefined) };
}
