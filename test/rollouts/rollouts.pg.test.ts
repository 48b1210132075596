import { describe, expect, test } from 'vitest';
import type { AgentStatus } from '../../src/agents/agent.ts';
import { readLiveContent } from '../../src/agents/agent-versions.sql.ts';
import { toUuid } from '../../src/ids.ts';
import { inTransaction } from '../../src/platform/postgres/transaction.ts';
import { lockLiveVersion } from '../../src/agents/rollouts/rollouts.sql.ts';
import { newTenant } from '../roles/api/shared-api.ts';
import {
  armOf,
  endAll,
  passHours,
  startRolloutFixture,
  uuidOf,
  type Arm,
  type RolloutFixture,
} from './rollout-setup.ts';

describe('a new version under the policy progressive', () => {
  test('begins a rollout, and the old version stays live', async () => {
    const { agent, rollout } = await startRolloutFixture();
    expect(await agent()).toMatchObject({ active_version: 1, latest_version: 2 });
    expect(await rollout()).toMatchObject({
      status: 200,
      body: {
        status: 'progressing',
        step: 1,
        steps: 1,
        weight: 50,
        from_version: 1,
        to_version: 2,
        from: { conversations: 0 },
        to: { conversations: 0 },
        conversations: 0,
        min_conversations: 5,
        checks: [{ metric: 'escalation_rate', difference: null, verdict: 'undecided' }],
      },
    });
  });

  test('gives each user the arm that a receiver can compute, always the same', async () => {
    const { talk, events } = await startRolloutFixture();
    const [id] = await talk('to', 1);
    const started = (await events('conversation.started')).find(
      ({ data }) => data.conversation_id === id,
    );
    expect(started?.data).toMatchObject({
      agent_version: 2,
      rollout: { id: expect.stringMatching(/^ro_/), arm: 'to', weight: 50 },
    });
    await talk('from', 3);
  });

  test('gives a conversation without a user an arm by its own id', async () => {
    const { call, agentId, rollout } = await startRolloutFixture();
    const { rollout_id: id } = (await rollout()).body;
    for (let i = 0; i < 8; i += 1) {
      const { body } = await call('POST', '/v1/conversations', { json: { agent_id: agentId } });
      expect(body.agent_version).toBe(armOf(id, body.id, 50) === 'to' ? 2 : 1);
    }
  });

  test.each([
    ['a test', { test: true }, 1],
    ['a conversation with a given version', { agent_version: 1 }, 1],
  ])('takes no part in %s', async (_, fields, version) => {
    const fixture = await startRolloutFixture({ steps: [{ weight: 99, min_conversations: 1 }] });
    const { call, agentId, rollout } = fixture;
    const { rollout_id: id } = (await rollout()).body;
    const user = ['a', 'b', 'c', 'd'].find((one) => armOf(id, one, 99) === 'to');
    const json = { agent_id: agentId, user_id: user, ...fields };
    const { body } = await call('POST', '/v1/conversations', { json });
    expect(body.agent_version).toBe(version);
    await endAll(fixture, [body.id]);
    expect((await rollout()).body).toMatchObject({
      from: { conversations: 0 },
      to: { conversations: 0 },
    });
  });

  test('counts each person once, and erased conversations too', async () => {
    const fixture = await startRolloutFixture();
    const { call, agentId, rollout } = fixture;
    const json = { agent_id: agentId, user_id: 'ada' };
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      ids.push(String((await call('POST', '/v1/conversations', { json })).body.id));
    }
    await endAll(fixture, ids);
    expect((await call('DELETE', `/v1/conversations/${ids[0]}`)).status).toBe(204);
    const { from, to } = (await rollout()).body;
    expect(from.conversations + to.conversations).toBe(1);
  });

  test('keeps no hash of an erased user, and that of others', async () => {
    const fixture = await startRolloutFixture();
    const { call, agentId, api } = fixture;
    const units = async (ids: string[]): Promise<string[]> => {
      const { rows } = await api.engine.pool.query<{ unit: string }>(
        `select encode(unit, 'hex') as unit from rollout_conversations
          where conversation_id = any($1) order by array_position($1, conversation_id)`,
        [ids.map((id) => toUuid('conv', id))],
      );
      return rows.map(({ unit }) => unit);
    };
    const ids: string[] = [];
    for (const user of ['ada', 'bea']) {
      const json = { agent_id: agentId, user_id: user };
      ids.push(String((await call('POST', '/v1/conversations', { json })).body.id));
    }
    const before = await units(ids);
    expect(before).toHaveLength(2);
    expect((await call('DELETE', `/v1/conversations/${ids[0]}`)).status).toBe(204);
    const [erased, kept] = await units(ids);
    expect(erased).toMatch(/^[0-9a-f]{32}$/);
    expect(erased).not.toBe(before[0]);
    expect(kept).toBe(before[1]);
  });

  test('gets its share of users, and keeps them as the weight rises', async () => {
    const users = Array.from({ length: 100_000 }, (_, i) => `user-${i}`);
    const ofNew = (weight: number): Set<string> =>
      new Set(
        users.filter((user) => armOf('ro_06dmv3vxk4c7e9g1j3m5p7r9t2', user, weight) === 'to'),
      );
    const [few, many] = [ofNew(5), ofNew(50)];
    // The 99.9 % band of the binomial distribution.
    const bandOf = (share: number): number => 3.29 * Math.sqrt(users.length * share * (1 - share));
    expect(Math.abs(few.size - 5_000)).toBeLessThan(bandOf(0.05));
    expect(Math.abs(many.size - 50_000)).toBeLessThan(bandOf(0.5));
    expect([...few].every((user) => many.has(user))).toBe(true);
  });

  test('has the arms that the hash says, for every user', async () => {
    const { agentId, namespace, api, rollout } = await startRolloutFixture();
    const { rollout_id: rolloutId } = (await rollout()).body;
    const id = uuidOf(agentId);
    for (const unit of [
      '',
      'a',
      'ä',
      '😀',
      ':',
      ...Array.from({ length: 200 }, (_, i) => `u${i}`),
    ]) {
      const live = await readLiveContent(api.engine.pool, { namespace, id, unit });
      const arm: Arm = live?.version === 2 ? 'to' : 'from';
      expect({ unit, arm }).toEqual({ unit, arm: armOf(rolloutId, unit, 50) });
    }
    expect(await readLiveContent(api.engine.pool, { namespace, id })).toMatchObject({
      version: 1,
      rollout: null,
    });
  });
});

