import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startStubModel } from '../models/stub-model.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { until } from '../until.ts';
import { startParley, temporaryFolder, type Parley } from '../roles/parley-process.ts';

/** What a new user sees at the first start: a conversation with each agent of examples/. */

const EXAMPLES = path.resolve(import.meta.dirname, '../../examples');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** Used instead of a PostgreSQL of its own, which takes longer to make than all the rest. */
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let parley: Parley;

beforeEach(async () => {
  [folder, database] = await Promise.all([temporaryFolder(), createTestDatabase()]);
});
afterEach(async () => {
  await parley.stop();
  await database.drop();
  await folder.remove();
});

const start = (demo: string, env: Record<string, string> = {}): Promise<Parley> =>
  startParley({
    dataDir: path.join(folder.path, 'data'),
    manifests: EXAMPLES,
    env: { DATABASE_URL: database.url, PARLEY_DEMO: demo, ...env },
  });

test('the first start holds a conversation with answers, a gap, an end and its events', async () => {
  parley = await start('1');
  await shown('held a sample conversation with shop-assistant');
  await shown('use a scripted model');
  const [shopping, conversation] = await conversations();
  expect(conversation).toMatchObject({
    status: 'ended',
    metadata: { demo: 'true' },
    ended_reason: 'api',
  });
  const command = /curl -H "Authorization: Bearer (\S+)" '(http\S+)'/.exec(parley.output());
  const [, key, url] = command ?? [];
  const transcript = await fetch(url!, { headers: { authorization: `Bearer ${key}` } });
  expect(await transcript.text()).toContain('£34 a month');
  for (const type of ['started', 'ended', 'transcript.ready']) {
    await shown(`conversation.${type} `, 'signature ok');
  }
  await shown('knowledge.gap.detected ', 'signature ok');
  await shown('knowledge.source.synced ', 'signature ok');
  const { turns } = (await parley.call('GET', `/v1/conversations/${conversation.id}/transcript`))
    .body;
  const scores = turns.flatMap((turn: { retrieval?: { chunks: object[] } }) =>
    turn.retrieval ? [turn.retrieval.chunks.length > 0] : [],
  );
  expect(scores).toEqual([true, true, false]);

  expect(shopping).toMatchObject({ status: 'ended', ended_reason: 'agent_hangup' });
  await didThings(shopping.id);

  await parley.stop();
  parley = await start('1');
  await holdAnother(conversation.agent_id);
  expect(await conversations()).toHaveLength(3);
}, 120_000);

/** By tools of a real shop on loopback, with a scripted model. */
async function didThings(id: string): Promise<void> {
  const { turns } = (await parley.call('GET', `/v1/conversations/${id}/transcript`)).body;
  const calls = turns.flatMap((turn: { tool_call?: { name: string } | null }) =>
    turn.tool_call ? [turn.tool_call.name] : [],
  );
  expect(calls).toEqual(['order_status', 'start_return', 'hang_up']);
  const said = turns.filter(({ role }: { role: string }) => role === 'agent');
  expect(said.at(-2)).toMatchObject({
    text: expect.stringContaining('R-5001'),
    model: { provider: 'scripted', name: 'scripted' },
  });
}

test('what the model of the sample could not answer is told, and one that stands still holds nobody up who stops', async () => {
  const stub = await startStubModel({ reply: { text: 'one two', hang: 'between_tokens' } });
  stub.script(...Array.from({ length: FIRST_MESSAGES }, () => ({ status: 401 })));
  parley = await start('1', { PARLEY_MODEL_URL: stub.url, PARLEY_MODEL: 'stub-1' });
  await shown('Model', `stub-1 at ${stub.url}`);
  await shown("support's model could not answer", 'check PARLEY_MODEL_KEY');
  await stub.request(FIRST_MESSAGES); // The first one of the second conversation.
  expect(await parley.stop()).toEqual([0]); // While the model still stands.
  await stub.stop();
}, 120_000);

/** Messages of the user in the first sample conversation. */
const FIRST_MESSAGES = 4;

test('without the demonstration there is none', async () => {
  parley = await start('0');
  const agent = await until('the agent to be ready', async () => {
    const { body } = await parley.call('GET', '/v1/agents');
    const agents: { name: string; ready: boolean; id: string }[] = body.data;
    return agents.find(({ name, ready }) => name === 'support' && ready);
  });
  await holdAnother(agent.id);
  expect(await conversations()).toHaveLength(1);
}, 120_000);

/** Longer than the sample would take if it were held now. */
async function holdAnother(agent_id: string): Promise<void> {
  const { body } = await parley.call('POST', '/v1/conversations', { agent_id });
  for (let i = 0; i < 20; i += 1) {
    const said = await parley.call('POST', `/v1/conversations/${body.id}/messages`, {
      text: `What is the wifi password, ${i}?`,
    });
    expect(said.status).toBe(200);
  }
}

async function conversations() {
  return (await parley.call('GET', '/v1/conversations')).body.data;
}

/** Resolves once a line with all of these was shown. */
async function shown(...words: string[]): Promise<void> {
  const isShown = (): boolean =>
    parley
      .output()
      .split('\n')
      .some((line) => words.every((word) => line.includes(word)));
  await until(() => `${words.join()} in ${parley.output()}`, isShown);
}
