import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { createCall } from '../../src/calls/create-call.ts';
import { endCall } from '../../src/calls/end-call.ts';
import { withoutRequestId } from '../roles/api/api-setup.ts';
import { startCallFixture, TO, type CallFixture } from './calls-setup.ts';
import { SIMULATED_ONLY } from './simulated-only.ts';

/** The requests and responses of the calls API. */

let fixture: CallFixture;
beforeEach(async () => {
  fixture = await startCallFixture();
});

describe('what is refused', () => {
  test.each([
    ['no agent', { agent_id: undefined }, '/agent_id'],
    ['no such agent', { agent_id: 'agt_01m0000000000000000000000z' }, '/agent_id'],
    ['nobody to call', { to: undefined }, '/to'],
    ['nobody who calls', { direction: 'inbound', to: TO }, '/from'],
    ['a number without country', { to: '02071838750' }, '/to'],
    ['a number that begins with 0', { to: '+0123' }, '/to'],
    ['a number that is too long', { to: '+4420718387500000' }, '/to'],
    ['a number with words', { to: '+442071838750 at home' }, '/to'],
    ['another provider', { provider: 'twilio' }, '/provider'],
    ['too long a wait', { simulated: { ring_ms: 60_001 } }, '/simulated/ring_ms'],
    ['a silent turn', { simulated: { turns: [{ text: ' ' }] } }, '/simulated/turns/0/text'],
    ['an unknown field', { simulated: { x: 1 } }, '/simulated/x'],
  ])('%s', async (_, change, pointer) => {
    const json = { agent_id: fixture.agentId, to: TO, ...change };
    const reply = await fixture.api.call('POST', '/v1/calls', { json });
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
    expect(reply.body.errors).toMatchObject([{ pointer }]);
  });

  test('a provider that nobody has declared', async () => {
    const json = { agent_id: fixture.agentId, to: TO, provider: 'twilio' };
    const { body } = await fixture.api.call('POST', '/v1/calls', { json });
    expect(body.errors).toMatchObject([{ pointer: '/provider', code: 'unknown_provider' }]);
  });

  test('more than a thousand turns', async () => {
    const turns = Array.from({ length: 1_001 }, () => ({ text: 'a' }));
    expect(await fixture.place({}, turns)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/simulated/turns', code: 'too_many' }] },
    });
  });

  test('an agent that was never published', async () => {
    const agent_id = await fixture.publishAgent('draft', { publish_policy: 'manual' });
    const reply = await fixture.api.call('POST', '/v1/calls', { json: { agent_id, to: TO } });
    expect(reply).toMatchObject({ status: 409, body: { code: 'not_published' } });
  });

  test("another namespace's agent and call are as if there were none", async () => {
    const key = await fixture.api.newKey(`${fixture.namespace}-other`);
    const foreign = await fixture.api.call('POST', '/v1/calls', {
      key,
      json: { agent_id: fixture.agentId, to: TO },
    });
    expect(foreign).toMatchObject({ status: 422, body: { errors: [{ pointer: '/agent_id' }] } });

    const { body: call } = await fixture.place({}, []);
    const missing = 'call_01m0000000000000000000000z';
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/end'],
    ] as const) {
      const own = await fixture.api.call(method, `/v1/calls/${missing}${path}`);
      const theirs = await fixture.api.call(method, `/v1/calls/${call.id}${path}`, { key });
      expect(own.status).toBe(404);
      expect(withoutRequestId(theirs)).toEqual(withoutRequestId(own));
    }
    expect((await fixture.api.call('GET', '/v1/calls', { key })).body.data).toEqual([]);
  });
});