describe('an operator that looks', () => {
  test('aborts a version that escalates more, with one activation and one event', async () => {
    const fixture = await startRolloutFixture();
    const { talk, look, rollout, agent, events, call, agentId } = fixture;
    await endAll(fixture, await talk('from', 20));
    await endAll(fixture, await talk('to', 20), { escalated: true });
    await look();
    await look();
    expect((await rollout()).body).toMatchObject({
      status: 'aborted',
      weight: 0,
      actor: 'parley-operator',
      reason: expect.stringContaining('escalation_rate is worse by 1'),
      from: { conversations: 20 },
      to: { conversations: 20 },
      checks: [{ verdict: 'worse', difference: 1, from: 0, to: 1 }],
    });
    expect(await agent()).toMatchObject({
      active_version: 1,
      pinned_version: null,
      activation: { action: 'rolled_back', from_version: 2, actor: 'parley-operator' },
    });
    const rolledBack = await events('agent.rolled_back');
    expect(rolledBack.map(({ data }) => data)).toEqual([
      expect.objectContaining({
        version: 1,
        from_version: 2,
        actor: 'parley-operator',
        rollout: expect.objectContaining({
          step: 1,
          weight: 50,
          evidence: expect.objectContaining({ to: { conversations: 20 } }),
        }),
      }),
    ]);
    const json = { agent_id: agentId };
    for (let i = 0; i < 4; i += 1) {
      const { body } = await call('POST', '/v1/conversations', { json });
      expect(body.agent_version).toBe(1);
    }
  });

  test('acts once if two look at the same time, and not at all as a former leader', async () => {
    const fixture = await startRolloutFixture();
    const { talk, look, acts, events, api, agentId } = fixture;
    await endAll(fixture, await talk('from', 20));
    const ofNew = await talk('to', 20);
    await inTransaction(api.engine.pool, async (db) => {
      // Keeps the leader, which looks too, from acting meanwhile.
      await lockLiveVersion(db, uuidOf(agentId));
      await endAll(fixture, ofNew, { escalated: true });
      await expect(look({ epochsAgo: 1 })).rejects.toThrow('another operator leads');
      expect(await acts()).toEqual(['started']);
    });
    await Promise.all([look(), look()]);
    expect(await acts()).toEqual(['aborted', 'started']);
    expect(await events('agent.rolled_back')).toHaveLength(1);
  });

  test('does not begin an aborted rollout again until the content changes', async () => {
    const { act, patch, acts } = await startRolloutFixture();
    await act('abort');
    await patch({ metadata: { touched: 'yes' } });
    expect(await acts()).toEqual(['aborted', 'started']);
    await patch({ prompt: 'Three.' });
    expect(await acts()).toEqual(['started', 'aborted', 'started']);
  });

  test('advances from step to step and makes the version live', async () => {
    const steps = [
      { weight: 30, min_conversations: 20 },
      { weight: 60, min_conversations: 20 },
    ];
    const checks = [{ metric: 'escalation_rate', worse_by: 0.9 }];
    const fixture = await startRolloutFixture({ steps, checks });
    const { talk, look, rollout, agent, events, acts } = fixture;
    await endAll(fixture, await talk('from', 20));
    await endAll(fixture, await talk('to', 19));
    await look();
    expect((await rollout()).body).toMatchObject({ step: 1, conversations: 19 });
    await endAll(fixture, await talk('to', 1));
    await look();
    expect((await rollout()).body).toMatchObject({
      status: 'progressing',
      step: 2,
      weight: 60,
      conversations: 0,
      to: { conversations: 20 },
    });
    await endAll(fixture, await talk('from', 20));
    await endAll(fixture, await talk('to', 20));
    await look();
    expect((await rollout()).body).toMatchObject({ status: 'completed', weight: 100 });
    expect(await agent()).toMatchObject({ active_version: 2, activation: { action: 'published' } });
    expect(await events('agent.published')).toHaveLength(2);
    expect(await acts()).toEqual(['completed', 'advanced', 'started']);
  });

  test('holds a step without any conversation when its time is over, and says so', async () => {
    const fixture = await startRolloutFixture({ max_duration: '2h' });
    const { look, rollout } = fixture;
    await passHours(fixture, 1);
    await look();
    expect((await rollout()).body.status).toBe('progressing');
    await passHours(fixture, 1);
    await look();
    expect((await rollout()).body).toMatchObject({
      status: 'holding',
      weight: 50,
      reason:
        'undecided after 7200 s: 0 of 5 conversations have ended, escalation_rate has no data',
    });
  });

  test('holds a version that is worse if so declared', async () => {
    const fixture = await startRolloutFixture({ on_fail: 'hold' });
    const { talk, look, rollout } = fixture;
    await endAll(fixture, await talk('from', 20));
    await endAll(fixture, await talk('to', 20), { escalated: true });
    await look();
    expect((await rollout()).body).toMatchObject({
      status: 'holding',
      checks: [{ verdict: 'worse' }],
    });
  });

  test('compares ratings, of those who rated', async () => {
    const checks = [{ metric: 'csat_average', worse_by: 0.3 }];
    const fixture = await startRolloutFixture({ checks });
    const { talk, look, rollout } = fixture;
    await endAll(fixture, await talk('from', 20), { csat: 5 });
    await endAll(fixture, await talk('to', 5));
    await look();
    expect((await rollout()).body).toMatchObject({ status: 'progressing' });
    await endAll(fixture, await talk('to', 20), { csat: 1 });
    await look();
    expect((await rollout()).body).toMatchObject({
      status: 'aborted',
      checks: [{ metric: 'csat_average', from: 5, to: 1, difference: -4 }],
    });
  });
});

