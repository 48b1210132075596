import { expect, test } from 'vitest';
import { paced } from '../../../src/platform/postgres/paced.ts';
import { holdTime } from '../../clock.ts';

test('a long write pauses as long as each statement took, for 25 ms at least and 500 ms at most', async () => {
  const time = holdTime();
  const statements = paced(['quick', 'usual', 'slow', 'last']);
  expect((await statements.next()).value).toBe('quick');
  for (const [tookMs, pauseMs, name] of [
    [0, 25, 'usual'],
    [100, 100, 'slow'],
    [2_000, 500, 'last'],
  ] as const) {
    await time.advance(tookMs);
    const next = statements.next();
    await time.armed(pauseMs);
    await time.advance(pauseMs);
    expect((await next).value).toBe(name);
  }
});
