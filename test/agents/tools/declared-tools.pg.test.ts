import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parameterProblems } from '../../../src/agents/tools/tool-problems.ts';
import { startApi, type Api } from '../../roles/api/api-setup.ts';
import { countReconciles } from '../../roles/reconciles.ts';
import { until } from '../../until.ts';
import { awaitCondition } from '../agents.ts';

/** What is wrong with a tool is said where it is declared. */

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const shop = { type: 'webhook', name: 'shop', url: 'https://shop.example.com/' };
const agent = (tool: object) => ({ prompt: 'You sell bicycles.', tools: [shop, tool] });

const WRONG: [string, object, { pointer: string; code: string }, string][] = [
  [
    'a schema that is none',
    { ...shop, name: 'a', parameters: { properties: { id: { type: 'strin' } } } },
    { pointer: '/tools/1/parameters/properties/id/type', code: 'invalid_value' },
    'InvalidParameters',
  ],
  [
    'a schema that is elsewhere',
    { ...shop, name: 'b', parameters: { $ref: 'https://example.com/schema.json' } },
    { pointer: '/tools/1/parameters', code: 'invalid_value' },
    'InvalidParameters',
  ],
  [
    'an address inside',
    { ...shop, name: 'c', url: 'http://169.254.169.254/latest' },
    { pointer: '/tools/1/url', code: 'invalid_url' },
    'InvalidUrl',
  ],
  [
    'a handoff to nobody',
    { type: 'handoff', name: 'd', agent: 'nobody' },
    { pointer: '/tools/1/agent', code: 'unknown_agent' },
    'AgentNotFound',
  ],
];

describe.each(WRONG)('%s', (what, tool, error, reason) => {
  test('is 422 at its place by REST, at POST and PATCH', async () => {
    const made = await api.call('POST', '/v1/agents', { json: agent(tool) });
    expect([made.status, made.body.errors]).toEqual([422, [expect.objectContaining(error)]]);
    const { body } = await api.call('POST', '/v1/agents', { json: { prompt: 'x' } });
    const json = { tools: agent(tool).tools };
    const patched = await api.call('PATCH', `/v1/agents/${body.id}`, { json });
    expect([patched.status, patched.body.errors]).toEqual([422, [expect.objectContaining(error)]]);
    expect(
      (await api.call('PATCH', `/v1/agents/${body.id}`, { json: { tools: null } })).status,
    ).toBe(200);
  });

  test('is a condition in a manifest, for as long as it is declared', async () => {
    const name = what.replaceAll(' ', '-');
    await api.engine.declareAgent(name, agent(tool));
    const of = { kind: 'Agent', name };
    const type = reason.endsWith('NotFound') ? 'ResolvedRefs' : 'Accepted';
    await awaitCondition(api.engine, of, { type, status: 'False', reason });
    // Looked at again, it is refused again.
    await api.engine.declareAgent(name, { ...agent(tool), displayName: 'B' });
    await awaitCondition(api.engine, of, { type, status: 'False', reason });
    await api.engine.declareAgent(name, { ...agent(shop), tools: [shop] });
    await awaitCondition(api.engine, of, { type, status: 'True' });
  });
});

test('a schema that is none is refused again whenever it is looked at', async () => {
  const name = 'looked-at-again';
  const parameters = { properties: { id: { type: 'strin' } } };
  const secretRef = { name: 'awaited', key: 'token' };
  await api.engine.declareAgent(name, agent({ ...shop, name: 'a', parameters, secretRef }));
  const looks = () => countReconciles(api.engine, 'agent');
  const expectRefused = async (): Promise<void> => {
    const { status } = await api.engine.settled('Agent', name);
    const accepted = { type: 'Accepted', status: 'False', reason: 'InvalidParameters' };
    expect(status['conditions']).toContainEqual(expect.objectContaining(accepted));
    expect(status).not.toHaveProperty('activeVersion');
  };
  // What its status says is looked at once more.
  let before = -1;
  await until(
    'the operator to be quiet',
    async () => {
      await expectRefused();
      const last = before;
      before = await looks();
      return before === last;
    },
    { everyMs: 200 },
  );
  // What it refers to comes, of all agents it alone: the same generation is looked at anew.
  await api.engine.store.apply(
    {
      kind: 'Secret',
      namespace: 'default',
      name: 'awaited',
      labels: { 'parley.dev/allow': 'true' },
      spec: { data: { token: 'x' } },
    },
    { fieldManager: 'kubectl' },
  );
  await until('it to be looked at again', async () => (await looks()) > before);
  await expectRefused();
});

test('all schemas of one agent have a second together', async () => {
  const anyOf = Array.from({ length: 950 }, (_, i) => ({ const: i }));
  const parameters = { properties: { a: { anyOf } } };
  const tools = Array.from({ length: 50 }, (_, i) => ({
    type: 'webhook',
    name: `t${i}`,
    parameters,
  }));
  const problems = await parameterProblems(tools);
  expect(problems.at(-1)).toMatchObject({
    pointer: '/49/parameters',
    detail: expect.stringContaining('too long'),
  });
});
