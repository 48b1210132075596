import { describe, expect, test } from 'vitest';
import { changeRollout } from '../../src/rollouts/change-rollout.ts';
import type { Confirmation, Question } from '../../src/rollouts/confirm-step.ts';
import { lookAtRollout } from '../../src/rollouts/look-at-rollout.ts';
import { raiseEpoch } from '../../src/platform/postgres/leadership.ts';
import { shiftTime } from '../platform/postgres/postgres.ts';
import { useRows } from '../platform/postgres/rows.ts';
import { lookDeps } from './rollout-setup.ts';
import { createStoredRollouts, PLAN } from './stored-rollouts.ts';

/** What an answer of the webhook does to a rollout, and what clocks that jump do. */

const stored = useRows('agents', 'conversations', 'rollout_conversations', 'events');
const { addRollout, addEnded } = createStoredRollouts(stored);

const CONFIRMED = {
  ...PLAN,
  steps: [
    { weight: 10, minConversations: 50 },
    { weight: 50, minConversations: 50 },
  ],
  confirm: { url: 'https://example.com/', signingSecretRef: { name: 'confirm', key: 'key' } },
};
const HOUR_MS = 3_600_000;

type Looked = { acted: string | undefined; againAfterMs: number | undefined; asked: Question[] };

/** Looks once. The webhook answers so; `undefined` means not yet. */
async function look(
  agentId: string,
  answer?: Confirmation,
  {
    epochsAgo = 0,
    nowMs = Date.now(),
    asked = [],
  }: { epochsAgo?: number; nowMs?: number; asked?: Question[] } = {},
): Promise<Looked> {
  const { epoch } = await raiseEpoch(stored.pool, 'store');
  const confirmStep = async (question: Question) => {
    asked.push(question);
    return answer;
  };
  const deps = { ...lookDeps(stored.pool), confirmStep, nowMs: () => nowMs };
  const of = { agentId, namespace: 'default', epoch: epoch - epochsAgo };
  const seen = await lookAtRollout(deps, of);
  return { acted: seen?.acted, againAfterMs: seen?.againAfterMs, asked };
}

/** Stores a rollout whose step has passed, or has proved worse. */
async function addJudged({
  plan = CONFIRMED,
  every = 1_000,
}: { plan?: object; every?: number } = {}) {
  const one = await addRollout(plan);
  await addEnded({ ...one, isNew: false, count: 1_000 }, 1_000);
  await addEnded({ ...one, isNew: true, count: 1_000 }, every);
  return one;
}

const lines = async () =>
  (await stored.read('agent_rollouts', 'seq')).map(({ action, weight, reason }) => [
    action,
    weight,
    reason,
  ]);
const answers = (decision: Confirmation['decision']): Confirmation => ({
  decision,
  reason: `the webhook answered ${decision}`,
});

describe('a step that a webhook confirms', () => {
  test('begins with the answer confirm, and its line has the reason', async () => {
    const { agentId } = await addJudged();
    const { acted, asked } = await look(agentId, answers('confirm'));
    expect(acted).toBe('advance');
    expect(asked).toMatchObject([
      {
        namespace: 'default',
        webhook: CONFIRMED.confirm,
        line: { agentId, seq: 1, step: 0 },
        evidence: { to: { conversations: 1_000 } },
      },
    ]);
    expect((await lines())[1]).toEqual([
      'advanced',
      50,
      'every check passed; the webhook answered confirm',
    ]);
  });

  test('is held by the answer hold, and asked again only after somebody has resumed it', async () => {
    const { agentId } = await addJudged();
    expect((await look(agentId, answers('hold'))).acted).toBe('hold');
    expect((await lines())[1]).toEqual(['held', 10, 'the webhook answered hold']);
    expect(await look(agentId, answers('confirm'))).toMatchObject({ acted: undefined, asked: [] });
    const by = { agentId, actor: 'api:key', reason: null };
    await changeRollout(lookDeps(stored.pool), { ...by, change: 'resume' });
    const { acted, asked } = await look(agentId, answers('confirm'));
    expect(acted).toBe('advance');
    expect(asked[0]?.line.seq).toBe(3);
  });

  test('is aborted by the answer abort, with one event', async () => {
    const { agentId } = await addJudged();
    expect((await look(agentId, answers('abort'))).acted).toBe('abort');
    expect((await lines())[1]).toEqual(['aborted', 0, 'the webhook answered abort']);
    expect((await stored.read('events')).map(({ type }) => type)).toEqual(['agent.rolled_back']);
  });

  test('waits while the answer is outstanding, and looks again after a second', async () => {
    const { agentId } = await addJudged();
    expect(await look(agentId)).toMatchObject({ acted: undefined, againAfterMs: 1_000 });
    expect(await lines()).toHaveLength(1);
  });

  test('is asked before the version goes live too', async () => {
    const { agentId } = await addJudged({ plan: { ...CONFIRMED, steps: PLAN.steps } });
    const { acted, asked } = await look(agentId, answers('confirm'));
    expect(acted).toBe('complete');
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['a version that is worse is aborted', { every: 2 }, 'abort'],
    [
      'a rollout without a webhook advances',
      { plan: { ...CONFIRMED, confirm: undefined } },
      'advance',
    ],
  ])('%s without a question', async (_, judged, acts) => {
    const { agentId } = await addJudged(judged);
    expect(await look(agentId, answers('hold'))).toMatchObject({ acted: acts, asked: [] });
  });

  test('is not asked by a former leader', async () => {
    const { agentId } = await addJudged();
    const asked: Question[] = [];
    const former = look(agentId, answers('confirm'), { epochsAgo: 1, asked });
    await expect(former).rejects.toThrow('another operator leads');
    expect(asked).toEqual([]);
    expect(await lines()).toHaveLength(1);
  });
});

describe('clocks that jump by an hour', () => {
  // The step may last an hour.
  test.each([
    ['back', -HOUR_MS, undefined],
    ['ahead', HOUR_MS, 'hold'],
  ])('the clock of the database %s: nothing is decided for lack of data', async (_, ms, acts) => {
    const { agentId } = await addRollout();
    await shiftTime(stored.pool, ms);
    try {
      expect((await look(agentId)).acted).toBe(acts);
      await shiftTime(stored.pool, 0);
      expect((await look(agentId)).acted).toBeUndefined();
    } finally {
      await shiftTime(stored.pool, 0);
    }
    expect((await lines()).map(([, weight]) => weight)).toEqual(acts ? [10, 10] : [10]);
  });

  test.each([-HOUR_MS, HOUR_MS])('that of the operator, by %i ms: one act', async (ms) => {
    const { agentId } = await addJudged({ plan: PLAN, every: 2 });
    expect((await look(agentId, undefined, { nowMs: Date.now() + ms })).acted).toBe('abort');
    expect((await look(agentId)).acted).toBeUndefined();
    expect((await lines()).map(([action]) => action)).toEqual(['started', 'aborted']);
    expect(await stored.read('events')).toHaveLength(1);
  });
});