describe('the status of an agent', () => {
  const statusOf = async ({ api, namespace, agent }: RolloutFixture) => {
    const { name } = await agent();
    const resource = await api.engine.store.get('Agent', { namespace, name });
    const { rollout, conditions = [] } = (resource?.status ?? {}) as AgentStatus;
    return {
      message: rollout?.message,
      conditions: conditions
        .filter(({ type }) => ['Progressing', 'Degraded'].includes(type))
        .map(({ type, status, reason }) => [type, status, reason]),
    };
  };

  test('shows what the step needs, that it is held, and that a version was taken back', async () => {
    const fixture = await startRolloutFixture();
    const { act, patch, api } = fixture;
    const { eventually } = api.engine;
    await eventually(
      async () => (await statusOf(fixture)).message === '50% of v2, progressing: 0 of 5',
    );
    expect((await statusOf(fixture)).conditions).toContainEqual([
      'Progressing',
      'True',
      'RolloutProgressing',
    ]);
    await act('hold');
    await patch({ metadata: { touched: 'once' } });
    await eventually(
      async () => (await statusOf(fixture)).message === '50% of v2, holding: 0 of 5',
    );
    expect((await statusOf(fixture)).conditions).toContainEqual([
      'Progressing',
      'False',
      'RolloutHeld',
    ]);
    await act('abort');
    await patch({ metadata: { touched: 'twice' } });
    await eventually(async () => (await statusOf(fixture)).message === 'v2 aborted');
    expect((await statusOf(fixture)).conditions).toEqual([['Degraded', 'True', 'RolloutAborted']]);
  });
});

