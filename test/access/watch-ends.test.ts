import { expect, test } from 'vitest';
import { createEndWatch } from '../../src/access/watch-ends.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { holdTime } from '../clock.ts';

/** When a process asks which of the things that it watches still live. */

/** A watch over `live`, which says for how long each of them lives: null: with no end. */
function watchOver(live: Map<string, number | null>) {
  const asked: (readonly string[])[] = [];
  const watch = createEndWatch({
    what: 'asking',
    listLive: async (ids) => {
      asked.push(ids);
      return ids.flatMap((id) => (live.has(id) ? [{ id, endsInMs: live.get(id) ?? null }] : []));
    },
    log: createLogger('error', 'test'),
  });
  return { ...watch, asked };
}

test('it asks every 400 ms, about all at once, and about nothing when nothing is open', async () => {
  const time = holdTime();
  const { watch, asked, stop } = watchOver(new Map(['a', 'b'].map((id) => [id, null])));
  const watches = ['a', 'b'].map(watch);
  await time.armed(400);
  expect(asked).toEqual([['a']]);
  await time.advance(400);
  await time.advance(400);
  expect(asked.slice(1)).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  for (const { release } of watches) release();
  await time.advance(4_000);
  expect(asked).toHaveLength(3);
  await stop();
});

test('what ends before the next time is asked about at its end, and not later', async () => {
  const time = holdTime();
  const live = new Map<string, number | null>([
    ['soon', 120.5],
    ['later', 900],
    ['never', null],
  ]);
  const { watch, stop } = watchOver(live);
  const [soon, later, never] = [...live.keys()].map((id) => watch(id).ended);
  await time.armed(121);
  live.delete('soon');
  await time.advance(120);
  expect(soon!.aborted).toBe(false);
  await time.advance(1);
  expect([soon, later, never].map((ended) => ended!.aborted)).toEqual([true, false, false]);
  await stop();
});

test.each([['*'], ['a']])(
  'told of %s it asks at once, told of another thing it does not',
  async (id) => {
    const time = holdTime();
    const live = new Map([['a', null]]);
    const { watch, look, asked, stop } = watchOver(live);
    const { ended } = watch('a');
    await time.armed(400);
    look(['b']);
    await time.advance(0);
    expect(asked).toHaveLength(1);
    live.clear();
    look([id]);
    await time.advance(0);
    expect(ended.aborted).toBe(true);
    await stop();
  },
);

test('what was watched twice is watched until both have let it go', async () => {
  const time = holdTime();
  const { watch, asked, stop } = watchOver(new Map([['a', null]]));
  const [first, second] = [watch('a'), watch('a')];
  first.release();
  await time.armed(400);
  await time.advance(400);
  expect(asked.at(-1)).toEqual(['a']);
  second.release();
  await time.advance(400);
  expect(asked).toHaveLength(2);
  await stop();
});
