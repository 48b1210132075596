import { beforeAll, expect, test } from 'vitest';
import { SENTENCES } from '../../../src/conversations/sentences/sentences.ts';
import { shareOpenAiFixture, type OpenAiFixture } from '../completions/openai-setup.ts';

/** Notes that Parley adds to a conversation are in the agent's language. */

let api: OpenAiFixture;
beforeAll(async () => {
  api = await shareOpenAiFixture();
});

const WORDS = SENTENCES['de']!;
const KIM = { id: 'op-1', name: 'Kim' };
const named = (sentence: string): string => sentence.replace('{{name}}', KIM.name);

const texts = async (id: string): Promise<string[]> =>
  (await api.turns(id)).map(({ role, text }) => `${role}: ${text}`);

async function escalated(): Promise<{
  id: string;
  act: (what: string, json?: unknown) => Promise<unknown>;
}> {
  const id = await api.start({ agent_id: await api.newAgent({ language: 'de-AT' }) });
  const { status, body } = await api.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
  expect({ status, body }).toMatchObject({ status: 201 });
  const act = async (what: string, json?: unknown) => {
    const made = await api.call('POST', `/v1/escalations/${body.id}/${what}`, { json });
    expect(made).toMatchObject({ status: 200 });
  };
  return { id, act };
}

test('a person who comes, passes it on and leaves', async () => {
  const { id, act } = await escalated();
  await act('accept', { accepted_by: KIM });
  await act('release', {});
  await act('accept', { accepted_by: KIM });
  await act('complete', {});
  expect(await texts(id)).toEqual([
    `system: ${WORDS.humanAsked}`,
    `system: ${named(WORDS.joined)}`,
    `system: ${named(WORDS.leftOthersAsked)}`,
    `system: ${named(WORDS.joined)}`,
    `system: ${named(WORDS.left)}`,
  ]);
});

test('nobody is free', async () => {
  const { id, act } = await escalated();
  await act('decline');
  expect((await texts(id)).at(-1)).toBe(`system: ${WORDS.nobodyFree}`);
});

test.each([false, true])(
  'a client of OpenAI whose message waits for a person, streamed: %s',
  async (isStreamed) => {
    const model = await api.newAgent({ language: 'de' });
    const chat = api.chat({ isStreamed, fields: { model } });
    const first = await chat.say('I want to talk to a person.');
    const { body } = await api.call('GET', `/v1/escalations?conversation_id=${first.conversation}`);
    expect(body.data).toEqual([]);
    await api.call('POST', `/v1/conversations/${first.conversation}/escalate`, { json: {} });
    const waiting = await chat.say('Hallo?');
    expect(waiting).toEqual({ conversation: first.conversation, reply: WORDS.passedOn });
  },
);
