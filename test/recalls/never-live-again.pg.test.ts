import { describe, expect, test } from 'vitest';
import { startConversation } from '../../src/conversations/record/start-conversation.ts';
import { newUuid, toUuid } from '../../src/ids.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { CHECKS, STEPS } from '../rollouts/rollout-setup.ts';
import { recalledTwo, startRecallFixture } from './recall-setup.ts';

const REFUSED = { status: 409, body: { code: 'version_recalled' } };

describe('a recall', () => {
  test('of the live version is refused, and says to roll back', async () => {
    const { recall, agent } = await startRecallFixture();
    const { status, body } = await recall([1, 2]);
    expect([status, body.code, body.detail]).toEqual([
      409,
      'version_is_live',
      'Version 2 is live. Roll back or publish another version first, then recall it.',
    ]);
    expect(await agent()).toMatchObject({ active_version: 2 });
  });

  test('of an unknown version is refused', async () => {
    const { recall } = await startRecallFixture();
    expect(await recall([1, 3])).toMatchObject({
      status: 422,
      body: { code: 'unknown_version', errors: [{ pointer: '/versions/1' }] },
    });
  });

  test.each([
    ['no versions', { versions: [] }],
    ['a version twice', { versions: [1, 1] }],
    ['a time in the future', { versions: [1], since: 4_000_000_000 }],
  ])('with %s is refused', async (_, json) => {
    const { call, path } = await startRecallFixture();
    expect((await call('POST', `${path}/recalls`, { json })).status).toBe(422);
  });

  test('is listed, read, recorded in the audit log, and shown at the version', async () => {
    const { call, path, recall, agentId } = await startRecallFixture();
    const { body, headers } = await recall([1], { since: 1_000, reason: 'It lied.' });
    expect(body).toMatchObject({
      id: expect.stringMatching(/^rcl_/),
      agent_id: agentId,
      versions: [1],
      since: 900,
      reason: 'It lied.',
      actor: expect.stringMatching(/^api:key_/),
    });
    expect((await call('GET', headers.get('location')!)).body).toEqual(body);
    await recall([1]);
    const { body: list } = await call('GET', `${path}/recalls`);
    expect(list.data.map(({ since }: { since: number | null }) => since)).toEqual([null, 900]);
    const { body: audit } = await call('GET', '/v1/audit_log?action=agent.recalled');
    expect(audit.data[1]).toMatchObject({
      target: agentId,
      after: { recall: body.id, versions: [1] },
      detail: { reason: 'It lied.' },
    });
    const { body: versions } = await call('GET', `${path}/versions`);
    expect(versions.data.map((one: { recalled_at: unknown }) => one.recalled_at)).toEqual([
      null,
      body.created,
    ]);
  });

  test('of another agent is not found below an agent', async () => {
    const { call, path, recall } = await startRecallFixture();
    const id = (await recall([1])).body.id;
    const other = (await call('POST', '/v1/agents', { json: { prompt: 'Other.' } })).body.id;
    const recalled = `/recalls/${id}`;
    for (const list of ['', '/conversations', '/users', '/tool_calls']) {
      expect((await call('GET', `${path}${recalled}${list}`)).status).toBe(200);
      expect((await call('GET', `/v1/agents/${other}${recalled}${list}`)).status).toBe(404);
    }
  });
});

