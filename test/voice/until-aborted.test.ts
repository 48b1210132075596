import { expect, test } from 'vitest';
import { untilAborted } from '../../src/voice/until-aborted.ts';

test('work that fails after it was given up is heard by nobody', async () => {
  const unheard: unknown[] = [];
  const note = (reason: unknown): void => void unheard.push(reason);
  process.on('unhandledRejection', note);
  try {
    const work = Promise.reject(new Error('too late'));
    await expect(untilAborted(work, AbortSignal.abort())).rejects.toThrow('aborted');
    await new Promise((turn) => setImmediate(turn));
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unheard).toEqual([]);
});
