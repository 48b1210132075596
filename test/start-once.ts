/**
 * Returns a function that starts something on its first call, for all test files of a worker. If the start fails, only
 * those who wait for it fail, and the next call starts it again.
 */
export function startOnce<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () =>
    (started ??= start().catch((error: unknown) => {
      started = undefined;
      throw error;
    }));
}
