import { describe, expect, test } from 'vitest';
import { newTenant } from '../roles/api/shared-api.ts';
import { CHECKS, startRolloutFixture, STEPS } from './rollout-setup.ts';

describe('a declaration', () => {
  test('of the old content aborts the rollout', async () => {
    const { patch, acts, events } = await startRolloutFixture();
    await patch({ prompt: 'One.' });
    expect(await acts()).toEqual(['aborted', 'started']);
    expect(await events('agent.rolled_back')).toHaveLength(1);
  });

  test('of other content begins anew from the live version', async () => {
    const { patch, rollout, acts } = await startRolloutFixture();
    await patch({ prompt: 'Three.' });
    expect((await rollout()).body).toMatchObject({ from_version: 1, to_version: 3, step: 1 });
    expect(await acts()).toEqual(['started', 'aborted', 'started']);
  });

  test('of a pin goes live immediately and ends the rollout', async () => {
    const { call, agentId, agent, acts, events } = await startRolloutFixture();
    await call('POST', `/v1/agents/${agentId}/publish`, { json: { version: 2 } });
    expect(await agent()).toMatchObject({ active_version: 2 });
    expect(await acts()).toEqual(['completed', 'started']);
    expect(await events('agent.rolled_back')).toEqual([]);
  });

  test.each([
    ['weights that fall', { steps: [STEPS[0], { weight: 20, min_conversations: 1 }] }],
    ['equal weights', { steps: [STEPS[0], STEPS[0]] }],
    ['a step of no conversations', { steps: [{ weight: 5, min_conversations: 0 }] }],
    ['a step of all conversations', { steps: [{ weight: 100, min_conversations: 1 }] }],
    ['no steps', { steps: [] }],
    ['no checks', { checks: [] }],
    ['a metric twice', { checks: [...CHECKS, ...CHECKS] }],
    ['an unknown metric', { checks: [{ metric: 'mood', worse_by: 0.1 }] }],
    ['a rate that is worse by more than 1', { checks: [{ metric: 'gap_rate', worse_by: 2 }] }],
    [
      'ratings that are worse by more than 4',
      { checks: [{ metric: 'csat_average', worse_by: 5 }] },
    ],
    ['a difference of nothing', { checks: [{ metric: 'gap_rate', worse_by: 0 }] }],
    ['a duration without a unit', { max_duration: '72' }],
    ['an unknown act on failure', { on_fail: 'panic' }],
  ])('with %s is refused', async (_, rollout) => {
    const { call } = await newTenant();
    const json = {
      prompt: 'One.',
      publish_policy: 'progressive',
      rollout: { steps: STEPS, checks: CHECKS, ...rollout },
    };
    expect(await call('POST', '/v1/agents', { json })).toMatchObject({
      status: 422,
      body: { code: 'invalid_body' },
    });
  });

  test('of the policy without a rollout is refused', async () => {
    const { call } = await newTenant();
    const json = { prompt: 'One.', publish_policy: 'progressive' };
    const { status, body } = await call('POST', '/v1/agents', { json });
    expect({ status, pointer: body.errors?.[0]?.pointer }).toEqual({
      status: 422,
      pointer: '/rollout',
    });
  });
});
