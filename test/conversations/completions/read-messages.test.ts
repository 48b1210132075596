import { expect, test } from 'vitest';
import {
  addedFrom,
  afterLastReply,
  broughtBefore,
  hashNext,
  hashTalk,
  readMessages,
  type TalkOwner,
} from '../../../src/conversations/completions/read-messages.ts';

const owner: TalkOwner = {
  keyId: 'k',
  agentId: 'a',
  version: 1,
  conversationId: undefined,
  userId: 'u',
  metadata: { one: '1', two: '2' },
};

const user = (text: string) => ({ role: 'user', text }) as const;
const agent = (text: string) => ({ role: 'agent', text }) as const;
const system = (text: string) => ({ role: 'system', text }) as const;

test('what a request adds is the user’s, up to 32,000 characters, with the notes apart', () => {
  const said = [user('old'), agent('reply'), user('one'), system('note'), agent('x'), user('two')];
  expect(addedFrom(said, 2)).toEqual({ text: 'one\n\ntwo', notes: ['note'] });
  const long = 'x'.repeat(32_000);
  expect(addedFrom([user(long)], 0).text).toBe(long);
  expect(() => addedFrom([user(`${long}x`)], 0)).toThrow('at most 32000 characters');
});

test('each message of the user has at most 32,000 characters, also one that was answered', () => {
  const long = 'x'.repeat(32_000);
  const messages = (text: string, role: 'user' | 'system') =>
    [
      { role, content: text },
      { role: 'assistant', content: `${long}x` },
      { role: 'user', content: 'Hi' },
    ] as const;
  expect(readMessages(messages(long, 'user'))).toHaveLength(3);
  expect(readMessages(messages(`${long}x`, 'system'))).toHaveLength(3);
  expect(() => readMessages(messages(`${long}x`, 'user'))).toThrow(
    expect.objectContaining({
      code: 'invalid_body',
      errors: [expect.objectContaining({ pointer: '/messages/0/content' })],
    }),
  );
});

test('of a history the last 200 messages are kept, all notes, and none that is blank', () => {
  const texts = (said: readonly { text: string }[]) => said.map(({ text }) => text);
  const before = [system('note'), user('dropped'), ...Array(199).fill(agent('kept')), user(' \n')];
  const said = [...before, system('later'), user('new')];
  expect(texts(broughtBefore(said, before.length))).toEqual([
    'note',
    ...Array(199).fill('kept'),
    'later',
  ]);
  const all = Array.from({ length: 200 }, (_, i) => user(`${i}`));
  expect(broughtBefore(all, 200)).toEqual(all);
  expect(texts(broughtBefore([...all, user('200')], 201))).toEqual([...texts(all).slice(1), '200']);
});

test('what is new begins after the last reply', () => {
  expect(afterLastReply([user('a'), agent('b'), user('c'), system('d')])).toBe(2);
  expect(afterLastReply([user('a')])).toBe(0);
});

test('the last message is the user’s and has words', () => {
  expect(
    readMessages([
      { role: 'developer', content: 'a' },
      { role: 'user', content: 'b' },
    ]),
  ).toEqual([system('a'), user('b')]);
  expect(() => readMessages([{ role: 'assistant', content: 'b' }])).toThrow(
    'must not be `assistant`',
  );
  expect(() => readMessages([{ role: 'user', content: ' \n' }])).toThrow('must not be blank');
});

test('a talk is told apart by its owner and by each message', async () => {
  const hash = async (over: Partial<TalkOwner>, said = [user('Hi')]): Promise<string> =>
    (await hashTalk({ ...owner, ...over }, said)).at(-1)!.toString('hex');
  const others = await Promise.all([
    hash({}),
    hash({ keyId: 'k2' }),
    hash({ agentId: 'a2' }),
    hash({ version: 2 }),
    hash({ version: undefined }),
    hash({ userId: null }),
    hash({ metadata: { one: '1' } }),
    hash({ metadata: { one: '1', two: '3' } }),
    hash({ conversationId: 'c' }),
    hash({ conversationId: 'c', keyId: 'k2' }),
    hash({ conversationId: 'c2' }),
    hash({}, [user('Ho')]),
    hash({}, []),
  ]);
  expect(new Set(others).size).toBe(others.length);
  expect(await hash({ metadata: { two: '2', one: '1' } })).toBe(await hash({}));
  expect(await hash({ conversationId: 'c', agentId: 'a2' })).toBe(
    await hash({ conversationId: 'c' }),
  );
  const before = Buffer.from('before');
  expect(hashNext(before, user('a  b\n'))).toEqual(hashNext(before, user('a b')));
  expect(hashNext(before, user('a b'))).not.toEqual(hashNext(before, agent('a b')));
  expect(hashNext(before, user('a b'))).not.toEqual(hashNext(before, user('a c')));
});

test.each([
  ['a  b', 'a b'],
  [' a\tb\u00A0c\r\n', 'a b c'],
  ['a \n\n b', 'a b'],
  ['a b c', 'a b c'],
])('the white space of %j counts as in %j', (one, same) => {
  const before = Buffer.from('before');
  expect(hashNext(before, user(one))).toEqual(hashNext(before, user(same)));
});

test('hashing a long history gives way to other work', async () => {
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await hashTalk(owner, Array(400).fill(user('a\t'.repeat(5_000))));
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(2);
});
