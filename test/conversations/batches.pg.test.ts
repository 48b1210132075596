import { beforeEach, expect, test } from 'vitest';
import { createEndInBatches } from '../../src/conversations/ending/end-in-batches.ts';
import type { ConversationDeps } from '../../src/conversations/record/conversation-deps.ts';
import type { TurnRow, TurnsToAdd } from '../../src/conversations/record/turns.sql.ts';
import { createAddTurns } from '../../src/conversations/turns/record-turn.ts';
import { createStartInBatches } from '../../src/conversations/record/start-in-batches.ts';
import { EMPTY_TALLY } from '../../src/conversations/record/tally.ts';
import { newUuid } from '../../src/ids.ts';
import { contextOf, inContext } from '../../src/platform/observability/trace-context.ts';
import { SHARED_CHARS_MAX } from '../../src/platform/postgres/group-commit.ts';
import { inTransaction } from '../../src/platform/postgres/transaction.ts';
import { createStoredAgents } from '../agents/stored-agents.ts';
import { minutesAgo, useRows, type Columns } from '../platform/postgres/rows.ts';
import { addConversation, addLiveTurn } from './stored-conversations.ts';

/** Conversations that start or end in one transaction, because their requests arrive in the same turn of the loop. */

const stored = useRows('conversations', 'agents', 'events', 'rollout_conversations');

let agentId = '';
beforeEach(async () => {
  const agents = createStoredAgents(stored);
  agentId = await agents.addAgent({ active_version: 1 });
  const content = {
    prompt: 'Help.',
    firstMessage: 'Hello {{name}}.',
    limits: { silenceTimeoutSec: 7 },
  };
  await agents.addVersion(agentId, 1, { content });
});

const nothing = (): void => undefined;

function depsOf(): ConversationDeps & { batchPool: ConversationDeps['pool'] } {
  const counter = { inc: nothing };
  // The cast is safe: starts and ends use no other metrics.
  const metrics = {
    conversations: counter,
    escalations: counter,
  } as unknown as ConversationDeps['metrics'];
  const told = { announce: nothing, changed: nothing, judge: nothing };
  const { pool } = stored;
  return { pool, batchPool: pool, ...told, nowMs: Date.now, metrics, baseUrl: () => '' };
}

const add = (columns: Columns = {}): Promise<string> =>
  addConversation(stored, { agent_id: agentId, tally: EMPTY_TALLY, ...columns });

const rowOf = (id: string): Promise<Columns | undefined> => stored.rowOf('conversations', id);

const eventsOf = async (id: string) =>
  (await stored.read('events'))
    .filter((event) => event['conversation_id'] === id)
    .map(({ type, traceparent }) => ({ type, traceparent }));

/** Counts the transactions that last wrote these conversations. */
async function countTransactions(ids: readonly string[]): Promise<number> {
  const { rows } = await stored.pool.query<{ xmin: string }>(
    'select distinct xmin from conversations where id = any($1)',
    [ids],
  );
  return rows.length;
}

/** Trace context of the request at this place (W3C Trace Context). The second request has none. */
const traceOf = (place: number): string | null =>
  place === 1 ? null : `00-${'a'.repeat(31)}${place}-${'b'.repeat(16)}-01`;

const ENDED = { status: 'fulfilled', value: { status: 'ended' } };
const refused = (code: string) => ({ status: 'rejected', reason: { code } });

/** Starts conversations together. The result has the outcome of each. */
const startAll = async (...inputs: object[]) => {
  const start = createStartInBatches(depsOf());
  const about = { namespace: 'default', agentId, channel: 'chat' as const, userId: null };
  return Promise.allSettled(
    inputs.map((input, i) =>
      inContext(contextOf(traceOf(i)), () =>
        start({ ...about, variables: {}, metadata: {}, ...input }),
      ),
    ),
  );
};

const endAll = async (...ends: { id: string; namespace?: string; outcome?: 'resolved' }[]) => {
  const end = createEndInBatches(depsOf());
  return Promise.allSettled(
    ends.map((one, i) =>
      inContext(contextOf(traceOf(i)), () => end({ namespace: 'default', ...one })),
    ),
  );
};

