import { expect, test } from 'vitest';
import { endConversation } from '../../src/conversations/ending/end-conversation.ts';
import {
  inConversation,
  type ConversationDeps,
  type ConversationTransaction,
} from '../../src/conversations/record/conversation-deps.ts';
import { newUuid } from '../../src/ids.ts';
import { minutesAgo, useRows } from '../platform/postgres/rows.ts';
import { addConversation, addLiveTurn } from './stored-conversations.ts';

/** Statements of a transaction that are sent without waiting for their replies. */

const stored = useRows('conversations', 'live_turns');

type Work = (transaction: ConversationTransaction) => Promise<unknown>;

function depsOf(): ConversationDeps {
  const nothing = (): void => undefined;
  // The cast is safe: transactions that count nothing do not use the metrics.
  const metrics = {} as ConversationDeps['metrics'];
  const told = { announce: nothing, changed: nothing, judge: nothing };
  return { pool: stored.pool, ...told, nowMs: Date.now, metrics, baseUrl: () => '' };
}

const run = (work: Work, hook?: () => Promise<void>): Promise<unknown> =>
  inConversation(depsOf(), work, hook);

const summarize = (db: ConversationTransaction['db'], id: string): Promise<unknown> =>
  db.query('update conversations set summary = $2 where id = $1', [id, 'Sent.']);

const summaryOf = async (id: string): Promise<unknown> =>
  (await stored.rowOf('conversations', id))!['summary'];

const failing = ({ db, send }: ConversationTransaction): void => {
  send(db.query('select 1 / 0'));
};

test('they are committed before the transaction counts as done', async () => {
  const id = await addConversation(stored, { agent_id: newUuid() });
  await run(async ({ db, send }) => send(summarize(db, id)));
  expect(await summaryOf(id)).toBe('Sent.');
});

test('if one fails, nothing is committed and its error is reported', async () => {
  const id = await addConversation(stored, { agent_id: newUuid() });
  const divisionByZero = { code: '22012' };
  const ways: Work[] = [
    async (transaction) => {
      transaction.send(summarize(transaction.db, id));
      failing(transaction);
    },
    async (transaction) => {
      failing(transaction);
      // PostgreSQL refuses this statement with a code of its own.
      await summarize(transaction.db, id);
    },
  ];
  for (const work of ways) await expect(run(work)).rejects.toMatchObject(divisionByZero);
  await expect(
    run(
      async (transaction) => failing(transaction),
      () => Promise.reject(new Error('the hook failed')),
    ),
  ).rejects.toMatchObject(divisionByZero);
  expect(await summaryOf(id)).toBeNull();
});

test('if the work fails, what was sent is rolled back', async () => {
  const id = await addConversation(stored, { agent_id: newUuid() });
  const work: Work = async ({ db, send }) => {
    send(summarize(db, id));
    throw new Error('the work failed');
  };
  await expect(run(work)).rejects.toThrow('the work failed');
  expect(await summaryOf(id)).toBeNull();
});

test('a deadlock is met with another try, in which statements are sent once', async () => {
  const id = await addConversation(stored, { agent_id: newUuid() });
  let tries = 0;
  await run(async ({ db, send }) => {
    tries += 1;
    if (tries === 1) {
      send(db.query(`do $$ begin raise exception using errcode = 'deadlock_detected'; end $$`));
    } else {
      send(summarize(db, id));
    }
  });
  expect(tries).toBe(2);
  expect(await summaryOf(id)).toBe('Sent.');
});

test.each([
  ['of another namespace', 'other', {}, 'not_found'],
  ['that has ended', 'default', { status: 'ended', ended_at: minutesAgo(1) }, 'conversation_ended'],
] as const)(
  'the end of a conversation %s takes no turn in progress',
  async (_, namespace, columns, code) => {
    const id = await addConversation(stored, { agent_id: newUuid(), ...columns });
    await addLiveTurn(stored, id);
    const ending = endConversation(depsOf(), { namespace, id, reason: 'api' });
    await expect(ending).rejects.toMatchObject({ code });
    expect(await stored.read('live_turns', 'conversation_id')).toMatchObject([
      { conversation_id: id },
    ]);
  },
);