describe('the list', () => {
  test('has the newest first, in pages, by each filter', async () => {
    const ringing = { ring_ms: 60_000 };
    const first = await fixture.place({}, [], ringing);
    const inbound = { direction: 'inbound', from: TO, to: undefined };
    const second = await fixture.place(inbound, [], ringing);
    const third = await fixture.place({}, [], { answer: 'busy' });
    await fixture.callWhen(first, 'ringing');
    await fixture.callWhen(second, 'ringing');
    await fixture.callWhen(third, 'busy');
    const [a, b, c] = [first, second, third].map(({ body }) => body.id as string);
    const idsOf = async (query: string): Promise<string[]> =>
      (await fixture.read(`/v1/calls${query}`)).data.map(({ id }: { id: string }) => id);
    expect(await idsOf('')).toEqual([c, b, a]);
    expect(await idsOf('?status=ringing')).toEqual([b, a]);
    expect(await idsOf('?direction=inbound')).toEqual([b]);
    expect(await idsOf(`?agent_id=${fixture.agentId}`)).toEqual([c, b, a]);
    expect(await idsOf('?agent_id=agt_01m0000000000000000000000z')).toEqual([]);
    expect(await idsOf(`?created_after=${first.body.created + 3_600}`)).toEqual([]);
    expect(await idsOf(`?created_before=${first.body.created + 3_600}`)).toEqual([c, b, a]);
    const page = await fixture.read('/v1/calls?limit=2');
    expect(page.has_more).toBe(true);
    expect(await idsOf(`?limit=2&cursor=${page.next_cursor}`)).toEqual([a]);
    const answered = await fixture.callWhen(
      await fixture.place({}, [{ text: 'Hi.' }]),
      'completed',
    );
    expect(await idsOf(`?conversation_id=${answered.conversation_id}`)).toEqual([answered.id]);
    for (const wrong of ['?status=over', '?direction=up', '?created_after=x', '?x=1']) {
      expect(await fixture.api.call('GET', `/v1/calls${wrong}`)).toMatchObject({ status: 400 });
    }
  });
});

test('the same Idempotency-Key rings once', async () => {
  const request = {
    headers: { 'idempotency-key': 'once' },
    json: { agent_id: fixture.agentId, to: TO, simulated: { ring_ms: 60_000 } },
  };
  const first = await fixture.api.call('POST', '/v1/calls', request);
  const again = await fixture.api.call('POST', '/v1/calls', request);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect((await fixture.read('/v1/calls')).data).toHaveLength(1);
});

describe('what is to be committed with the change', () => {
  const fails = async (): Promise<void> => {
    throw new Error('the answer cannot be kept');
  };

  test('undoes a call when it fails', async () => {
    const { pool } = fixture.api.engine;
    const call: Parameters<typeof createCall>[1] = {
      namespace: fixture.namespace,
      agentId: toUuid('agt', fixture.agentId)!,
      direction: 'outbound',
      from: null,
      to: TO,
      provider: 'simulated',
      providerOptions: {},
      userId: null,
      variables: {},
      metadata: {},
    };
    const deps = { ...SIMULATED_ONLY, pool, nowMs: Date.now, wakeCalls: () => undefined };
    await expect(createCall(deps, call, fails)).rejects.toThrow('cannot be kept');
    expect((await fixture.read('/v1/calls')).data).toEqual([]);
  });

  test.each([
    ['ringing', { ring_ms: 60_000 }],
    ['in_progress', {}],
  ])('leaves a call that is %s when it fails', async (status, script) => {
    const made = await fixture.place({}, [], script);
    await fixture.callWhen(made, status);
    const deps = {
      ...fixture.api.engine,
      announce: () => undefined,
      changed: () => undefined,
      judge: () => undefined,
      nowMs: Date.now,
      baseUrl: () => fixture.api.url,
      ...SIMULATED_ONLY,
    };
    const key = { namespace: fixture.namespace, id: toUuid('call', made.body.id)! };
    await expect(endCall(deps, key, fails)).rejects.toThrow('cannot be kept');
    expect(await fixture.read(`/v1/calls/${made.body.id}`)).toMatchObject({
      status,
      ended_at: null,
    });
    const { data } = await fixture.read('/v1/conversations?status=active');
    expect(data).toHaveLength(status === 'in_progress' ? 1 : 0);
  });
});
