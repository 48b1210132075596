import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { bytesOf } from '../../src/voice/audio/pcm.ts';
import { createResampler } from '../../src/voice/audio/resampler.ts';
import { sealTalkToken } from '../../src/talks/talk-token.ts';
import { echo, scriptedResponder } from '../conversations/turns/scripted-responder.ts';
import { passTime, until, type PassingTime } from '../calls/passing-time.ts';
import type { Page } from './page.ts';
import { GREETING, ORIGIN, startTalkFixture, type TalkFixture } from './talk-setup.ts';

/** Whom the socket lets in, and what it is sent that it should not be. */

const responder = scriptedResponder();
let talks: TalkFixture;
let token: string;
beforeAll(async () => {
  talks = await startTalkFixture({ responder });
  ({ token } = (await talks.widgetToken()).body);
});
let time: PassingTime;
beforeEach(() => {
  time = passTime();
  responder.play(echo);
});
afterAll(() => talks?.stop());

/** Closed with an error of this code. */
async function isRefused(page: Page, code: string, closeCode = 1008): Promise<void> {
  const error = await page.gets('error');
  expect([error['code'], error['detail']]).toEqual([code, expect.anything()]);
  expect(await page.closed).toBe(closeCode);
}

/** A page that says what it says, without waiting. */
const stranger = (options: Partial<Parameters<TalkFixture['visit']>[0]> = {}) =>
  talks.visit({ token, starts: false, isMute: true, ...options });

describe('a first frame', () => {
  test.each([
    ['with no token', { mode: 'chat' }, 'malformed_request'],
    ['with somebody’s token', { mode: 'chat', token: 'talk_AAAA' }, 'unauthorized'],
    ['with an API key', { mode: 'chat', token: 'parley_key' }, 'unauthorized'],
    ['of no mode', { token: 'talk_AAAA', mode: 'video' }, 'malformed_request'],
  ])('%s opens nothing', async (_, frame, code) => {
    const page = await stranger();
    page.send({ type: 'start', ...frame });
    await isRefused(page, code);
  });

  test.each(['{', '[]', '{"type":"message","text":"Hello"}', '{"type":"hello"}'])(
    'that is %s opens nothing',
    async (text) => {
      const page = await stranger();
      page.send(text);
      await isRefused(page, 'malformed_request');
    },
  );

  test('of sound opens nothing', async () => {
    const page = await stranger();
    page.sendBytes(Buffer.alloc(640));
    await isRefused(page, 'malformed_request');
  });

  test('comes within five seconds, or the socket is closed', async () => {
    const page = await stranger();
    await time.pass(4_900);
    expect(page.of('error')).toEqual([]);
    await time.pass(200);
    await isRefused(page, 'malformed_request');
  });

  test('comes once', async () => {
    const page = await talks.visit({ token });
    page.send({ type: 'start', token, mode: 'chat' });
    await isRefused(page, 'malformed_request');
  });
});

