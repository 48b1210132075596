import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { runApi } from '../../src/roles/api/run.ts';
import { createContext } from '../../src/roles/context.ts';
import { echo, hesitate, scriptedResponder } from '../conversations/turns/scripted-responder.ts';
import { addPools, meanwhile, passTime, until } from '../calls/passing-time.ts';
import { startFaultProxy, type FaultProxy } from '../platform/fault-proxy.ts';
import type { Reply } from '../roles/api/api-setup.ts';
import type { Page } from './page.ts';
import { GREETING, ORIGIN, startTalkFixture, type TalkFixture } from './talk-setup.ts';

/** Sockets that break, windows beside each other, processes that stop, and a database that is away. */

const responder = scriptedResponder();
let talks: TalkFixture;
beforeAll(async () => {
  talks = await startTalkFixture({ responder });
});
beforeEach(() => {
  passTime();
  responder.play(echo);
});
afterAll(() => talks?.stop());

async function callOf(page: Page): Promise<Reply['body']> {
  const { data } = await talks.read(`/v1/calls?conversation_id=${page.conversationId()}`);
  return data[0];
}

async function callEnds(page: Page, like: object): Promise<void> {
  const what = async () =>
    `${JSON.stringify(like)}, but it is ${JSON.stringify(await callOf(page))}`;
  await until(what, async () => (await callOf(page)).ended_at !== null);
  expect(await callOf(page)).toMatchObject(like);
}

/** As if the lease of its line had run out: nobody waits ten seconds here. */
async function timePasses(page: Page): Promise<void> {
  const { id } = await callOf(page);
  await until('the socket to be given back', async () => {
    const { rowCount } = await talks.api.engine.pool.query(
      `update calls set line_until = clock_timestamp() where id = $1 and line_holder is null`,
      [toUuid('call', id)],
    );
    return rowCount === 1;
  });
}

test('a chat whose socket is cut goes on where it was, with all that was said', async () => {
  const page = await talks.visit();
  page.write('How much is Tide 500?');
  await page.gets('turn', { index: 2 });
  responder.play(hesitate);
  page.write('And Tide 1000?');
  await page.gets('text', { text: 'Well, ' });
  await page.cut();
  responder.play(echo);
  const again = await talks.visit({ resume: page.resume() });
  expect(again.conversationId()).toBe(page.conversationId());
  again.write('Are you there?');
  await again.gets('turn', { text: 'You said: Are you there?' });
  expect(again.turns()).toEqual(await talks.transcript(page.conversationId()));
  expect(again.turns().slice(0, 4)).toEqual([
    `agent: ${GREETING}`,
    'user: How much is Tide 500?',
    'agent: You said: How much is Tide 500?',
    'user: And Tide 1000?',
  ]);
  await again.close();
  expect(await talks.read(`/v1/conversations/${page.conversationId()}`)).toMatchObject({
    status: 'active',
  });
});

test('a talk by voice whose socket is cut goes on, and says nothing twice', async () => {
  const page = await talks.visit({ mode: 'voice' });
  await page.heardWhole(GREETING);
  await page.cut();
  const again = await talks.visit({ mode: 'voice', resume: page.resume() });
  expect(again.conversationId()).toBe(page.conversationId());
  await again.gets('turn', { index: 0, text: GREETING });
  await again.say('Are you there?');
  await again.heardWhole('You said: Are you there?');
  expect(again.heard()).toEqual(['You said: Are you there?']);
  await again.close();
  await callEnds(page, { status: 'completed', ended_reason: 'user_hangup' });
});

test('a visitor who does not come back has hung up', async () => {
  const page = await talks.visit({ mode: 'voice' });
  await page.heardWhole(GREETING);
  await page.cut();
  expect(await callOf(page)).toMatchObject({ status: 'in_progress' });
  await timePasses(page);
  await callEnds(page, { status: 'completed', ended_reason: 'user_hangup' });
  expect(await talks.events(page.conversationId())).toContain('conversation.ended');
  const late = await talks.visit({ mode: 'voice', resume: page.resume(), starts: false });
  const { body } = await talks.widgetToken();
  late.send({ type: 'start', token: body.token, mode: 'voice', resume: page.resume() });
  expect(await late.closed).toBe(1000);
  expect(late.frames).toMatchObject([{ type: 'ended', reason: 'user_hangup' }]);
});

test('of two windows the newer one has the voice, also of another process', async () => {
  const page = await talks.visit({ mode: 'voice' });
  await page.heardWhole(GREETING);
  const second = await talks.visit({ mode: 'voice', resume: page.resume() });
  expect(await page.closed).toBe(1008);
  expect(page.frames.at(-1)).toMatchObject({ type: 'error', code: 'not_found' });
  const other = await startAnother();
  const third = await talks.visit({ mode: 'voice', resume: second.resume(), url: other.url });
  expect(await second.closed).toBe(1008);
  await third.say('Which one am I?');
  await third.heardWhole('You said: Which one am I?');
  expect(await callOf(page)).toMatchObject({ status: 'in_progress' });
  await third.close();
  await callEnds(page, { status: 'completed' });
  await other.stop();
});

