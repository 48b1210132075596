import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StubReply } from '../../models/stub-model.ts';
import { shareModelFixture, waysOf, type ModelFixture } from './model-fixture.ts';

/** Conversations that go from agent to agent, turn after turn, and do not drift. */

let api: ModelFixture;
let n = 0;
beforeAll(async () => {
  api = await shareModelFixture();
});
beforeEach(() => api.reset());

const to = (agent: string, name = 'next') => ({ type: 'handoff', name, agent });
const HAND_OVER: StubReply = { toolCalls: [{ name: 'next', arguments: {} }] };

const patch = async (agent: string, json: object): Promise<void> => {
  expect((await api.call('PATCH', `/v1/agents/${agent}`, { json })).status).toBe(200);
};
/** Who was asked last: the first line of its prompt. */
const asked = (): string =>
  String(api.stub.requests.at(-1)!.body.messages![0]!.content).split('\n')[0]!;

/** `front` v2 hands over to `desk` v2, which hands back to `front` v1. */
async function pair(): Promise<{ front: string; desk: string }> {
  n += 1;
  const names = { front: `front-${n}`, desk: `desk-${n}` };
  const desk = await api.newAgent({ name: names.desk, prompt: 'Desk one.' });
  const tools = [to(names.desk)];
  const front = await api.newAgent({ name: names.front, prompt: 'Front one.', tools });
  await patch(desk, { prompt: 'Desk two.', tools: [to(names.front)] });
  await patch(front, { prompt: 'Front two.' });
  return { front, desk };
}

const speakers = async (id: string): Promise<unknown[]> =>
  (await api.turns(id)).flatMap(({ role, agent_id: agent, agent_version: version }) =>
    role === 'user' ? [] : [[role, agent, version]],
  );

describe.each(waysOf('JSON', 'OpenAI stream'))('by %s', (way) => {
  test('over and back, with the versions that were live when each went live', async () => {
    const { front, desk } = await pair();
    const talk = await api.talk(way, front);
    api.stub.script(HAND_OVER, { text: 'Desk here.' });
    expect((await talk.say('I want the desk.')).text).toBe('Desk here.');
    expect(asked()).toBe('Desk two.');
    await patch(desk, { prompt: 'Desk three.' });
    await patch(front, { prompt: 'Front three.' });
    await talk.say('Still there?');
    expect(asked()).toBe('Desk two.');
    api.stub.script(HAND_OVER, { text: 'Front again.' });
    expect((await talk.say('Back, please.')).text).toBe('Front again.');
    expect(asked()).toBe('Front one.');
    const id = await talk.id();
    expect(await speakers(id)).toEqual([
      ['tool', front, 2],
      ['agent', desk, 2],
      ['agent', desk, 2],
      ['tool', desk, 2],
      ['agent', front, 1],
    ]);
    expect(await api.read(id)).toMatchObject({ agent_id: front, agent_version: 2 });
    await api.checkWhole(id);
  });
});

describe.each(waysOf('SSE'))('by %s', (way) => {
  test('to an agent that was deleted: a failure that the model reads, and the first goes on', async () => {
    const { front, desk } = await pair();
    const talk = await api.talk(way, front);
    expect((await api.call('DELETE', `/v1/agents/${desk}`)).status).toBe(204);
    api.stub.script(HAND_OVER, { text: 'Nobody is at the desk.' });
    expect((await talk.say('I want the desk.')).text).toBe('Nobody is at the desk.');
    expect(asked()).toBe('Front two.');
    const [, tool] = await api.turns(await talk.id());
    expect(JSON.parse(tool!['tool_result'].content).error).toMatch(/no longer exists/);
  });
});

