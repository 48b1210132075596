import { afterEach, describe, expect, test } from 'vitest';
import { newTenant } from '../roles/api/shared-api.ts';
import { at, receiver, stopAll } from '../platform/egress/harness.ts';
import { onRequest, respond } from '../platform/egress/servers.ts';
import {
  CHECKS,
  endAll,
  startRolloutFixture,
  STEPS,
  type RolloutFixture,
} from './rollout-setup.ts';

/** What a rollout does besides splitting: it requests humans after an abort, and asks a webhook before a step. */

afterEach(stopAll);

const statusOf = async ({ call }: RolloutFixture, id: string | undefined): Promise<string> =>
  (await call('GET', `/v1/conversations/${id}`)).body.status;

describe('after an abort, conversations in progress', () => {
  test('keep the new version, without a declaration', async () => {
    const fixture = await startRolloutFixture();
    const [id] = await fixture.talk('to', 1);
    await fixture.act('abort');
    const { body } = await fixture.call('GET', `/v1/conversations/${id}`);
    expect(body).toMatchObject({ agent_version: 2, status: 'active' });
    const { pool } = fixture.api.engine;
    const { rowCount } = await pool.query('select from rollout_escalations where namespace = $1', [
      fixture.namespace,
    ]);
    expect(rowCount).toBe(0);
  });

  test('get a human with the reason, once, if so declared', async () => {
    const fixture = await startRolloutFixture({ on_abort: 'escalate' });
    const { call, talk, act, agentId, api, events } = fixture;
    const ofNew = await talk('to', 2);
    const [ofOld] = await talk('from', 1);
    const [ended = ''] = await talk('to', 1);
    await call('POST', `/v1/conversations/${ended}/end`, { json: {} });
    const json = { agent_id: agentId, agent_version: 2, test: true };
    const { body: tested } = await call('POST', '/v1/conversations', { json });
    await act('abort', { reason: 'Rude.' });
    await api.engine.eventually(async () => {
      const all = await Promise.all(ofNew.map((id) => statusOf(fixture, id)));
      return all.every((status) => status === 'escalated');
    });
    const { body } = await call('GET', `/v1/escalations?agent_id=${agentId}`);
    expect(
      body.data.map((one: { conversation_id: string }) => one.conversation_id).toSorted(),
    ).toEqual(ofNew.toSorted());
    expect(body.data[0].reason).toBe('Version 2 was rolled back: Rude.');
    expect(await events('escalation.requested')).toHaveLength(2);
    expect(await statusOf(fixture, ofOld)).toBe('active');
    expect(await statusOf(fixture, ended)).toBe('ended');
    expect(await statusOf(fixture, tested.id)).toBe('active');
    // After a decline the agent continues, and no second request follows.
    const [{ id: escalation, conversation_id: declined }] = body.data;
    await call('POST', `/v1/escalations/${escalation}/decline`, { json: {} });
    const due = `update rollout_escalations set aborted_at = aborted_at - interval '60 s',
                        look_at = now() where namespace = $1`;
    const { pool } = api.engine;
    await pool.query(due, [fixture.namespace]);
    await api.engine.eventually(async () => {
      const { rowCount } = await pool.query(
        'select from rollout_escalations where namespace = $1',
        [fixture.namespace],
      );
      return rowCount === 0;
    });
    expect(await statusOf(fixture, declined)).toBe('active');
  });
});

describe('the webhook of a rollout', () => {
  const confirmBy = (url: string) => ({
    url,
    signing_secret_ref: { name: 'confirm', key: 'key' },
  });

  test('is asked by the operator before the version goes live', async () => {
    const asked: string[] = [];
    const server = await receiver((socket) =>
      onRequest(socket, (request) => {
        asked.push(request);
        socket.write(respond('200 OK', '{"decision":"confirm","reason":"Checked."}'));
      }),
    );
    const checks = [{ metric: 'escalation_rate', worse_by: 0.9 }];
    const fixture = await startRolloutFixture({ checks });
    const { talk, patch, rollout, api, namespace, agent } = fixture;
    const { engine } = api;
    // The Secret is missing, so the declaration waits. Without a rollout, only the Secret wakes the operator.
    await fixture.act('abort');
    await patch({
      prompt: 'Three.',
      rollout: { confirm: confirmBy(at(server)), on_abort: 'keep' },
    });
    expect(await agent()).toMatchObject({
      ready: false,
      rollout: { confirm: confirmBy(at(server)), on_abort: 'keep' },
    });
    const labels = { 'parley.dev/allow': 'true' };
    const spec = { data: { key: `whsec_${Buffer.alloc(32, 7).toString('base64')}` } };
    const secret = { kind: 'Secret', namespace, name: 'confirm', labels, spec };
    await engine.store.apply(secret, { fieldManager: 'kubectl' });
    await engine.eventually(async () => (await rollout()).body.to_version === 3);
    await endAll(fixture, await talk('from', 20));
    await endAll(fixture, await talk('to', 20));
    await patch({ metadata: { touched: 'yes' } });
    await engine.eventually(async () => (await rollout()).body.status === 'completed');
    expect((await rollout()).body.reason).toBe(
      'every check passed; the webhook answered confirm: Checked.',
    );
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['an address that is not allowed', 'http://10.0.0.1/', '/rollout/confirm/url'],
    ['no Secret', undefined, '/rollout/confirm/signing_secret_ref'],
  ])('with %s is refused', async (_, url, pointer) => {
    const { call } = await newTenant();
    const confirm = url === undefined ? { url: 'https://example.com/' } : confirmBy(url);
    const rollout = { steps: STEPS, checks: CHECKS, confirm };
    const json = { prompt: 'One.', publish_policy: 'progressive', rollout };
    const { status, body } = await call('POST', '/v1/agents', { json });
    expect({ status, pointer: body.errors?.[0]?.pointer }).toEqual({ status: 422, pointer });
  });
});
