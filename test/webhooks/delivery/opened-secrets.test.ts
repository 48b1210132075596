import { expect, test } from 'vitest';
import { rememberOpened } from '../../../src/webhooks/delivery/opened-secrets.ts';

/** Opens secrets, and counts how many were opened in fact. */
function counting() {
  let count = 0;
  const { open } = rememberOpened({
    open: (sealed, place) => {
      count += 1;
      return `${sealed.toString()} at ${place}`;
    },
  });
  return {
    open: (sealed: string, place: string) => open(Buffer.from(sealed), place),
    count: () => count,
  };
}

test('a secret is opened once for each place and each value', () => {
  const { count, open } = counting();
  for (const round of [1, 2]) {
    expect([round, open('s', 'a')]).toEqual([round, 's at a']);
    expect([round, open('s', 'b')]).toEqual([round, 's at b']);
    expect([round, open('t', 'a')]).toEqual([round, 't at a']);
  }
  expect(count()).toBe(3);
});

test('two thousand are remembered, and with one more all are forgotten', () => {
  const { count, open } = counting();
  for (let at = 0; at < 2_000; at += 1) open(`s${at}`, 'a');
  open('s0', 'a');
  expect(count()).toBe(2_000);
  open('another', 'a');
  open('s0', 'a');
  expect(count()).toBe(2_002);
});
