import { expect, test } from 'vitest';
import { pino } from 'pino';
import { createLines } from '../../../src/calls/lines/lines.ts';
import { holdTime } from '../../clock.ts';

test('a process that holds no line stops at once, and opens none', async () => {
  const time = holdTime();
  const deps = { log: pino({ level: 'silent' }) } as unknown as Parameters<typeof createLines>[0];
  const lines = createLines(deps);
  const drained = lines.drain(5_000);
  expect(time.waiting()).toEqual([]);
  await drained;
  const opened = lines.open({
    token: 't',
    providerCallId: 'CA1',
    lineFor: () => {
      throw new Error('a line was made');
    },
  });
  expect(await opened).toBeUndefined();
});
