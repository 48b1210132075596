import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { echo, scriptedResponder } from '../conversations/turns/scripted-responder.ts';
import { until } from '../until.ts';
import { GREETING, ORIGIN, startTalkFixture, type TalkFixture } from './talk-setup.ts';

/** Visitors of a page write and speak with an agent, over one socket each. */

const responder = scriptedResponder();
let talks: TalkFixture;
beforeAll(async () => {
  talks = await startTalkFixture({ responder });
});
beforeEach(() => responder.play(echo));
afterAll(() => talks?.stop());

test('a token says what a page needs to begin', async () => {
  const made = await talks.widgetToken();
  expect(made).toMatchObject({
    status: 201,
    body: {
      socket_url: `${talks.api.url.replace('http', 'ws')}/v1/talk`,
      agent: { id: talks.agentId, display_name: 'The shop', language: null },
      modes: ['chat', 'voice'],
    },
  });
  expect(made.body.token).toMatch(/^talk_[\w-]+$/);
  expect(made.body.expires_at * 1_000 - Date.now()).toBeGreaterThan(590_000);
  expect(made.headers.get('access-control-allow-origin')).toBe(ORIGIN);
});

test('a visitor writes, reads the reply as it is made, and ends it', async () => {
  const page = await talks.visit();
  await page.gets('turn', { index: 0 });
  page.write('How much is Tide 500?');
  await page.gets('turn', { index: 2 });
  expect(
    page
      .of('text')
      .map(({ text }) => text)
      .join(''),
  ).toBe('You said: How much is Tide 500?');
  expect(page.turns()).toEqual([
    `agent: ${GREETING}`,
    'user: How much is Tide 500?',
    'agent: You said: How much is Tide 500?',
  ]);
  const id = page.conversationId();
  page.send({ type: 'end' });
  expect(await page.closed).toBe(1000);
  expect(page.frames.slice(-2)).toMatchObject([
    { type: 'status', status: 'ended' },
    { type: 'ended', reason: 'user_hangup' },
  ]);
  expect(page.frames[0]).toMatchObject({ type: 'ready', mode: 'chat' });
  const conversation = await talks.read(`/v1/conversations/${id}`);
  expect(conversation).toMatchObject({ channel: 'chat', status: 'ended', call_id: null });
  expect(await talks.transcript(id)).toEqual(page.turns());
  expect((await talks.read('/v1/calls')).data).toEqual([]);
});

test('a visitor speaks, hears the reply, and closes the page', async () => {
  const page = await talks.visit({ mode: 'voice' });
  expect(page.frames[0]).toMatchObject({ type: 'ready', mode: 'voice', sample_rate: 16_000 });
  await page.heardWhole(GREETING);
  await page.say('How much is Tide 500?');
  await page.heardWhole('You said: How much is Tide 500?');
  expect(page.heard()).toEqual([GREETING, 'You said: How much is Tide 500?']);
  const latency = await page.gets('latency');
  expect(latency['total_ms']).toBeGreaterThanOrEqual(400);
  const parts = latency['recognition_ms'] + latency['model_ms'] + latency['synthesis_ms'];
  expect(Math.abs(parts - latency['total_ms'])).toBeLessThan(3);
  await page.close();
  const [call] = await until('the call to be over', async () => {
    const { data } = await talks.read('/v1/calls?status=completed');
    return data.length > 0 && data;
  });
  expect(call).toMatchObject({
    provider: 'web_voice',
    direction: 'inbound',
    from: null,
    to: null,
    ended_reason: 'user_hangup',
    conversation_id: page.conversationId(),
  });
  const conversation = await talks.read(`/v1/conversations/${page.conversationId()}`);
  expect(conversation).toMatchObject({ channel: 'web_voice', ended_reason: 'user_hangup' });
  expect(conversation.call_id).toBe(call.id);
  expect(await talks.transcript(page.conversationId())).toEqual(page.turns());
});