function turnsToAdd(id: string, { turnCount = 0, text = 'Hi' } = {}): TurnsToAdd {
  const turn = { role: 'user', text, startedAtMs: 0, endedAtMs: 0, interrupted: false } as TurnRow;
  const conversation = { id, turnCount, status: 'active' } as const;
  const next = { status: 'active', silenceSec: 60, tally: EMPTY_TALLY } as const;
  return { conversation, turns: [{ ...turn, index: turnCount }], ...next };
}

test('concurrent requests share one transaction, and each has its own result and trace', async () => {
  const [a, b, c] = await startAll(
    { userId: 'u', variables: { name: 'Ann' }, metadata: { order: '7' } },
    { channel: 'web_voice', variables: { name: 'Bob' } },
    { namespace: 'other' },
  );
  const ids = [a, b].map((one) => {
    if (one?.status !== 'fulfilled') throw new Error('a conversation did not start');
    return one.value.id;
  });
  expect(c).toMatchObject(refused('invalid_body'));
  expect(a).toMatchObject({
    value: { userId: 'u', metadata: { order: '7' }, channel: 'chat', maxDurationSec: 86_400 },
  });
  expect(b).toMatchObject({
    value: { userId: null, channel: 'web_voice', maxDurationSec: 3_600, silenceTimeoutSec: 7 },
  });
  expect(await countTransactions(ids)).toBe(1);
  const turns = await stored.read('turns', 'text');
  expect(turns.map((turn) => [turn['conversation_id'], turn['text']])).toEqual([
    [ids[0], 'Hello Ann.'],
    [ids[1], 'Hello Bob.'],
  ]);

  const ended = await endAll({ id: ids[0]!, outcome: 'resolved' }, { id: ids[1]! });
  expect(ended).toMatchObject([
    { value: { id: ids[0], outcome: 'resolved' } },
    { value: { id: ids[1], outcome: 'abandoned' } },
  ]);
  for (const [i, id] of ids.entries()) {
    const traceparent = traceOf(i);
    expect(await eventsOf(id)).toEqual([
      { type: 'conversation.started', traceparent },
      { type: 'conversation.ended', traceparent },
      { type: 'conversation.transcript.ready', traceparent },
    ]);
    expect(await rowOf(id)).toMatchObject({ status: 'ended', event_sequence: 3, expires_at: null });
  }
  expect(await countTransactions(ids)).toBe(1);
});

test('large conversations share no transaction', async () => {
  const large = { variables: { text: 'x'.repeat(SHARED_CHARS_MAX) } };
  const started = await startAll(large, large, {}, {});
  const ids = started.map((one) => {
    if (one.status !== 'fulfilled') throw one.reason;
    return one.value.id;
  });
  expect(await countTransactions(ids)).toBe(3);
  const addTurns = createAddTurns(depsOf());
  const text = 'x'.repeat(SHARED_CHARS_MAX + 1);
  const said = await Promise.all(
    ids.map((id, i) => addTurns(turnsToAdd(id, { turnCount: 1, ...(i === 2 && { text }) }))),
  );
  expect(said).toMatchObject(ids.map((id) => ({ id, turnCount: 2 })));
  expect(await countTransactions(ids)).toBe(4);
  expect(await endAll(...ids.map((id) => ({ id })))).toMatchObject([ENDED, ENDED, ENDED, ENDED]);
  expect(await countTransactions(ids)).toBe(3);
});

test('a conversation that cannot end with the others ends or is refused alone', async () => {
  const plain = await add();
  const speaking = await add();
  await addLiveTurn(stored, speaking);
  const escalated = await add({ status: 'escalated' });
  const escalation = newUuid();
  await stored.add('escalations', {
    id: escalation,
    namespace: 'default',
    conversation_id: escalated,
    agent_id: agentId,
    reason: 'api',
    status: 'requested',
    summary: '',
    times_out_at: minutesAgo(-1),
    test: true,
  });
  const over = await add({ status: 'ended', ended_at: minutesAgo(1) });
  const elsewhere = await add({ namespace: 'other' });
  const missing = newUuid();
  const ids = [plain, speaking, escalated, over, elsewhere, missing, plain];
  const outcomes = await endAll(...ids.map((id) => ({ id })));
  expect(outcomes).toMatchObject([
    ENDED,
    ENDED,
    ENDED,
    refused('conversation_ended'),
    refused('not_found'),
    refused('not_found'),
    refused('conversation_ended'),
  ]);
  expect(await stored.read('live_turns', 'conversation_id')).toEqual([]);
  const turns = await stored.read('turns', 'index');
  expect(turns.map((turn) => [turn['conversation_id'], turn['text']])).toEqual([
    [speaking, 'Hi'],
    [speaking, ''],
  ]);
  expect(await stored.rowOf('escalations', escalation)).toMatchObject({ status: 'canceled' });
  expect(await rowOf(elsewhere)).toMatchObject({ status: 'active' });
  for (const id of [plain, speaking, escalated]) {
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'conversation.ended',
      'conversation.transcript.ready',
    ]);
  }
});

