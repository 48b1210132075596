import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createFollowers, type Followed } from '../../src/conversations/follow-conversation.ts';
import { holdTime } from '../clock.ts';
import { until } from '../until.ts';

/** What following a conversation asks the database, with rows that a test makes up. */

const ID = '019f0000-0000-7000-8000-000000000001';

function fixture() {
  const conversation = { turnCount: 1, status: 'active', endedAt: null };
  const asked: string[] = [];
  /** Called when a statement is sent, before it is answered. */
  let onAsked = async (): Promise<void> => undefined;
  const query = async ({ name, values }: { name: string; values: unknown[] }) => {
    asked.push(name);
    const { turnCount } = conversation;
    await onAsked();
    if (name === 'read_conversation') return { rows: [{ ...conversation, turnCount }] };
    const from = Number(values[1]);
    return { rows: Array.from({ length: turnCount - from }, (_, at) => ({ index: from + at })) };
  };
  const followers = createFollowers({ pool: { query } as never });
  onTestFinished(() => followers.stop());
  const told: number[] = [];
  /** `isLate`: takes nothing after the first thing that it is told, until then. */
  const follow = async ({
    namespace = 'default',
    isLate = Promise.resolve(),
  } = {}): Promise<void> => {
    const open = await followers.open({ namespace, id: ID, after: -1 });
    for await (const followed of open(new AbortController().signal)) {
      note(followed);
      await isLate;
    }
  };
  const note = (followed: Followed): void => {
    if (followed.type === 'turn') told.push(followed.turn.index);
  };
  const isTold = (index: number, times: number): Promise<unknown> =>
    until(`turn ${index} to be told ${times} times`, () => {
      return told.filter((one) => one === index).length >= times;
    });
  return {
    conversation,
    asked,
    told,
    follow,
    isTold,
    followers,
    onAsked: (called: () => Promise<void>) => void (onAsked = called),
  };
}

test('all who follow a conversation read what is new together', async () => {
  const { asked, conversation, follow, followers, isTold } = fixture();
  for (let i = 0; i < 20; i += 1) void follow();
  await isTold(0, 20);
  asked.length = 0;
  conversation.turnCount = 2;
  followers.wake([ID]);
  await isTold(1, 20);
  expect(asked).toEqual(['read_conversation', 'list_turns']);
});

test('a follower of another namespace reads by itself', async () => {
  const { asked, conversation, follow, followers, isTold } = fixture();
  void follow();
  void follow({ namespace: 'other' });
  await isTold(0, 2);
  asked.length = 0;
  conversation.turnCount = 2;
  followers.wake([ID]);
  await isTold(1, 2);
  expect(asked.filter((name) => name === 'read_conversation')).toHaveLength(2);
});

test.each([[ID], ['*']])(
  'who comes after %s was woken does not join an older read',
  async (woken) => {
    // Nobody reads again by the clock.
    const time = holdTime();
    const { conversation, follow, followers, isTold, onAsked } = fixture();
    const late = Promise.withResolvers<void>();
    void follow();
    void follow({ isLate: late.promise });
    await isTold(0, 2);
    const sent = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    onAsked(() => {
      sent.resolve();
      return answered.promise;
    });
    followers.wake([ID]);
    await sent.promise;
    // This turn is not in what is being read.
    conversation.turnCount = 2;
    followers.wake([woken]);
    late.resolve();
    await turnOfLoop();
    answered.resolve();
    await isTold(1, 2);
    time.release();
  },
);
