import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { toUuid } from '../../src/ids.ts';
import { echo, scriptedResponder } from '../conversations/turns/scripted-responder.ts';
import { countStatements } from '../platform/postgres/count-statements.ts';
import { until } from '../until.ts';
import { ORIGIN, startTalkFixture, type TalkFixture } from './talk-setup.ts';

/** Floods of frames by a visitor. The test has an API of its own, because it counts statements. */

const responder = scriptedResponder();
let talks: TalkFixture;
beforeAll(async () => {
  talks = await startTalkFixture({ responder });
});
beforeEach(() => responder.play(echo));
afterAll(() => talks?.stop());

type Flooder = {
  socket: WebSocket;
  frames: Record<string, unknown>[];
  conversationId: string;
  /** Sends a frame again and again, in one write. */
  flood: (frame: object, times: number) => void;
  closed: Promise<number>;
};

/** A program that talks as a page does, and whose close frame nobody sends for it. */
async function begin(start: object = {}): Promise<Flooder> {
  const { body } = await talks.widgetToken();
  const socket = new WebSocket(`${talks.api.url.replace('http', 'ws')}/v1/talk`, {
    origin: ORIGIN,
  });
  const closed = once(socket, 'close').then(([code]) => code as number);
  const frames: Flooder['frames'] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString('utf8'))));
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'start', token: body.token, mode: 'chat', ...start }));
  const [ready] = await until('ready', () => frames.length > 0 && frames);
  if (ready?.['type'] !== 'ready') throw new Error(`refused: ${JSON.stringify(frames)}`);
  return {
    socket,
    frames,
    conversationId: String(ready['conversation_id']),
    flood: (frame, times) => {
      const text = JSON.stringify(frame);
      for (let sent = 0; sent < times; sent += 1) socket.send(text);
    },
    closed,
  };
}

test('a conversation that a page ends ten thousand times is ended once', async () => {
  const one = await begin();
  const locks = countStatements(
    talks.api.engine.pool,
    'lock_conversation',
    toUuid('conv', one.conversationId),
  );
  one.flood({ type: 'end' }, 10_000);
  expect(await one.closed).toBe(1000);
  expect(locks()).toBe(1);
  expect(one.frames.at(-1)).toMatchObject({ type: 'ended', reason: 'user_hangup' });
});

test('what a page sends behind its end is dropped, whatever it is', async () => {
  const one = await begin();
  one.flood({ type: 'end' }, 1);
  one.flood({ type: 'hello' }, 60);
  expect(await one.closed).toBe(1000);
  expect(one.frames.at(-1)).toMatchObject({ type: 'ended', reason: 'user_hangup' });
});

test('messages that wait count for their token: another socket of it sends no ninth one', async () => {
  const settle = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  responder.play(async () => {
    asked.resolve();
    await settle.promise;
    return { text: 'Well, ', interrupted: true };
  });
  const { token } = (await talks.widgetToken()).body;
  const first = await begin({ token });
  first.flood({ type: 'message', text: 'Hello?' }, 1);
  await asked.promise;
  first.flood({ type: 'message', text: 'Hello?' }, 7);
  const taken = once(first.socket, 'pong');
  first.socket.ping();
  await taken;
  const second = await begin({ token });
  second.flood({ type: 'message', text: 'Hello?' }, 1);
  expect(await second.closed).toBe(1008);
  expect(second.frames.at(-1)).toMatchObject({ type: 'error', code: 'rate_limited' });
  expect(first.socket.readyState).toBe(WebSocket.OPEN);
  settle.resolve();
  first.socket.close();
});

test('a socket that sends messages without end is cut, and what waits is not stored', async () => {
  const asked = Promise.withResolvers<void>();
  const settle = Promise.withResolvers<void>();
  responder.play(async () => {
    asked.resolve();
    await settle.promise;
    return { text: 'Well, ', interrupted: true };
  });
  const one = await begin();
  const id = toUuid('conv', one.conversationId);
  one.flood({ type: 'message', text: 'Hello?' }, 1);
  await asked.promise;
  one.flood({ type: 'message', text: 'x'.repeat(1_000) }, 2_000);
  expect(await one.closed).toBe(1008);
  expect(one.frames.at(-1)).toMatchObject({ type: 'error', code: 'rate_limited' });
  settle.resolve();
  const stored = await until('the turn in progress to be stored', async () => {
    const { rows } = await talks.api.engine.pool.query<{ text: string }>(
      `select text from turns where conversation_id = $1 and role = 'user'`,
      [id],
    );
    return rows.length > 0 && rows;
  });
  // What follows would be asked for by now.
  await talks.read(`/v1/conversations/${one.conversationId}`);
  expect(stored).toEqual([{ text: 'Hello?' }]);
  expect(responder.asked.filter(({ conversation }) => conversation.id === id)).toHaveLength(1);
});

test('the sixth window of a talk takes the place of the first, and five are told what is new', async () => {
  const first = await begin();
  const { resume } = first.frames[0]!;
  const windows = [first];
  for (let i = 0; i < 4; i += 1) windows.push(await begin({ resume }));
  expect(windows.map(({ socket }) => socket.readyState)).toEqual(Array(5).fill(WebSocket.OPEN));
  const sixth = await begin({ resume });
  expect(await first.closed).toBe(1008);
  expect(first.frames.at(-1)).toMatchObject({ type: 'error', code: 'not_found' });
  sixth.flood({ type: 'message', text: 'Hello?' }, 1);
  for (const { frames } of [...windows.slice(1), sixth]) {
    await until('the turn', () => frames.find(({ text }) => text === 'You said: Hello?'));
  }
  for (const { socket } of windows) socket.close();
  sixth.socket.close();
});

test('a talk goes on in thirty windows a minute', async () => {
  const { frames } = await begin();
  const { resume } = frames[0]!;
  for (let i = 0; i < 30; i += 1) await begin({ resume });
  await expect(begin({ resume })).rejects.toThrow(/rate_limited/);
});
