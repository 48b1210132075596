import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocketServer, type WebSocket as ServerSocket } from 'ws';
import { backoffMs } from '../../packages/widget/src/talk/backoff.ts';
import { readFrame } from '../../packages/widget/src/talk/frames.ts';
import { Talk } from '../../packages/widget/src/talk/talk.ts';
import type { TalkState } from '../../packages/widget/src/talk/talk-state.ts';
import type { TalkToken } from '../../packages/widget/src/talk/token.ts';
import { TalkError } from '../../packages/widget/src/talk/trouble.ts';

/** The client of the socket, before a server that says what it is told to say. */

let server: WebSocketServer;
let tokens: number;
let over: number;
let talk: Talk;

beforeEach(async () => {
  // As a page has them.
  Object.assign(globalThis, { addEventListener: () => {}, removeEventListener: () => {} });
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  tokens = 0;
  over = 0;
  talk = new Talk({ getToken: async () => newToken(), onOver: () => void (over += 1) });
});

afterEach(async () => {
  talk.leave();
  vi.useRealTimers();
  for (const client of server.clients) client.terminate();
  server.close();
  await once(server, 'close');
});

function newToken(lastsSec = 600): TalkToken {
  tokens += 1;
  const { port } = server.address() as AddressInfo;
  return {
    token: `talk_${tokens}`,
    expires_at: Date.now() / 1_000 + lastsSec,
    socket_url: `ws://127.0.0.1:${port}/v1/talk`,
    agent: { id: 'agt_1' },
    modes: ['chat', 'voice'],
  };
}

type Frame = Record<string, unknown>;
type Met = { socket: ServerSocket; frames: Frame[]; say: (frame: Frame) => void };

/** The next page that comes, with its first frame. */
async function meet(): Promise<Met> {
  const [socket] = (await once(server, 'connection')) as [ServerSocket];
  const frames: Frame[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Frame));
  await once(socket, 'message');
  return { socket, frames, say: (frame) => socket.send(JSON.stringify(frame)) };
}

async function begin(mode: 'chat' | 'voice' = 'chat'): Promise<Met> {
  const met = meet();
  talk.start(mode);
  const page = await met;
  page.say(READY);
  await until(({ phase }) => phase === 'open');
  return page;
}

const READY = { type: 'ready', conversation_id: 'conv_1', resume: 'r1', mode: 'chat' };

/** Resolves when the state changes next. */
function change(): Promise<void> {
  return new Promise((resolve) => {
    const forget = talk.subscribe(() => {
      forget();
      resolve();
    });
  });
}

/** Holds the timers of the page, which has no src/clock.ts. Sockets stay real. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

/** Lets the page wait for its longest pause. The server's own timers last 30 s. */
const pass = (): Promise<unknown> => vi.advanceTimersByTimeAsync(15_000);

function until(isSo: (state: TalkState) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isSo(talk.get())) return;
      forget();
      resolve();
    };
    const forget = talk.subscribe(look);
    look();
  });
}

test('it says its token first; what was written before it is open follows then', async () => {
  const met = meet();
  talk.start('chat');
  talk.say('hello');
  const { frames, say, socket } = await met;
  expect(frames).toEqual([{ type: 'start', token: 'talk_1', mode: 'chat' }]);
  expect(talk.get().said).toMatchObject([{ text: 'hello', state: 'waiting' }]);
  say(READY);
  await once(socket, 'message');
  expect(frames[1]).toEqual({ type: 'message', text: 'hello' });

  say({ type: 'turn', index: 0, role: 'user', text: 'hello', interrupted: false });
  say({ type: 'text', text: 'Good ' });
  say({ type: 'text', text: 'day.' });
  await until(({ reply }) => reply === 'Good day.');
  expect(talk.get().said).toEqual([]);
  say({ type: 'turn', index: 1, role: 'agent', text: 'Good day.', interrupted: false });
  say({ type: 'status', status: 'escalated' });
  await until(({ status, isAccepted }) => status === 'escalated' && !isAccepted);
  say({ type: 'status', status: 'escalated', accepted: true });
  await until(({ isAccepted }) => isAccepted);
  // What was heard of it takes the place of what was made.
  say({ type: 'turn', index: 1, role: 'agent', text: 'Good', interrupted: true });
  await until(({ turns }) => turns[1]?.interrupted === true);
  expect(talk.get()).toMatchObject({ reply: '', turns: [{ text: 'hello' }, { text: 'Good' }] });
});

test('a socket that broke is resumed with the same token, and what nobody knows of is said to be so', async () => {
  const first = await begin();
  talk.say('are you there?');
  await once(first.socket, 'message');
  const next = meet();
  holdTimers();
  first.socket.terminate();
  await until(({ phase }) => phase === 'waiting');
  talk.say('later');
  await pass();
  const second = await next;
  expect(second.frames).toEqual([{ type: 'start', token: 'talk_1', mode: 'chat', resume: 'r1' }]);
  second.say({ ...READY, resume: 'r2' });
  await once(second.socket, 'message');
  expect(second.frames.slice(1)).toEqual([{ type: 'message', text: 'later' }]);
  expect(talk.get().said).toMatchObject([{ state: 'sent' }, { state: 'sent' }]);
  await pass();
  const [lost] = talk.get().said.filter(({ state }) => state === 'unsure');
  expect(lost?.text).toBe('are you there?');
  talk.sayAgain(lost!.id);
  await once(second.socket, 'message');
  expect(second.frames.at(-1)).toEqual({ type: 'message', text: 'are you there?' });
});

