/**
 * Returns the result of `work`, or rejects with the signal's reason as soon as the signal is aborted. Needed because
 * some packages react late to an abort.
 */
export async function untilAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  // Handles a rejection after the race is over, because an unhandled rejection would end the process.
  work.catch(() => undefined);
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