describe.each(waysOf('JSON', 'OpenAI'))('by %s', (way) => {
  test('ends with the agent that speaks, when that is deleted', async () => {
    const { front, desk } = await pair();
    const talk = await api.talk(way, front);
    api.stub.script(HAND_OVER, { text: 'Desk here.' });
    await talk.say('I want the desk.');
    const id = await talk.id();
    expect((await api.call('DELETE', `/v1/agents/${desk}`)).status).toBe(204);
    await api.engine.eventually(async () => (await api.read(id)).status === 'ended');
    expect(await api.read(id)).toMatchObject({ ended_reason: 'agent_deleted', agent_id: front });
    if (!way.startsWith('OpenAI')) {
      expect((await talk.say('Hello?')).status).toBe(409);
    }
  });
});

describe.each(waysOf('OpenAI'))('by %s', (way) => {
  test('in a circle within one turn it comes to an end', async () => {
    const { front } = await pair();
    const talk = await api.talk(way, front);
    api.stub.answer(({ body }) => (body.tools ? HAND_OVER : { text: 'Enough.' }));
    // Desk one, at the end of the records, has nobody to hand over to.
    expect((await talk.say('Round and round.')).text).toBe('Enough.');
    expect(asked()).toBe('Desk one.');
    expect(api.stub.requests).toHaveLength(4);
    await api.checkWhole(await talk.id());
  });
});

test('a question that nobody answers is a gap of the agent that was to answer it', async () => {
  const { front, desk } = await pair();
  const talk = await api.talk('JSON', front);
  const gaps = async (agent: string) =>
    (await api.call('GET', `/v1/knowledge/gaps?agent_id=${agent}`)).body.data.map(
      ({ question }: { question: string }) => question,
    );
  api.stub.script({ text: 'I cannot say.' });
  await talk.say('Do you sell tandem bicycles?');
  expect([await gaps(front), await gaps(desk)]).toEqual([['Do you sell tandem bicycles?'], []]);
  // Handed over within the turn, and all that follows.
  api.stub.script(HAND_OVER, { text: 'Nor can I.' });
  await talk.say('Is there a workshop for children?');
  api.stub.script({ text: 'Nor that.' });
  await talk.say('Where is the island of Svalbard?');
  expect(await gaps(front)).toEqual(['Do you sell tandem bicycles?']);
  const ofDesk = ['Where is the island of Svalbard?', 'Is there a workshop for children?'];
  expect(await gaps(desk)).toEqual(ofDesk);
  const { body } = await api.call('GET', '/v1/events?type=knowledge.gap.detected&limit=100');
  const told = body.data
    .map(({ data }: { data: { agent_id: string; question: string } }) => data)
    .filter(({ agent_id }: { agent_id: string }) => agent_id === desk);
  expect(told.map(({ question }: { question: string }) => question)).toEqual(ofDesk);
  // Back at the front: its own again.
  api.stub.script(HAND_OVER, { text: 'Front: I cannot say.' });
  await talk.say('May I bring a parrot?');
  expect(await gaps(front)).toEqual(['May I bring a parrot?', 'Do you sell tandem bicycles?']);
});

test('each tenant has the agents of its own namespace, whatever they are called', async () => {
  const key = await api.newKey('team-b');
  const make = (name: string, json: object) =>
    api.call('POST', '/v1/agents', { key, json: { name, prompt: `Theirs: ${name}.`, ...json } });
  await api.newAgent({ name: 'shared', prompt: 'Ours: shared.' });
  await api.newAgent({ name: 'ours-alone', prompt: 'Ours.' });
  const refused = await make('a', { tools: [to('ours-alone')] });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ code: 'unknown_agent' }] } });
  await make('shared', {});
  const { body: agent } = await make('b', { tools: [to('shared')] });
  const { body } = await api.call('POST', '/v1/conversations', {
    key,
    json: { agent_id: agent.id },
  });
  api.stub.script(HAND_OVER, { text: 'Hello.' });
  await api.call('POST', `/v1/conversations/${body.id}/messages`, { key, json: { text: 'Hi' } });
  expect(asked()).toBe('Theirs: shared.');
});