test('an end is said once and is the end: nothing is resumed', async () => {
  const { socket, frames, say } = await begin();
  const ended = once(socket, 'message');
  talk.end();
  await ended;
  say({ type: 'ended', reason: 'user_hangup' });
  socket.close(1000);
  await until(({ phase }) => phase === 'ended');
  expect(frames.slice(1)).toEqual([{ type: 'end' }]);
  expect(talk.get()).toMatchObject({ phase: 'ended', reason: 'user_hangup' });
  expect(over).toBe(1);
});

test('an end that nobody answers is one all the same', async () => {
  const { socket } = await begin();
  const closed = once(socket, 'close');
  holdTimers();
  talk.end();
  await once(socket, 'message');
  await pass();
  const [code] = (await closed) as [number];
  expect(code).toBe(1000);
  expect(talk.get()).toMatchObject({ phase: 'ended', reason: 'user_hangup' });
});

test('what the server ends is over, with its reason', async () => {
  const { say, socket } = await begin();
  say({ type: 'ended', reason: 'silence_timeout' });
  socket.close(1000);
  await until(({ phase }) => phase === 'ended');
  expect(talk.get().reason).toBe('silence_timeout');
  expect(over).toBe(1);
});

test.each([
  [1008, 'origin_not_allowed'],
  [1013, 'too_many_in_flight'],
])('a refusal (%d) is told and not tried again', async (close, code) => {
  const met = meet();
  talk.start('chat');
  const { say, socket } = await met;
  say({ type: 'error', code, detail: 'no' });
  socket.close(close);
  await until(({ phase }) => phase === 'failed');
  expect(talk.get().error).toMatchObject({ code });
  expect(over).toBe(1);
});

test('one that cannot be begun is given up after three tries; the message is kept', async () => {
  server.on('connection', (socket) => socket.terminate());
  holdTimers();
  talk.start('chat');
  talk.say('hello?');
  await until(({ phase }) => phase === 'waiting');
  for (let tries = 1; tries < 3; tries += 1) {
    expect(talk.get().phase).toBe('waiting');
    const changed = change();
    await pass();
    await changed;
  }
  expect(talk.get().phase).toBe('failed');
  expect(talk.get().error?.code).toBe('offline');
  expect(talk.get().said).toMatchObject([{ text: 'hello?' }]);
});

test('a token that is about to expire is asked for again', async () => {
  talk = new Talk({ getToken: async () => newToken(5) });
  const first = await begin();
  const next = meet();
  holdTimers();
  first.socket.terminate();
  await until(({ phase }) => phase === 'waiting');
  await pass();
  expect((await next).frames[0]).toMatchObject({ token: 'talk_2', resume: 'r1' });
});

test('a token that is refused is told', async () => {
  talk = new Talk({
    getToken: async () => {
      throw new TalkError('rate_limited', 'slower');
    },
  });
  talk.start('chat');
  await until(({ phase }) => phase === 'failed');
  expect(talk.get().error).toMatchObject({ code: 'rate_limited' });
});

test('sound, its marks and its clear are told in the order in which they come', async () => {
  const told: string[] = [];
  talk = new Talk({
    getToken: async () => newToken(),
    onSound: (frame) => void told.push(`${frame.byteLength} bytes`),
    onMark: (name) => void told.push(name),
    onClear: () => void told.push('clear'),
  });
  const { say, socket } = await begin('voice');
  socket.send(Buffer.alloc(640));
  say({ type: 'mark', name: 's1' });
  socket.send(Buffer.alloc(640));
  say({ type: 'clear' });
  say({ type: 'text', text: 'All came.' });
  await until(({ reply }) => reply === 'All came.');
  expect(told).toEqual(['640 bytes', 's1', '640 bytes', 'clear']);
});

test('a latency is of the turn of the agent that follows', async () => {
  const { say } = await begin('voice');
  const latency = { recognition_ms: 400, model_ms: 300, synthesis_ms: 200, total_ms: 900 };
  say({ type: 'latency', ...latency });
  await until(({ latencies }) => latencies.length === 1);
  expect(talk.get().latencies).toEqual([{ ...latency, index: null }]);
  say({ type: 'turn', index: 4, role: 'agent', text: 'Yes.', interrupted: false });
  say({ type: 'turn', index: 4, role: 'agent', text: 'Yes', interrupted: true });
  await until(({ turns }) => turns[0]?.interrupted === true);
  expect(talk.get().latencies).toEqual([{ ...latency, index: 4 }]);
});

describe('frames and waits', () => {
  test.each(['', 'null', '[]', '"ready"', '{"type":"of tomorrow"}', '{"type":'])(
    'a frame that nobody knows is none: %s',
    (text) => {
      expect(readFrame(text)).toBeUndefined();
    },
  );

  test('waits are doubled, up to a longest, and spread over the upper half', () => {
    const limits = { firstMs: 500, longestMs: 15_000 };
    const waits = (random: number): number[] =>
      [0, 1, 2, 10].map((tries) => backoffMs(tries, limits, () => random));
    expect(waits(0)).toEqual([250, 500, 1_000, 7_500]);
    expect(waits(1)).toEqual([500, 1_000, 2_000, 15_000]);
  });
});