test('two windows of a chat show the same, whoever writes', async () => {
  const page = await talks.visit();
  const second = await talks.visit({ resume: page.resume() });
  page.write('From the first.');
  await second.gets('turn', { text: 'You said: From the first.' });
  second.write('From the second.');
  await page.gets('turn', { text: 'You said: From the second.' });
  await until('both to show it', () => page.turns().join() === second.turns().join());
  expect(page.turns()).toHaveLength(5);
  page.send({ type: 'end' });
  expect(await Promise.all([page.closed, second.closed])).toEqual([1000, 1000]);
});

test('a chat that has ended is shown for ten minutes, and then only that it has', async () => {
  const page = await talks.visit();
  page.write('Goodbye.');
  await page.gets('turn', { index: 2 });
  page.send({ type: 'end' });
  await page.closed;
  const soon = await talks.visit({ resume: page.resume() });
  expect(await soon.closed).toBe(1000);
  expect(soon.turns()).toEqual(page.turns());
  // One extra minute, because the held clock of the process lags behind the database.
  await talks.api.engine.pool.query(
    `update conversations
        set ended_at = ended_at - interval '11 minutes', started_at = started_at - interval '11 minutes'
      where id = $1`,
    [toUuid('conv', page.conversationId())],
  );
  const { body } = await talks.widgetToken();
  const late = await talks.visit({ starts: false });
  late.send({ type: 'start', token: body.token, mode: 'chat', resume: page.resume() });
  expect(await late.closed).toBe(1000);
  expect(late.frames).toMatchObject([{ type: 'ended', reason: 'user_hangup' }]);
});

test('nobody goes on with the talk of another visitor', async () => {
  const tokenOf = async (json: object) => (await talks.talkToken(json)).body.token;
  const mine = await talks.visit({ token: await tokenOf({ user_id: 'u_1' }) });
  const others = [
    await tokenOf({ user_id: 'u_2' }),
    await tokenOf({}),
    await tokenOf({ user_id: 'u_1', origin: ORIGIN }),
    await tokenOf({ user_id: 'u_1', test: true }),
    (await talks.widgetToken()).body.token,
  ];
  for (const token of others) {
    const page = await talks.visit({ token, starts: false });
    page.send({ type: 'start', token, mode: 'chat', resume: mine.resume() });
    expect(await page.closed).toBe(1008);
    expect(page.frames).toMatchObject([{ type: 'error', code: 'not_found' }]);
  }
  const made_up = await talks.visit({ starts: false });
  const token = others[1];
  made_up.send({ type: 'start', token, mode: 'chat', resume: mine.conversationId() });
  expect(await made_up.closed).toBe(1008);
  const again = await talks.visit({
    token: await tokenOf({ user_id: 'u_1' }),
    resume: mine.resume(),
  });
  expect(again.conversationId()).toBe(mine.conversationId());
  await Promise.all([mine.close(), again.close()]);
});

test('an erased talk is gone for its page too', async () => {
  const page = await talks.visit();
  await page.gets('turn', { index: 0 });
  await talks.api.call('DELETE', `/v1/conversations/${page.conversationId()}`);
  expect(await page.closed).toBe(1000);
  expect(page.frames.at(-1)).toMatchObject({ type: 'ended', reason: 'deleted' });
  const { body } = await talks.widgetToken();
  const again = await talks.visit({ starts: false });
  again.send({ type: 'start', token: body.token, mode: 'chat', resume: page.resume() });
  expect(await again.closed).toBe(1008);
});

test('so many speak at once, over all processes', async () => {
  const json = {
    prompt: 'Sell.',
    voice: { provider: 'speech' },
    transcriber: { provider: 'speech' },
    widget: { allowed_origins: [ORIGIN], max_concurrent: 1 },
  };
  const agentId: string = (await talks.api.call('POST', '/v1/agents', { json })).body.id;
  const { token } = (await talks.widgetToken({ agentId })).body;
  const page = await talks.visit({ mode: 'voice', token });
  const other = await startAnother();
  // Whoever goes on is no one more.
  const again = await talks.visit({ mode: 'voice', token, resume: page.resume() });
  await expect(talks.visit({ mode: 'voice', token, url: other.url })).rejects.toThrow(
    /closed by 1013.*too_many_in_flight/,
  );
  // With a key of yours it is not counted.
  const { body } = await talks.talkToken({}, { agentId });
  await (await talks.visit({ mode: 'voice', token: body.token, url: other.url })).close();
  await again.close();
  await callEnds(again, { status: 'completed' });
  await other.stop();
  const third = await startAnother();
  await (await talks.visit({ mode: 'voice', token, url: third.url })).close();
  await third.stop();
});

