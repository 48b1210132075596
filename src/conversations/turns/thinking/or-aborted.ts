import { clearTimeout, setTimeout } from '../../../clock.ts';

/**
 * Returns the result of `work`. After `signal` aborts, waits at most `graceMs` longer and then returns undefined, even
 * if `work` hangs. A later failure of `work` is ignored.
 */
export function orAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  graceMs = 0,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (): void => {
      timer = setTimeout(() => end(() => resolve(undefined)), graceMs);
    };
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', giveUp);
      clearTimeout(timer);
      settle();
    };
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
