import { expect, test } from 'vitest';
import { createPacedTurns } from '../../../src/platform/controller/paced-turns.ts';
import { holdTime } from '../../clock.ts';

/** The order and the times at which paced pieces begin, of the size and at the rate of bodies. */

const MIB = 1024 * 1024;
const PIECE_BYTES = MIB / 4;
const BURST_PIECES = (4 * MIB) / PIECE_BYTES;

function pace() {
  const { next } = createPacedTurns({ burst: 4 * MIB, perSec: 16 * MIB });
  const read: string[] = [];
  const ask = (namespace: string, times = 1): void => {
    for (let i = 0; i < times; i += 1) next(namespace, PIECE_BYTES, () => read.push(namespace));
  };
  return { ask, read };
}

test('the first 4 MiB wait for nothing, and then a piece is read 64 times a second', async () => {
  const time = holdTime();
  const { ask, read } = pace();
  ask('a', BURST_PIECES + 100);
  expect(read).toHaveLength(BURST_PIECES);
  await time.advance(500);
  expect(read).toHaveLength(BURST_PIECES + 32);
  await time.advance(500);
  expect(read).toHaveLength(BURST_PIECES + 64);
});

test('a namespace that waits for much keeps no other waiting for more than its turn', async () => {
  const time = holdTime();
  const { ask, read } = pace();
  ask('greedy', BURST_PIECES + 100);
  ask('small');
  ask('other');
  await time.advance(1_000);
  expect(read.slice(BURST_PIECES, BURST_PIECES + 4)).toEqual([
    'greedy',
    'small',
    'other',
    'greedy',
  ]);
});

test('who waits for nothing earns no more than 4 MiB', async () => {
  const time = holdTime();
  const { ask, read } = pace();
  await time.advance(60_000);
  ask('a', BURST_PIECES + 10);
  expect(read).toHaveLength(BURST_PIECES);
});