test('max_concurrent counts the talks by voice of that agent that are in progress, and nothing else', async () => {
  const newAgent = async (widget: object): Promise<string> => {
    const json = {
      prompt: 'Sell.',
      voice: { provider: 'speech' },
      transcriber: { provider: 'speech' },
      widget: { allowed_origins: [ORIGIN], ...widget },
    };
    const made = await talks.api.call('POST', '/v1/agents', { json });
    expect(made.status).toBe(201);
    return made.body.id;
  };
  const agentId = await newAgent({ max_concurrent: 1 });
  const { token } = (await talks.widgetToken({ agentId })).body;
  // As many begin in a minute, too; those by a key of yours are let in, and count.
  const mine: string = (await talks.talkToken({}, { agentId })).body.token;
  const over = await talks.visit({ mode: 'voice', token: mine });
  await over.close();
  await callEnds(over, { status: 'completed' });
  const chat = await talks.visit({ mode: 'chat', token: mine });
  const ofAnother = (await talks.widgetToken({ agentId: await newAgent({}) })).body.token;
  const another = await talks.visit({ mode: 'voice', token: ofAnother });
  const json = { agent_id: agentId, to: '+442071838750', simulated: { hang_up: false } };
  const { body: call } = await talks.api.call('POST', '/v1/calls', { json });
  await until('the telephone call to be answered', async () => {
    const { status } = await talks.read(`/v1/calls/${call.id}`);
    return status === 'in_progress';
  });
  const page = await talks.visit({ mode: 'voice', token });
  const other = await startAnother();
  await expect(talks.visit({ mode: 'voice', token, url: other.url })).rejects.toThrow(
    /closed by 1013.*too_many_in_flight/,
  );
  await Promise.all([chat.close(), another.close(), page.close()]);
  await other.stop();
});

test('a process that stops ends talks by voice that outlast the time, and gives chats to others', async () => {
  const other = await startAnother({ callDrainMs: 4_000 });
  const voice = await talks.visit({ mode: 'voice', url: other.url });
  const chat = await talks.visit({ url: other.url });
  await voice.heardWhole(GREETING);
  await chat.gets('turn', { index: 0 });
  const stopped = other.stop();
  await voice.say('Do you stop?');
  await voice.heardWhole('You said: Do you stop?');
  const { body } = await talks.widgetToken();
  const late = await talks.visit({ starts: false, url: other.url });
  late.send({ type: 'start', token: body.token, mode: 'voice' });
  expect(await late.closed).toBe(1013);
  expect(late.frames).toMatchObject([{ type: 'error', code: 'unavailable' }]);
  expect(await voice.closed).toBe(1000);
  expect(voice.frames.at(-1)).toMatchObject({ type: 'ended', reason: 'platform_error' });
  expect(voice.heard().join(' ')).toContain('this call has to end');
  expect(await chat.closed).toBe(1001);
  await stopped;
  await callEnds(voice, { status: 'failed', ended_reason: 'platform_error' });
  const again = await talks.visit({ resume: chat.resume() });
  again.write('Are you there?');
  await again.gets('turn', { text: 'You said: Are you there?' });
  await again.close();
});

test('the database is away in a talk: the visitor is told to wait, and nothing is lost', async () => {
  const proxy = await startFaultProxy(talks.api.engine.databaseUrl);
  const other = await startAnother({ proxy });
  const voice = await talks.visit({ mode: 'voice', url: other.url });
  const chat = await talks.visit({ url: other.url });
  await voice.heardWhole(GREETING);
  await chat.gets('turn', { index: 0 });
  proxy.refuse();
  proxy.cut();
  chat.write('How much is it?');
  await voice.say('How much is it?');
  await voice.hears('One moment, please.');
  await chat.gets('text', { text: 'One moment, please. ' });
  chat.write('Hello?');
  proxy.accept();
  await chat.gets('turn', { text: 'You said: Hello?' });
  await voice.gets('turn', { text: 'You said: How much is it?' });
  expect((await talks.transcript(chat.conversationId())).filter(isUsers)).toEqual([
    'user: How much is it?',
    'user: Hello?',
  ]);
  expect(await talks.transcript(voice.conversationId())).toContain('user: How much is it?');
  await Promise.all([voice.close(), chat.close()]);
  await callEnds(voice, { status: 'completed', ended_reason: 'user_hangup' });
  await other.stop();
  await proxy.stop();
});

const isUsers = (turn: string): boolean => turn.startsWith('user');

/** The API once more, as another pod would be. */
async function startAnother({
  callDrainMs = 0,
  proxy,
}: {
  callDrainMs?: number;
  proxy?: FaultProxy;
} = {}): Promise<{ url: string; stop: () => Promise<void> }> {
  const { engine } = talks.api;
  const listen = { host: '127.0.0.1', port: 0, fallbackToFreePort: false, serveHealth: true };
  const context =
    proxy &&
    createContext({
      role: 'api',
      databaseUrl: proxy.through(engine.databaseUrl),
      encryptionKey: Buffer.alloc(32, 1),
      egressAllow: ['127.0.0.0/8'],
      logLevel: 'error', // A talk that fails logs its cause, which the visitor does not learn.
      poolMax: 10,
    });
  const api = await runApi({
    ...engine,
    ...context,
    ...listen,
    rateLimit: 0,
    responder,
    callDrainMs,
  });
  const removePools = addPools(api.conversations.pool, api.conversations.batchPool);
  return {
    url: api.url,
    stop: async () => {
      await meanwhile(api.stop());
      removePools();
      await context?.close();
    },
  };
}
