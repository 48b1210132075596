/**
 * Returns a function that starts something on its first call, for all test files of a worker. If the start fails, only
 * the calls that are waiting for it fail. The next call starts it again.
 */
export function startOnce<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () =>
    (started ??= start().catch((error: unknown) => {
      started = undefined;
      throw error;
    }));
}
