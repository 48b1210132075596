import { afterAll, beforeAll, expect, test } from 'vitest';
import { readHandoffTarget } from '../../../src/agents/tools/handoffs.sql.ts';
import { readVersion } from '../../../src/agents/agent-versions.sql.ts';
import type { FindHandoffTarget } from '../../../src/conversations/tools/tool-box.ts';
import { toUuid } from '../../../src/ids.ts';
import { startApi, type Api } from '../../roles/api/api-setup.ts';
import { boxOf, run } from '../../conversations/tools/tool-setup.ts';
import { awaitCondition } from '../agents.ts';

/** Whom an agent hands conversations to is settled when its version goes live, and stays. */

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const to = (agent: string, more: object = {}) => ({
  type: 'handoff',
  name: 'next',
  agent,
  ...more,
});

async function make(name: string, json: object = {}, key = api.key): Promise<string> {
  const whole = { name, prompt: `You are ${name}.`, ...json };
  const { status, body } = await api.call('POST', '/v1/agents', { json: whole, key });
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id;
}

const patch = async (id: string, json: object): Promise<void> => {
  expect((await api.call('PATCH', `/v1/agents/${id}`, { json })).status).toBe(200);
};
const recorded = async (id: string): Promise<unknown[]> => {
  const { body } = await api.call('GET', `/v1/agents/${id}/activations`);
  return body.data.map((one: Record<string, unknown>) => [
    one['action'],
    one['to_version'],
    (one['handoffs'] as { version: number }[]).map(({ version }) => version),
  ]);
};

/** What the model reads and who goes on, in a conversation that began then. */
async function handOver(
  id: string,
  from: { version?: number; startedAt?: number; namespace?: string } = {},
): Promise<string> {
  const agentId = toUuid('agt', id)!;
  const { version: agentVersion = 1, ...more } = from;
  const { content } = (await readVersion(api.engine.pool, { agentId, version: agentVersion }))!;
  const findTarget: FindHandoffTarget = (of) => readHandoffTarget(api.engine.pool, of);
  const deps = { findTarget };
  const { effect, said } = await run(
    boxOf(content.tools ?? [], { agentId, agentVersion, deps, ...more }),
    {},
    { name: 'next' },
  );
  if (effect?.type !== 'handoff') return String(said['error']);
  return `${effect.speaker.content.prompt} v${effect.speaker.agentVersion}`;
}

/** After everything that was done, before everything that will be. */
const now = async (): Promise<number> => {
  const { rows } = await api.engine.pool.query<{ at: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as at',
  );
  return Math.floor(rows[0]!.at);
};

test('a newer version of the target is not taken by itself, and neither after a rollback', async () => {
  const b = await make('billing');
  const a = await make('front', { tools: [to('billing')] });
  const begun = await now();
  await patch(b, { prompt: 'Billing, second.' });
  expect(await handOver(a, { startedAt: begun })).toBe('You are billing. v1');
  // Nor does one that begins now: the version of the front is live under the same activation.
  expect(await handOver(a, { startedAt: await now() })).toBe('You are billing. v1');
  await api.call('POST', `/v1/agents/${a}/publish`);
  expect(await recorded(a)).toEqual([['published', 1, [1]]]);

  await patch(a, { prompt: 'Front, second.' });
  expect(await handOver(a, { version: 2, startedAt: await now() })).toBe('Billing, second. v2');
  expect(await handOver(a, { startedAt: begun })).toBe('You are billing. v1');

  await api.call('POST', `/v1/agents/${a}/rollback`);
  expect(await recorded(a)).toEqual([
    ['rolled_back', 1, [1]],
    ['published', 2, [2]],
    ['published', 1, [1]],
  ]);
  expect(await handOver(a, { startedAt: await now() })).toBe('You are billing. v1');
});

test('a version that the tool names is taken on purpose, or said to be missing', async () => {
  const b = await make('pinned-target');
  await patch(b, { prompt: 'Second.' });
  await patch(b, { prompt: 'Third.' });
  const a = await make('pinning', { tools: [to('pinned-target', { version: 2 })] });
  expect(await handOver(a)).toBe('Second. v2');
  await patch(a, { tools: [to('pinned-target', { version: 9 })] });
  expect(await handOver(a, { version: 2 })).toContain('it has no version 9');
});

test('a conversation keeps the target of its time when the same version goes live again', async () => {
  const b = await make('again-target');
  const a = await make('again', { tools: [to('again-target')] });
  const begun = await now();
  await patch(b, { prompt: 'Second.' });
  await patch(a, { prompt: 'Other.', tools: null });
  await api.engine.pool.query(
    // As a publication of the first content by its hash would, had it a higher number.
    `insert into agent_activations (agent_id, seq, action, from_version, to_version, actor, event_id, handoffs)
     select agent_id, 9, 'published', 2, 1, 'file', event_id,
            jsonb_set(handoffs, '{0,version}', '2') from agent_activations where agent_id = $1 and seq = 1`,
    [toUuid('agt', a)],
  );
  expect(await handOver(a, { startedAt: begun })).toBe('You are again-target. v1');
  expect(await handOver(a, { startedAt: await now() })).toBe('Second. v2');
});

