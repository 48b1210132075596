import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { epochMs } from '../../src/clock.ts';
import { createVad } from '../../src/voice/vad/vad.ts';
import {
  echo,
  scriptedResponder,
  toolTurn,
  type Script,
} from '../conversations/turns/scripted-responder.ts';
import { answerInMarkdown, MARKDOWN, WORDS } from '../voice/playout/markdown-answer.ts';
import { meanwhile, passTime, until, type PassingTime } from '../calls/passing-time.ts';
import { shiftTime } from '../platform/postgres/postgres.ts';
import type { Page } from './page.ts';
import { GREETING, ORIGIN, startTalkFixture, type TalkFixture } from './talk-setup.ts';

/** Visitors of a page write and speak with an agent, over one socket each. */

const responder = scriptedResponder();
let talks: TalkFixture;
beforeAll(async () => {
  talks = await startTalkFixture({ responder });
});
let time: PassingTime;
beforeEach(() => {
  time = passTime();
  responder.play(echo);
});
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
  // Held time does not pass meanwhile.
  expect(made.body.expires_at).toBe(Math.floor(epochMs() / 1_000) + 600);
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
  const asked = Promise.withResolvers<ServerResponse>();
  talks.speech.onTranscription = asked.resolve;
  await page.say('How much is Tide 500?');
  const recognized = await meanwhile(asked.promise);
  talks.speech.onTranscription = undefined;
  await time.pass(2_200);
  recognized.end(JSON.stringify({ text: 'How much is Tide 500?' }));
  await page.heardWhole('You said: How much is Tide 500?');
  expect(page.heard()).toEqual([GREETING, 'You said: How much is Tide 500?']);
  const latency = await page.gets('latency');
  // The silence of 400 ms that ends a turn counts with the 2,200 ms of recognition.
  expect(Math.round(latency['recognition_ms'] / 1_000)).toBe(3);
  const parts = latency['recognition_ms'] + latency['model_ms'] + latency['synthesis_ms'];
  expect(parts).toBe(latency['total_ms']);
  const metrics = await (await fetch(`${talks.api.url}/metrics`)).text();
  for (const part of ['recognition', 'model', 'synthesis', 'total']) {
    expect(metrics).toContain(`parley_voice_turn_duration_seconds_count{part="${part}"} 1`);
  }
  await showsAll(page);
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

/** The page is told of each turn soon after it is stored. */
async function showsAll(page: Page): Promise<void> {
  const transcript = () => talks.transcript(page.conversationId());
  await until(
    async () => `${JSON.stringify(page.turns())} to be ${JSON.stringify(await transcript())}`,
    async () => page.turns().join('\n') === (await transcript()).join('\n'),
  );
}

/** Some seven seconds of it. */
const STORY = Array.from(
  { length: 10 },
  (_, at) =>
    `This is the long sentence number ${at + 10} that is told at leisure until somebody falls in.`,
);
const tell: Script = async ({ emitToken }) => {
  const text = STORY.join(' ');
  emitToken(text);
  return { text };
};

test('of a reply in Markdown a visitor hears words, and reads it as it is written', async () => {
  const page = await talks.visit({ mode: 'voice' });
  await page.heardWhole(GREETING);
  responder.play(answerInMarkdown);
  await page.say('How long does it take?');
  for (const sentence of WORDS) await page.heardWhole(sentence);
  expect(page.heard().slice(1)).toEqual(WORDS);
  expect(page.turns()).toContain(`agent: ${MARKDOWN}`);
  await page.close();
});

async function storyUnderWay(): Promise<Page> {
  const page = await talks.visit({ mode: 'voice' });
  await page.heardWhole(GREETING);
  responder.play(tell);
  await page.say('Tell me a story.');
  await page.hears(STORY[1]!);
  responder.play(echo);
  return page;
}

test('who speaks into a reply is listened to at the frame that decides it, and the page shows what was heard', async () => {
  const page = await storyUnderWay();
  const from = page.sent.length;
  await page.say('Stop, please!', 0.9);
  const [clear] = page.of('clear');
  expect(clear!.sentBefore).toBe(framesToDecide(page, from));
  await page.heardWhole('You said: Stop, please!');
  expect(page.of('clear')).toHaveLength(1);
  const [, , told] = await talks.transcript(page.conversationId());
  expect(told).toMatch(/ \(interrupted\)$/);
  await showsAll(page);
  const words = told!.replace(/^agent: /, '').replace(/ \(interrupted\)$/, '');
  expect(STORY.join(' ').startsWith(words)).toBe(true);
  const sentence = STORY.findLast((one) => page.framesOf(one) > 0)!;
  const whole = STORY.slice(0, STORY.indexOf(sentence)).join(' ');
  expect(words.startsWith(whole)).toBe(true);
  const share = page.framesOf(sentence) / Math.ceil(sentence.length / 2);
  const part = words.slice(whole.length).trim();
  expect(Math.abs(part.length - share * sentence.length)).toBeLessThan(20);
  expect(page.heard()).not.toContain(STORY.at(-1));
  await page.close();
});