describe('a token', () => {
  const sealed = (over: object): string =>
    sealTalkToken(talks.api.engine.sealer, {
      by: 'widget',
      namespace: 'default',
      agentId: toUuid('agt', talks.agentId)!,
      expiresAt: Math.floor(Date.now() / 1_000) + 60,
      origin: ORIGIN,
      version: null,
      test: false,
      userId: null,
      variables: {},
      metadata: {},
      ...over,
    });
  const begin = async (over: object, options = {}): Promise<Page> => {
    const page = await stranger(options);
    page.send({ type: 'start', token: sealed(over), mode: 'chat' });
    return page;
  };

  test('that has expired opens nothing', async () => {
    await isRefused(await begin({ expiresAt: Math.floor(Date.now() / 1_000) - 1 }), 'unauthorized');
  });

  test('is for pages of its origin', async () => {
    await isRefused(await begin({}, { origin: 'https://evil.example.com' }), 'origin_not_allowed');
    await isRefused(await begin({}, { origin: null }), 'origin_not_allowed');
  });

  test('of a server without an origin is for every page', async () => {
    const { body } = await talks.talkToken({ user_id: 'u_7', metadata: { plan: 'gold' } });
    const page = await talks.visit({ token: body.token, origin: 'https://elsewhere.example.com' });
    const read = await talks.read(`/v1/conversations/${page.conversationId()}`);
    expect(read).toMatchObject({ user_id: 'u_7', metadata: { plan: 'gold' }, channel: 'chat' });
    await page.close();
  });

  test('of another namespace’s agent opens nothing', async () => {
    await isRefused(await begin({ namespace: 'other' }), 'not_found');
  });

  test('is worth nothing once its origin is not allowed any more, or its agent is gone', async () => {
    const json = { prompt: 'Sell.', widget: { allowed_origins: [ORIGIN] } };
    const made = await talks.api.call('POST', '/v1/agents', { json });
    const path = `/v1/agents/${made.body.id}`;
    const { body } = await talks.widgetToken({ agentId: made.body.id });
    const start = { type: 'start', token: body.token, mode: 'chat' };
    const widget = { allowed_origins: ['https://new.example.com'] };
    expect(await talks.api.call('PATCH', path, { json: { widget } })).toMatchObject({
      status: 200,
    });
    const moved = await stranger();
    moved.send(start);
    await isRefused(moved, 'origin_not_allowed');
    await talks.api.call('DELETE', path);
    await until('it to be gone', async () => (await talks.api.call('GET', path)).status === 404);
    const late = await stranger();
    late.send(start);
    await isRefused(late, 'not_found');
  });

  test('of an agent without a voice opens no talk by voice', async () => {
    const made = await talks.api.call('POST', '/v1/agents', { json: { prompt: 'Sell.' } });
    const { body } = await talks.talkToken({}, { agentId: made.body.id });
    expect(body.modes).toEqual(['chat']);
    const page = await stranger();
    page.send({ type: 'start', token: body.token, mode: 'voice' });
    await isRefused(page, 'unsupported_type');
  });
});

describe('what is no frame', () => {
  test('of 10 MB closes the socket', async () => {
    const page = await talks.visit({ token });
    page.send({ type: 'message', text: 'x'.repeat(10_000_000) });
    expect(await page.closed).toBe(1009);
  });

  test.each([
    ['of an odd length', 641],
    ['that is too long', 8_194],
  ])('is sound %s', async (_, bytes) => {
    const page = await talks.visit({ token, mode: 'voice' });
    page.sendBytes(Buffer.alloc(bytes));
    await isRefused(page, 'malformed_request', 1003);
  });

  test('is sound in a chat', async () => {
    const page = await talks.visit({ token });
    page.sendBytes(Buffer.alloc(640));
    await isRefused(page, 'malformed_request', 1003);
  });

  test('closes it when it is all that comes, and not now and then', async () => {
    const page = await talks.visit({ token });
    for (let i = 0; i < 49; i += 1) page.send({ type: 'later', of: i });
    page.write('Hello?');
    await page.gets('turn', { role: 'agent', text: 'You said: Hello?' });
    for (let i = 0; i < 50; i += 1) page.send(i % 2 === 0 ? '{"type":' : '{"type":"later"}');
    await isRefused(page, 'malformed_request', 1003);
  });

  test.each([
    ['too long', 'x'.repeat(32_001)],
    ['blank', '  '],
    ['not storable', 'a\u0000b'],
  ])('is a message that is %s', async (_, text) => {
    const page = await talks.visit({ token });
    page.write(text);
    await isRefused(page, 'invalid_body');
  });
});

test('sound that comes faster than anybody speaks is dropped, and the talk goes on', async () => {
  const page = await talks.visit({ token, mode: 'voice' });
  await page.heardWhole(GREETING);
  const before = talks.speech.transcribed();
  const said = [...talks.speech.utter('Hello?'), ...new Int16Array(8_000 * 2)];
  const up = createResampler({ from: 8_000, to: 16_000 });
  const sound = Buffer.from(bytesOf(up.push(Int16Array.from(said))));
  const frames = Array.from({ length: Math.ceil(sound.length / 8_192) }, (_, at) =>
    sound.subarray(at * 8_192, (at + 1) * 8_192),
  );
  // 50 times what somebody says, with the silence behind it: 130 s.
  for (let i = 0; i < 50; i += 1) for (const frame of frames) page.sendBytes(frame);
  // Held time does not pass meanwhile.
  await page.taken();
  await page.sound(new Int16Array(8_000 * 2));
  // Of the three seconds that are let in, more than two could not be understood: each has two seconds of silence.
  expect([1, 2]).toContain(talks.speech.transcribed() - before);
  page.write('Are you there?');
  await page.gets('turn', { role: 'agent', text: 'You said: Are you there?' });
  await page.close();
});