test('one that was not live then: its first version, once there is one', async () => {
  const b = await make('late-target', { publish_policy: 'manual' });
  const a = await make('early', { tools: [to('late-target')] });
  const begun = await now();
  expect(await recorded(a)).toEqual([['published', 1, [null]]]);
  expect(await handOver(a, { startedAt: begun })).toContain('it was never published');
  await patch(b, { prompt: 'Second.' });
  await api.call('POST', `/v1/agents/${b}/publish`);
  await patch(b, { prompt: 'Third.' });
  await api.call('POST', `/v1/agents/${b}/publish`);
  expect(await handOver(a, { startedAt: begun })).toBe('Second. v2');
});

test('two that hand over to each other go live in whatever order they come', async () => {
  const { engine } = api;
  await engine.declareAgent('ping', { prompt: 'Ping.', tools: [to('pong')] });
  const of = { kind: 'Agent', name: 'ping' };
  const missing = { type: 'ResolvedRefs', status: 'False', reason: 'AgentNotFound' } as const;
  await awaitCondition(engine, of, missing);
  await engine.declareAgent('pong', { prompt: 'Pong.', tools: [to('ping')] });
  for (const name of ['ping', 'pong']) {
    await awaitCondition(engine, { ...of, name }, { type: 'Ready', status: 'True' });
  }
  const { body } = await api.call('GET', '/v1/agents?name=pong');
  expect(await handOver(body.data[0].id)).toBe('Ping. v1');
});

test('a deleted target is said to be gone; one of its name in another namespace is nobody', async () => {
  const key = await api.newKey('team-b');
  await make('theirs', {}, key);
  const json = { prompt: 'x', tools: [to('theirs')] };
  const { status, body } = await api.call('POST', '/v1/agents', { json });
  expect([status, body.errors[0].pointer]).toEqual([422, '/tools/0/agent']);
  const b = await make('leaving');
  const a = await make('staying', { tools: [to('leaving')] });
  const startedAt = await now();
  expect(await handOver(a, { startedAt, namespace: 'team-b' })).toContain('no longer exists');
  expect((await api.call('DELETE', `/v1/agents/${b}`)).status).toBe(204);
  await api.engine.eventually(async () =>
    (await handOver(a, { startedAt })).includes('no longer exists'),
  );
  await awaitCondition(
    api.engine,
    { kind: 'Agent', name: 'staying' },
    { type: 'ResolvedRefs', status: 'False', reason: 'AgentNotFound' },
  );
});

test('a rollback leads to the agent that has the name now, not to the deleted one', async () => {
  const desk = await make('desk');
  const front = await make('front-of-desk', { tools: [to('desk')] });
  await patch(front, { prompt: 'Front, second.', tools: null });
  expect((await api.call('DELETE', `/v1/agents/${desk}`)).status).toBe(204);
  const again = await make('desk', { prompt: 'Desk anew.' });
  expect(again).not.toBe(desk);
  expect((await api.call('POST', `/v1/agents/${front}/rollback`)).status).toBe(200);
  const { body } = await api.call('GET', `/v1/agents/${front}/activations`);
  expect(body.data[0]).toMatchObject({ action: 'rolled_back', to_version: 1 });
  expect(body.data[0].handoffs).toEqual([
    { tool: 'next', agent: 'desk', agent_id: again, version: 1 },
  ]);
  expect(await handOver(front, { startedAt: await now() })).toBe('Desk anew. v1');
});

test('a version that was never live hands over as if it had gone live when the conversation began', async () => {
  const b = await make('archive');
  const tools = [to('archive')];
  const json = { name: 'draft', prompt: 'Draft.', tools, publish_policy: 'manual' };
  const { body } = await api.call('POST', '/v1/agents', { json });
  expect(body).toMatchObject({ active_version: null, latest_version: 1 });
  const begun = await now();
  await patch(b, { prompt: 'Archive, second.' });
  expect(await handOver(body.id, { startedAt: begun })).toBe('You are archive. v1');
  expect(await handOver(body.id, { startedAt: await now() })).toBe('Archive, second. v2');
  // What the tool names comes first, and what is gone is a failure as ever.
  await patch(body.id, { tools: [{ ...to('archive'), version: 1 }] });
  const of = { version: 2, startedAt: await now() };
  expect(await handOver(body.id, of)).toBe('You are archive. v1');
  await api.call('DELETE', `/v1/agents/${b}`);
  expect(await handOver(body.id, of)).toMatch(/archive no longer exists/);
});