test('with retranscribe_interrupted an interrupted turn is shown again once it is transcribed', async () => {
  const patch = (option: boolean | null) =>
    talks.api.call('PATCH', `/v1/agents/${talks.agentId}`, {
      json: { transcriber: { retranscribe_interrupted: option } },
    });
  expect(await patch(true)).toMatchObject({ status: 200 });
  const page = await storyUnderWay();
  talks.speech.onOwn = (sentence, _, part) =>
    part === 'rest' ? sentence.slice('This is the long sentence'.length) : 'This is the';
  await page.say('Stop, please!', 0.9);
  await page.heardWhole('You said: Stop, please!');
  talks.speech.onOwn = undefined;
  const sentence = STORY.findLast((one) => page.framesOf(one) > 0)!;
  const whole = STORY.slice(0, STORY.indexOf(sentence));
  const told = `agent: ${[...whole, 'This is the long sentence'].join(' ')} (interrupted)`;
  await until('the page to show it', () => page.turns()[2] === told);
  expect((await talks.transcript(page.conversationId()))[2]).toBe(told);
  await page.close();
  expect(await patch(null)).toMatchObject({ status: 200 });
});

test('what is said to be played after a clear was not heard', async () => {
  const page = await talks.visit({ mode: 'voice' });
  await page.heardWhole(GREETING);
  responder.play(tell);
  const held = page.holdMarks();
  await page.say('Tell me a story.');
  await page.hears(STORY[1]!);
  responder.play(echo);
  page.write('Stop, please!');
  await page.gets('clear');
  for (const name of held) page.send({ type: 'played', name });
  for (let mark = 1; mark < 20; mark += 1) page.send({ type: 'played', name: `s${mark}` });
  const cut = await page.gets('turn', { index: 2, interrupted: true });
  // The third sentence had not begun to be heard.
  expect(STORY.slice(0, 2).join(' ').startsWith(cut['text'])).toBe(true);
  await page.gets('turn', { index: 4, text: 'You said: Stop, please!' });
  expect((await talks.transcript(page.conversationId()))[2]).toBe(
    `agent: ${cut['text']} (interrupted)`,
  );
  await page.close();
});

test('who writes into what is said is answered, and nothing was heard of it for its time', async () => {
  const page = await storyUnderWay();
  page.write('Enough.');
  await page.heardWhole('You said: Enough.');
  expect(page.of('clear')).toHaveLength(1);
  const [spoken, written] = page.of('latency');
  expect(spoken).toMatchObject({ total_ms: expect.any(Number) });
  expect(written).toMatchObject({
    recognition_ms: null,
    total_ms: null,
    model_ms: expect.any(Number),
  });
  await page.close();
});

test('“ok” that is written while a reply is made is a message', async () => {
  const page = await talks.visit();
  await page.gets('turn', { index: 0 });
  const going = Promise.withResolvers<void>();
  responder.play(async ({ emitToken, signal }) => {
    emitToken('Well, ');
    going.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return { text: 'Well, ', interrupted: true };
  });
  page.write('How much is it?');
  await going.promise;
  responder.play(echo);
  page.write('ok');
  await page.gets('turn', { text: 'You said: ok' });
  await showsAll(page);
  expect(page.turns()).toContain('user: ok');
  await page.close();
});

test('a person takes over, writes and leaves; the page is told each time', async () => {
  const page = await talks.visit({ mode: 'voice' });
  await page.heardWhole(GREETING);
  const path = `/v1/conversations/${page.conversationId()}`;
  const asked = await talks.api.call('POST', `${path}/escalate`, { json: {} });
  await page.gets('status', { status: 'escalated', accepted: false });
  const escalation = `/v1/escalations/${asked.body.id}`;
  const accept = async (): Promise<void> => {
    const json = { accepted_by: { id: 'u1', name: 'Ada' } };
    await talks.api.call('POST', `${escalation}/accept`, { json });
  };
  await accept();
  await page.gets('status', { status: 'escalated', accepted: true });
  await talks.api.call('POST', `${escalation}/release`, { json: {} });
  await until('nobody to have it', () => page.of('status').at(-1)?.['accepted'] === false);
  await accept();
  await talks.api.call('POST', `${escalation}/messages`, { json: { text: 'Ada here.' } });
  await page.gets('turn', { role: 'human', text: 'Ada here.' });
  await page.heardWhole('Ada here.');
  await talks.api.call('POST', `${escalation}/complete`);
  await until('the agent to be back', () => page.of('status').at(-1)?.['status'] === 'active');
  await page.close();
});