test('a conversation that another transaction has locked keeps no other one waiting', async () => {
  const [held, free] = [await add(), await add()];
  const end = createEndInBatches(depsOf());
  const waiting = await inTransaction(stored.pool, async (db) => {
    await db.query('select 1 from conversations where id = $1 for update', [held]);
    const first = end({ namespace: 'default', id: held });
    await expect(end({ namespace: 'default', id: free })).resolves.toMatchObject({ id: free });
    return { first };
  });
  await expect(waiting.first).resolves.toMatchObject({ id: held, status: 'ended' });
});

test('turns are added together, and only the turns of a locked conversation wait', async () => {
  const [held, free] = [await add(), await add()];
  const changed = await add({ turn_count: 2 });
  const addTurns = createAddTurns(depsOf());
  const say = (id: string) => addTurns(turnsToAdd(id));
  const waiting = await inTransaction(stored.pool, async (db) => {
    await db.query('select 1 from conversations where id = $1 for update', [held]);
    const first = say(held);
    expect(await Promise.all([say(free), say(changed), say(free)])).toMatchObject([
      { id: free },
      undefined,
      undefined,
    ]);
    return { first };
  });
  expect(await waiting.first).toMatchObject({ id: held, turnCount: 1 });
  const said = await stored.read('turns', 'conversation_id');
  expect(said.map((row) => row['conversation_id'])).toEqual([held, free]);
});

test('one conversation that PostgreSQL refuses does not keep the others from starting or ending', async () => {
  // PostgreSQL stores no text with a zero character.
  const [bad, good] = await startAll({ variables: { name: '\0' } }, {});
  expect(bad).toMatchObject({ status: 'rejected' });
  expect(good).toMatchObject({ status: 'fulfilled', value: { status: 'active' } });

  const [poisoned, healthy] = [await add(), await add()];
  await stored.pool.query(
    `create function refuse_one() returns trigger language plpgsql
       as $$ begin raise exception 'not this one'; end $$;
     create trigger refuse_one before update on conversations for each row
       when (new.id = '${poisoned}') execute function refuse_one()`,
  );
  try {
    expect(await endAll({ id: poisoned }, { id: healthy })).toMatchObject([
      { status: 'rejected' },
      ENDED,
    ]);
  } finally {
    await stored.pool.query('drop trigger refuse_one on conversations; drop function refuse_one()');
  }
  expect(await rowOf(poisoned)).toMatchObject({ status: 'active', event_sequence: 0 });
  expect(await eventsOf(poisoned)).toEqual([]);
  expect(await eventsOf(healthy)).toHaveLength(2);
});

test('in a rollout each conversation has its arm, and each user counts once', async () => {
  const agents = createStoredAgents(stored);
  await agents.addVersion(agentId, 2, { content: { prompt: 'New.' } });
  const rollout = { agent_id: agentId, seq: 1, rollout_id: newUuid(), public_id: 'rol_1' };
  const versions = { from_version: 1, to_version: 2, weight: 50, step: 0 };
  await stored.add('agent_rollouts', {
    ...rollout,
    ...versions,
    action: 'started',
    plan: {},
    actor: 'a',
  });
  const users = Array.from({ length: 12 }, (_, i) => `user ${i % 6}`);
  const started = await startAll(...users.map((userId) => ({ userId })));
  const versionsOf = new Map<string, Set<number>>();
  for (const [i, one] of started.entries()) {
    if (one.status !== 'fulfilled') throw one.reason;
    const userId = users[i]!;
    versionsOf.set(userId, (versionsOf.get(userId) ?? new Set()).add(one.value.agentVersion));
  }
  expect([...versionsOf.values()].map((set) => set.size)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(new Set([...versionsOf.values()].flatMap((set) => [...set]))).toEqual(new Set([1, 2]));
  const counted = await stored.read('rollout_conversations', 'unit');
  expect(counted).toHaveLength(6);
});
