import { expect, test } from 'vitest';
import { planRollout } from '../../src/agents/rollouts/plan-rollout.ts';
import type { RolloutLine } from '../../src/agents/rollouts/rollouts.sql.ts';

/** A rollout from version 7 to 8. */
const line = (action: RolloutLine['action']): RolloutLine => ({
  agentId: 'a',
  seq: 1,
  rolloutId: 'r',
  publicId: 'ro_1',
  action,
  step: 0,
  weight: 5,
  fromVersion: 7,
  toVersion: 8,
  plan: { steps: [], checks: [], maxDurationSec: 60, onFail: 'Abort' },
  actor: 'file',
  reason: null,
  evidence: null,
  at: 0,
});

type Input = Parameters<typeof planRollout>[0];
const plan = (target: number | null, input: Partial<Input> = {}) =>
  planRollout({
    policy: 'Progressive',
    decision: { target, pin: 'none' },
    contentVersion: target,
    activeVersion: 7,
    last: undefined,
    wasLive: async () => false,
    ...input,
  });
const pinned = (target: number): Partial<Input> => ({ decision: { target, pin: 'held' } });

test('the first version goes live without a rollout', async () => {
  expect(await plan(1, { activeVersion: null })).toEqual({ target: 1 });
});

test('a new version begins a rollout, and the live one stays', async () => {
  expect(await plan(8)).toEqual({ target: 7, starts: 8 });
});

test.each(['started', 'advanced', 'held', 'resumed'] as const)(
  'the same content continues a rollout that was %s',
  async (action) => {
    expect(await plan(8, { last: line(action) })).toEqual({ target: 7 });
  },
);

test('an aborted version waits', async () => {
  expect(await plan(8, { last: line('aborted') })).toEqual({ target: 7 });
});

test('other content begins anew after an abort, and in place of a rollout in progress', async () => {
  expect(await plan(9, { last: line('aborted') })).toEqual({ target: 7, starts: 9 });
  expect(await plan(9, { last: line('started') })).toEqual({
    target: 7,
    starts: 9,
    ends: { action: 'aborted', reason: 'version 9 replaced it' },
  });
});

test('the content of the live version aborts', async () => {
  expect(await plan(7, { last: line('started') })).toEqual({
    target: 7,
    ends: { action: 'aborted', reason: 'version 7 was declared again' },
  });
  expect(await plan(7)).toEqual({ target: 7 });
});

test('a version that was live before returns immediately, and one that never was does not', async () => {
  const wasLive = async () => true;
  expect(await plan(5, { wasLive })).toEqual({ target: 5 });
  expect(await plan(5)).toEqual({ target: 7, starts: 5 });
  expect(await plan(9, { wasLive })).toEqual({ target: 7, starts: 9 });
  expect(await plan(5, { wasLive, last: line('started') })).toMatchObject({
    target: 5,
    ends: { action: 'aborted' },
  });
});

test('a pin takes effect immediately and ends the rollout', async () => {
  const last = line('started');
  expect(await plan(8, { ...pinned(8), last })).toEqual({
    target: 8,
    ends: { action: 'completed', reason: 'version 8 was pinned' },
  });
  expect(await plan(7, { ...pinned(7), last })).toEqual({
    target: 7,
    ends: { action: 'aborted', reason: 'version 7 was pinned' },
  });
  expect(await plan(3, { ...pinned(3), last })).toMatchObject({
    target: 3,
    ends: { action: 'aborted' },
  });
  expect(await plan(8, pinned(8))).toEqual({ target: 8 });
});

test('another policy ends the rollout', async () => {
  const last = line('started');
  expect(await plan(8, { policy: 'Automatic', last })).toMatchObject({
    target: 8,
    ends: { action: 'completed' },
  });
  expect(
    await plan(7, {
      policy: 'Manual',
      decision: { target: 7, pin: 'none' },
      contentVersion: 8,
      last,
    }),
  ).toMatchObject({ target: 7, ends: { reason: 'the publish policy is manual' } });
});

test('a problem of the content, or an unknown pin, leaves the rollout as it is', async () => {
  const last = line('started');
  expect(await plan(7, { contentVersion: null, last })).toEqual({ target: 7 });
  expect(await plan(7, { decision: { target: 7, pin: 'unknown' }, last })).toEqual({ target: 7 });
});