test('an agent that says goodbye is heard to the end before the page is told', async () => {
  responder.play(async ({ emitToken }) => {
    emitToken('Goodbye, and thank you for coming.');
    return { text: 'Goodbye, and thank you for coming.', ends: 'agent_hangup' };
  });
  const page = await talks.visit({ mode: 'voice' });
  await page.heardWhole(GREETING);
  await page.say('That was all.');
  expect(await page.closed).toBe(1000);
  expect(page.heard().at(-1)).toBe('Goodbye, and thank you for coming.');
  expect(page.frames.at(-1)).toMatchObject({ type: 'ended', reason: 'agent_hangup' });
});

test('who ends it by the API ends it on the page', async () => {
  const voice = await talks.visit({ mode: 'voice' });
  const chat = await talks.visit();
  const { data } = await talks.read(`/v1/calls?conversation_id=${voice.conversationId()}`);
  await talks.api.call('POST', `/v1/calls/${data[0].id}/end`);
  await talks.api.call('POST', `/v1/conversations/${chat.conversationId()}/end`);
  for (const page of [voice, chat]) {
    expect(await page.closed).toBe(1000);
    expect(page.frames.at(-1)).toMatchObject({ type: 'ended', reason: 'api' });
  }
});

test('a visitor who says nothing is told that it has ended, in both modes', async () => {
  const path = `/v1/agents/${talks.agentId}`;
  await talks.api.call('PATCH', path, { json: { limits: { silence_timeout_sec: 5 } } });
  const pages = await Promise.all([talks.visit(), talks.visit({ mode: 'voice' })]);
  await talks.api.call('PATCH', path, { json: { limits: null } });
  await shiftTime(talks.api.engine.pool, 5_000);
  for (const page of pages) {
    expect(await page.closed).toBe(1000);
    expect(page.frames.at(-1)).toMatchObject({ type: 'ended', reason: 'silence_timeout' });
  }
  await shiftTime(talks.api.engine.pool, 0);
});

test('a test is counted nowhere, and tells nobody but the page', async () => {
  const { body } = await talks.talkToken({ test: true });
  for (const mode of ['chat', 'voice'] as const) {
    const page = await talks.visit({ token: body.token, mode });
    page.write('Does it work?');
    await page.gets('turn', { index: 2 });
    const id = page.conversationId();
    expect(await talks.read(`/v1/conversations/${id}`)).toMatchObject({ test: true });
    page.send({ type: 'end' });
    expect(await page.closed).toBe(1000);
    expect(await talks.events(id)).toEqual([]);
  }
});

test('tool calls and what was found never leave', async () => {
  const page = await talks.visit();
  responder.play(async ({ emitToken, noteTools }) => {
    await noteTools([toolTurn('refund', 'a secret of the shop')]);
    emitToken('It is done.');
    return { text: 'It is done.', tools: [toolTurn('refund', 'a secret of the shop')] };
  });
  page.write('Give me my money back.');
  await page.gets('turn', { text: 'It is done.' });
  expect(JSON.stringify(page.frames)).not.toContain('secret');
  expect(new Set(page.of('turn').flatMap((turn) => Object.keys(turn)))).toEqual(
    new Set(['at', 'sentBefore', 'type', 'index', 'role', 'text', 'interrupted']),
  );
  await page.close();
});

test('so many visitors begin to write in a minute', async () => {
  const widget = { allowed_origins: [ORIGIN], max_concurrent: 2 };
  const made = await talks.api.call('POST', '/v1/agents', { json: { prompt: 'Sell.', widget } });
  const { token } = (await talks.widgetToken({ agentId: made.body.id })).body;
  const [one] = await Promise.all([talks.visit({ token }), talks.visit({ token })]);
  await expect(talks.visit({ token })).rejects.toThrow(/closed by 1013.*rate_limited/);
  // What goes on is not begun, and a key of yours is not counted.
  await (await talks.visit({ token, resume: one.resume() })).close();
  const mine = (await talks.talkToken({}, { agentId: made.body.id })).body.token;
  await (await talks.visit({ token: mine })).close();
});

/** How many frames were sent with the one by which a detector says that it is more than a cough. */
function framesToDecide(page: Page, from: number): number {
  const vad = createVad({ sampleRate: 16_000, silenceMs: 400 });
  const at = page.sent.findIndex(({ samples }, index) => {
    vad.push(samples);
    return index >= from && vad.speechMs() >= 500;
  });
  return at + 1;
}