describe('a person', () => {
  test('holds, resumes, advances and aborts, each audited with its reason', async () => {
    const fixture = await startRolloutFixture({
      steps: [
        { weight: 10, min_conversations: 1 },
        { weight: 20, min_conversations: 1 },
      ],
    });
    const { act, acts, call, agent } = fixture;
    expect((await act('hold', { reason: 'Lunch.' })).body).toMatchObject({
      status: 'holding',
      reason: 'Lunch.',
      actor: expect.stringMatching(/^api:key_/),
    });
    expect((await act('hold')).body.status).toBe('holding');
    expect((await act('resume')).body.status).toBe('progressing');
    expect((await act('resume')).body.status).toBe('progressing');
    expect((await act('advance')).body).toMatchObject({ step: 2, weight: 20, conversations: 0 });
    expect((await act('abort', { reason: 'Rude.' })).body).toMatchObject({ status: 'aborted' });
    expect(await acts()).toEqual(['aborted', 'advanced', 'resumed', 'held', 'started']);
    expect(await agent()).toMatchObject({ active_version: 1, activation: { reason: 'Rude.' } });
    const { body: log } = await call('GET', '/v1/audit_log?action=agent.rollout_aborted');
    expect(log.data).toMatchObject([{ target: fixture.agentId, detail: { reason: 'Rude.' } }]);
    expect(await act('resume')).toMatchObject({ status: 409, body: { code: 'no_rollout' } });
  });

  test('makes the version live by advancing after the last step', async () => {
    const { act, agent } = await startRolloutFixture();
    expect((await act('advance')).body).toMatchObject({ status: 'completed', weight: 100 });
    expect(await agent()).toMatchObject({ active_version: 2, pinned_version: null });
  });

  test('needs the scope publish to change a rollout, and read to see it', async () => {
    const { newKey, call, agentId } = await startRolloutFixture();
    const path = `/v1/agents/${agentId}/rollout`;
    const [reads, writes] = [await newKey(['read']), await newKey(['write'])];
    expect((await call('GET', path, { key: reads })).status).toBe(200);
    expect((await call('GET', path, { key: writes })).status).toBe(403);
    for (const change of ['advance', 'hold', 'resume', 'abort']) {
      const key = writes;
      expect((await call('POST', `${path}/${change}`, { key, json: {} })).status).toBe(403);
    }
  });

  test('of another namespace sees nothing', async () => {
    const { agentId } = await startRolloutFixture();
    const other = await newTenant();
    const path = `/v1/agents/${agentId}/rollout`;
    expect((await other.call('GET', path)).status).toBe(404);
    expect((await other.call('GET', `${path}s`)).status).toBe(404);
    expect((await other.call('POST', `${path}/abort`, { json: {} })).status).toBe(404);
  });

  test('sees 404 before the first rollout', async () => {
    const { call } = await newTenant();
    const { body } = await call('POST', '/v1/agents', { json: { prompt: 'One.' } });
    expect((await call('GET', `/v1/agents/${body.id}/rollout`)).status).toBe(404);
  });
});
