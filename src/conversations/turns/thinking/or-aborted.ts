/**
 * What `work` gives, or undefined once `signal` is aborted and `graceMs` more are over: what hangs
 * holds nobody up. Of work that was left alone a later failure is nobody's.
 */
import { clearTimeout, setTimeout } from '../../../clock.ts';

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