describe('a recalled version never goes live again', () => {
  test('by publish', async () => {
    const { call, path, agent } = await recalledTwo();
    const { status, body } = await call('POST', `${path}/publish`, { json: { version: 2 } });
    expect([status, body.code, body.detail]).toEqual([
      409,
      'version_recalled',
      'Version 2 was recalled and can never go live again. Choose another version.',
    ]);
    expect(await agent()).toMatchObject({ active_version: 1 });
  });

  test('by publish without a version', async () => {
    const { call, path, agent } = await recalledTwo();
    expect(await call('POST', `${path}/publish`, { json: {} })).toMatchObject(REFUSED);
    expect(await agent()).toMatchObject({ active_version: 1, pinned_version: 1 });
  });

  test('by publish of the latest version under manual', async () => {
    const { call, path, agent } = await recalledTwo();
    await call('PATCH', path, { json: { publish_policy: 'manual' } });
    expect(await call('POST', `${path}/publish`, { json: {} })).toMatchObject(REFUSED);
    expect(await agent()).toMatchObject({ active_version: 1 });
  });

  test('by rollback to it, and a rollback without a version skips it', async () => {
    const { call, path, recall, agent } = await startRecallFixture(['One.', 'Two.', 'Three.']);
    await recall([2]);
    const back = (json: object) => call('POST', `${path}/rollback`, { json });
    expect(await back({ version: 2 })).toMatchObject(REFUSED);
    await back({});
    expect(await agent()).toMatchObject({ active_version: 1 });
  });

  test('by a rollback if no other version was live', async () => {
    const { call, path, recall } = await startRecallFixture();
    await recall([1]);
    expect(await call('POST', `${path}/rollback`, { json: {} })).toMatchObject({
      status: 409,
      body: {
        code: 'nothing_to_roll_back_to',
        detail:
          'No version below the active version 2 can go live: each of them was never live or was recalled.',
      },
    });
  });

  test('by the same content again', async () => {
    const { recall, patch, agent, call, path } = await startRecallFixture();
    await recall([1]);
    await patch({ prompt: 'One.' });
    expect(await agent()).toMatchObject({
      active_version: 2,
      latest_version: 2,
      status: {
        ready: false,
        reason: 'VersionRecalled',
        message: expect.stringContaining(
          'the declared content is version 1, which was recalled and can never go live again; change the content',
        ),
      },
    });
    await patch({ prompt: 'Three.' });
    expect(await agent()).toMatchObject({ active_version: 3, status: { ready: true } });
    expect((await call('GET', `${path}/activations`)).body.data).toHaveLength(3);
  });

  test('by removing the pin in a manifest', async () => {
    const { recall, agent, namespace, api } = await startRecallFixture(['One.', 'Two.']);
    const { engine } = api;
    const { name } = await agent();
    const pin = (spec: object) => engine.declareAgent(name, { ...spec }, 'git', namespace);
    await pin({ pinnedVersion: 1 });
    await engine.settled('Agent', name, namespace);
    await recall([2]);
    await pin({});
    await engine.settled('Agent', name, namespace);
    expect(await agent()).toMatchObject({
      active_version: 1,
      status: { ready: false, reason: 'VersionRecalled' },
    });
  });

  test('by a pin in a manifest', async () => {
    const { recall, agent, namespace, api } = await startRecallFixture();
    await recall([1]);
    const { name } = await agent();
    await api.engine.declareAgent(name, { pinnedVersion: 1 }, 'git', namespace);
    const { status } = await api.engine.settled('Agent', name, namespace);
    expect(status['conditions']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: 'Pinned',
          status: 'False',
          reason: 'VersionRecalled',
          message:
            'spec.pinnedVersion: version 1 was recalled and can never go live again; pin another version',
        }),
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'VersionRecalled' }),
      ]),
    );
    expect(await agent()).toMatchObject({ active_version: 2 });
  });

  test('by a rollout to it', async () => {
    const { recall, patch, agent, call, path } = await startRecallFixture();
    await patch({ publish_policy: 'progressive', rollout: { steps: STEPS, checks: CHECKS } });
    // A version that was never live, so that its content does not return as a rollback.
    await patch({ prompt: 'Three.' });
    expect((await call('GET', `${path}/rollout`)).body).toMatchObject({ status: 'progressing' });
    await recall([3], { reason: 'It lied.' });
    expect((await call('GET', `${path}/rollout`)).body).toMatchObject({
      status: 'aborted',
      reason: 'version 3 was recalled: It lied.',
    });
    const waits = { ready: false, reason: 'VersionRecalled' };
    expect(await agent()).toMatchObject({ active_version: 2, status: waits });
    await patch({ prompt: 'Four.' });
    await patch({ prompt: 'Three.' });
    expect(await agent()).toMatchObject({
      active_version: 2,
      status: waits,
    });
    expect((await call('GET', `${path}/rollout`)).body).toMatchObject({ to_version: 4 });
  });

  test('by a new conversation that names it, except for a test', async () => {
    const { call, agentId } = await recalledTwo();
    const json = { agent_id: agentId, agent_version: 2 };
    expect(await call('POST', '/v1/conversations', { json })).toMatchObject(REFUSED);
    const tested = await call('POST', '/v1/conversations', { json: { ...json, test: true } });
    expect(tested).toMatchObject({ status: 201, body: { agent_version: 2 } });
  });

  test('by a call that was placed before the recall, which gets the live one', async () => {
    const { api, agentId, namespace } = await recalledTwo();
    const deps = {
      pool: api.engine.pool,
      announce: () => undefined,
      changed: () => undefined,
      judge: () => undefined,
      nowMs: () => Date.now(),
      metrics: createMetrics({ processMetrics: false }),
      baseUrl: () => '',
    };
    const of = {
      namespace,
      agentId: toUuid('agt', agentId)!,
      channel: 'voice' as const,
      version: 2,
    };
    const about = { ...of, userId: null, variables: {}, metadata: {} };
    const called = await startConversation(deps, { ...about, callId: newUuid() });
    expect(called.agentVersion).toBe(1);
    await expect(startConversation(deps, about)).rejects.toMatchObject({
      code: 'version_recalled',
    });
  });

  test('by a client of OpenAI that names it', async () => {
    const { call, agentId } = await recalledTwo();
    const model = `${agentId}@2`;
    expect((await call('GET', `/v1/models/${model}`)).status).toBe(404);
    const json = { model, messages: [{ role: 'user', content: 'Hello?' }] };
    expect(await call('POST', '/v1/chat/completions', { json })).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('Version 2 was recalled') } },
    });
  });

  test('by a token for a talk', async () => {
    const { call, path } = await recalledTwo();
    const json = { version: 2 };
    expect(await call('POST', `${path}/talk_tokens`, { json })).toMatchObject(REFUSED);
  });

  test('by a handoff that names it', async () => {
    const { call, agent } = await recalledTwo();
    const tool = { type: 'handoff', name: 'next', agent: (await agent()).name, version: 2 };
    const json = { prompt: 'Front.', tools: [tool] };
    expect(await call('POST', '/v1/agents', { json })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/tools/0/version', code: 'version_recalled' }] },
    });
    const live = { ...json, tools: [{ ...tool, version: 1 }] };
    expect((await call('POST', '/v1/agents', { json: live })).status).toBe(201);
  });

  test('by a handoff in a manifest, which is reported as soon as its target is recalled', async () => {
    const { call, agent, recall, namespace, api } = await startRecallFixture();
    const { name } = await agent();
    const tool = { type: 'handoff', name: 'next', agent: name, version: 1, description: 'Next.' };
    await api.engine.declareAgent('front', { prompt: 'F.', tools: [tool] }, 'git', namespace);
    await api.engine.settled('Agent', 'front', namespace);
    // The status that the reconcile of `front` wrote queues it again, before this agent.
    await api.engine.declareAgent('later', { prompt: 'L.' }, 'git', namespace);
    await api.engine.settled('Agent', 'later', namespace);
    await recall([1]);
    const front = async () => (await call('GET', '/v1/agents?name=front')).body.data[0];
    const reported = await api.engine.eventually(async () => {
      const one = await front();
      return one?.status.reason === 'VersionRecalled' && one;
    });
    expect(reported).toMatchObject({
      active_version: 1,
      status: {
        message: expect.stringContaining(
          `tool "next": version: version 1 of agent "${name}" was recalled; name another version, or omit \`version\` to use the live one`,
        ),
      },
    });
  });

  test('by an operator of an earlier release', async () => {
    const { api, agentId } = await recalledTwo();
    const { pool } = api.engine;
    const id = toUuid('agt', agentId);
    await expect(
      pool.query('update agents set active_version = 2 where id = $1', [id]),
    ).rejects.toThrow('version 2 of the agent was recalled');
    const line = pool.query(
      `insert into agent_rollouts (agent_id, seq, rollout_id, public_id, action, step, weight, from_version,
                                   to_version, plan, actor)
       values ($1, 1, $1, 'ro_1', 'started', 0, 5, 1, 2, '{}', 'old')`,
      [id],
    );
    await expect(line).rejects.toThrow('version 2 of the agent was recalled');
  });
});
