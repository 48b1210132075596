import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFollowers } from '../../src/conversations/follow-conversation.ts';
import { createTakeTurn } from '../../src/conversations/turns/take-turn.ts';
import { toUuid } from '../../src/ids.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { openChat } from '../../src/talks/chat-line.ts';
import type { OpenedTalk } from '../../src/talks/opened-talk.ts';
import { createTalkCaptions } from '../../src/talks/talk-captions.ts';
import type { TalkFrame } from '../../src/talks/talk-frames.ts';
import { createTalkWindows } from '../../src/talks/talk-windows.ts';
import { startEngine, type Engine } from '../roles/engine.ts';

/** A chat whose transcript is read late, as on a busy machine: its replies are made sooner. */

let engine: Engine;
let talk: OpenedTalk | undefined;

beforeEach(async () => {
  engine = await startEngine();
  await engine.startOperator();
});
afterEach(async () => {
  await talk?.closed(true);
  await engine.stop();
});

test('the first token of a reply is sent behind the greeting', async () => {
  await engine.declareAgent('shop', { prompt: 'Sell.', firstMessage: 'Hello.' });
  const agent = await engine.settled('Agent', 'shop');
  const conversations = {
    ...engine,
    batchPool: engine.pool,
    announce: () => undefined,
    changed: () => undefined,
    judge: () => undefined,
    nowMs: Date.now,
    baseUrl: () => 'http://localhost',
  };
  const emitted = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const takeTurn = createTakeTurn({
    ...conversations,
    clockMs: () => 0,
    respond: async ({ emitToken }) => {
      emitToken('It costs ');
      emitted.resolve();
      await finish.promise;
      return { text: 'It costs 20 euros.' };
    },
  });
  const read = Promise.withResolvers<void>();
  const followers = createFollowers(engine);
  const late: Pick<typeof followers, 'open'> = {
    open: async (input) => {
      await read.promise;
      return followers.open(input);
    },
  };

  const sent: TalkFrame[] = [];
  const hasText = Promise.withResolvers<void>();
  const send = (frame: TalkFrame): void => {
    sent.push(frame);
    if (frame.type === 'text') hasText.resolve();
  };
  talk = await openChat(
    {
      ...conversations,
      takeTurn,
      followers: late,
      log: createLogger('silent', 'test'),
      windows: createTalkWindows(),
      sealer: { seal: (text) => Buffer.from(text) },
    },
    {
      admitted: {
        token: {
          by: 'server',
          namespace: 'default',
          agentId: toUuid('agt', String(agent.status['agentId']))!,
          userId: null,
          variables: {},
          metadata: {},
          version: null,
          test: false,
          origin: null,
          expiresAt: 0,
        },
        maxConcurrent: undefined,
        resume: undefined,
        over: undefined,
      },
      captions: createTalkCaptions(send),
      send,
      sendSound: () => undefined,
      finish: () => undefined,
      leave: () => undefined,
    },
  );
  void talk.write('How much is it?');
  await emitted.promise;
  expect(sent.map(({ type }) => type)).toEqual(['ready']);
  read.resolve();
  await hasText.promise;
  finish.resolve();
  expect(sent.slice(0, 3)).toMatchObject([
    { type: 'ready' },
    { type: 'turn', index: 0, text: 'Hello.' },
    { type: 'text', text: 'It costs ' },
  ]);
});
