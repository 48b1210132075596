import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type Api } from '../roles/api/api-setup.ts';
import { awaitCondition } from './agents.ts';

/** A tool's parameters, whose size no CRD can bound, declared in a manifest or by kubectl. */

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const withParameters = (parameters: Record<string, unknown>): Record<string, unknown> => ({
  prompt: 'You sell bicycles.',
  tools: [{ type: 'end_call', name: 'bye', parameters }],
});

test.each([
  ['an enum of 200,000', { enum: Array(200_000).fill(1) }, 'TooLarge', /10000 members/],
  ['an enum of 3,000', { enum: Array(3_000).fill(1) }, 'InvalidParameters', /tool "bye".*2000 mem/],
  ['a text of 64 KiB', { title: 'x'.repeat(65_536) }, 'InvalidParameters', /tool "bye".*64 KiB/],
])('parameters of %s are refused, and what is live stays', async (_, parameters, reason, words) => {
  const name = `agent-${Object.values(parameters)[0]!.length}`;
  await api.engine.declareAgent(name, withParameters({ type: 'object' }));
  const of = { kind: 'Agent', name };
  await awaitCondition(api.engine, of, { type: 'Ready', status: 'True' });
  await api.engine.declareAgent(name, withParameters(parameters));
  await awaitCondition(api.engine, of, { type: 'Accepted', status: 'False', reason });
  const { status } = await api.engine.settled('Agent', name);
  const { conditions } = status as { conditions: { type: string; message: string }[] };
  expect(conditions.find(({ type }) => type === 'Accepted')?.message).toMatch(words);
  expect(status).toMatchObject({ activeVersion: 1, latestVersion: 1 });
  // Nothing of it is in what a list shows.
  const { text } = await api.call('GET', `/v1/agents?name=${name}`);
  expect(text.length).toBeLessThan(100_000);
});

test('by REST they are 422 at their place', async () => {
  const json = withParameters({ enum: Array(3_000).fill(1) });
  const { status, body } = await api.call('POST', '/v1/agents', { json });
  expect({ status, ...body }).toMatchObject({
    status: 422,
    errors: [
      { pointer: '/tools/0/parameters', detail: 'must have at most 2000 members and elements' },
    ],
  });
});
