import { beforeEach, describe, expect, test } from 'vitest';
import { deleteOldConversations } from '../../src/conversations/record/conversations.sql.ts';
import {
  listConversationsOfVersions,
  listToolCallsOfVersions,
  listUsersOfVersions,
  type OfVersions,
} from '../../src/conversations/conversations-of-versions.sql.ts';
import { newUuid } from '../../src/ids.ts';
import { addConversation, addTurn } from '../conversations/stored-conversations.ts';
import { useRows, type Columns } from '../platform/postgres/rows.ts';

/** What versions did, of rows that differ from those in question in one part alone. */

const stored = useRows('conversations', 'conversation_versions');
const [AGENT, OTHER, FRONT] = [newUuid(), newUuid(), newUuid()];
const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);

const of = (more: Partial<OfVersions> = {}) => ({
  agentId: AGENT,
  versions: [2, 3],
  since: null,
  limit: 100,
  ...more,
});
/** Stores a conversation that began `hours` after the start. */
const talk = (hours: number, columns: Columns = {}) =>
  addConversation(stored, {
    id: newUuid(START + hours * HOUR_MS),
    agent_id: AGENT,
    agent_version: 2,
    started_at: new Date(START + hours * HOUR_MS),
    ...columns,
  });
const call = (id: string, index: number, columns: Columns = {}) =>
  addTurn(stored, id, index, { role: 'tool', agent_id: AGENT, agent_version: 2, ...columns });
const handOver = (id: string, agentId: string, version: number) =>
  stored.pool.query(
    'update conversations set speaker_agent_id = $2, speaker_version = $3 where id = $1',
    [id, agentId, version],
  );
const erase = async (id: string): Promise<void> => {
  await stored.pool.query('delete from turns where conversation_id = $1', [id]);
  await stored.pool.query(
    'update conversations set deleted_at = now(), user_id = null where id = $1',
    [id],
  );
};
const conversations = async (more: Parameters<typeof of>[0] & { before?: string } = {}) =>
  (await listConversationsOfVersions(stored.pool, of(more))).map(({ id }) => id);
const calls = async (more: Parameters<typeof of>[0] = {}) =>
  (await listToolCallsOfVersions(stored.pool, of(more))).map(({ id, index }) => [id, index]);
const users = async (more: Parameters<typeof of>[0] & { before?: string } = {}) =>
  (await listUsersOfVersions(stored.pool, of(more))).map(({ userId, id }) => [userId, id]);

describe('conversations', () => {
  test('are those of the versions, newest first, without tests', async () => {
    const two = await talk(1);
    const three = await talk(2, { agent_version: 3 });
    await talk(3, { agent_version: 1 });
    await talk(3, { agent_id: OTHER });
    await talk(3, { test: true });
    expect(await conversations()).toEqual([three, two]);
    expect(await conversations({ versions: [3] })).toEqual([three]);
  });

  test('include those that a version took over, once, with all versions that took part', async () => {
    const id = await talk(1, { agent_id: FRONT, agent_version: 9 });
    const tested = await talk(1, { agent_id: FRONT, test: true });
    await handOver(id, AGENT, 3);
    await handOver(id, FRONT, 9);
    await handOver(id, AGENT, 2);
    await handOver(tested, AGENT, 2);
    const [only, ...rest] = await listConversationsOfVersions(stored.pool, of());
    expect([only?.id, only?.versions, rest]).toEqual([id, [2, 3], []]);
    expect(await conversations({ agentId: FRONT, versions: [9] })).toEqual([id]);
  });

  test('include those that a version handed over again in the same turn', async () => {
    const id = await talk(1, { agent_id: FRONT });
    await call(id, 0, { agent_id: FRONT });
    await call(id, 1);
    await addTurn(stored, id, 2, { role: 'agent', agent_id: OTHER, agent_version: 1 });
    await handOver(id, OTHER, 1);
    expect(await conversations()).toEqual([id]);
  });

  test('are those that started from `since` on', async () => {
    await talk(1);
    const [second, third] = [await talk(2), await talk(3)];
    const since = START + 2 * HOUR_MS;
    expect(await conversations({ since })).toEqual([third, second]);
    // An id with the time of another clock.
    const ahead = await talk(4, { id: newUuid(since - 60_000) });
    expect(await conversations({ since })).toEqual([third, second, ahead]);
  });

  test('have pages, in which none is missing or repeated', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.unshift(await talk(n, { agent_version: 2 + (n % 2) }));
    for (const id of ids.filter((_, n) => n % 3 === 0)) await handOver(id, AGENT, 3);
    const seen: string[] = [];
    for (;;) {
      const before = seen.at(-1);
      const page = await conversations({ limit: 5, ...(before && { before }) } as object);
      seen.push(...page);
      if (page.length < 5) break;
    }
    expect(seen).toEqual(ids);
  });

  test('stay after an erasure without their user, and go with retention', async () => {
    const id = await talk(1, { user_id: 'ada', ended_at: new Date(START) });
    const front = await talk(2, { agent_id: FRONT, ended_at: new Date(START) });
    await call(id, 0);
    await call(front, 0);
    for (const one of [id, front]) await erase(one);
    const rows = await listConversationsOfVersions(stored.pool, of());
    expect(rows.map((row) => [row.id, row.userId, row.isErased])).toEqual([
      [front, null, true],
      [id, null, true],
    ]);
    expect([await users(), await calls()]).toEqual([[], []]);
    const kept = await stored.read('conversation_versions', 'conversation_id');
    expect(kept.map((row) => row['has_tool_calls'])).toEqual([false, false, false]);
    await deleteOldConversations(stored.pool, { days: 1, limit: 10 });
    expect(await stored.read('conversation_versions', 'conversation_id')).toEqual([]);
  });
});

describe('users', () => {
  test('are listed once, by their newest conversation with the versions', async () => {
    await talk(1, { user_id: 'ada' });
    const adas = await talk(2, { user_id: 'ada', agent_version: 3 });
    const bobs = await talk(3, { user_id: 'bob' });
    await talk(4, { user_id: 'ada', agent_version: 1 });
    await talk(4, { user_id: 'ada', test: true });
    await talk(4, { user_id: 'ada', namespace: 'other', agent_id: OTHER });
    await talk(5, { user_id: null });
    await talk(5, { user_id: 'cleo', agent_version: 1 });
    expect(await users()).toEqual([
      ['bob', bobs],
      ['ada', adas],
    ]);
    expect(await users({ before: bobs })).toEqual([['ada', adas]]);
    expect(await users({ limit: 1 } as object)).toEqual([['bob', bobs]]);
  });

  test('have a newer conversation before `since` only by another clock', async () => {
    const id = await talk(3, { user_id: 'ada' });
    await talk(1, { user_id: 'ada', id: newUuid(START + 4 * HOUR_MS) });
    expect(await users({ since: START + 2 * HOUR_MS })).toEqual([['ada', id]]);
  });
});

describe('tool calls', () => {
  let first: string;
  let second: string;
  beforeEach(async () => {
    first = await talk(1, { user_id: 'ada' });
    second = await talk(2, { agent_id: FRONT });
    await call(first, 1);
    await call(first, 3, { agent_version: 3 });
    await call(first, 4, { agent_version: 1 });
    await call(first, 5, { agent_id: OTHER });
    await addTurn(stored, first, 6, { role: 'agent', agent_id: AGENT, agent_version: 2 });
    await call(second, 0, { agent_id: FRONT });
    await call(second, 2, { started_at_ms: 1_500 });
    await talk(3);
  });

  test('are those of the versions, in the order of their turns', async () => {
    expect(await calls()).toEqual([
      [second, 2],
      [first, 1],
      [first, 3],
    ]);
    const [one, two] = await listToolCallsOfVersions(stored.pool, of());
    expect([one?.calledAt, two?.userId]).toEqual([START + 2 * HOUR_MS + 1_500, 'ada']);
    expect(await calls({ versions: [3] })).toEqual([[first, 3]]);
    expect(await calls({ since: START + 2 * HOUR_MS })).toEqual([[second, 2]]);
  });

  test('have pages that begin within a conversation', async () => {
    const page = (after: { id: string; index: number }, limit = 1) =>
      calls({ after, limit } as object);
    expect(await page({ id: second, index: 2 })).toEqual([[first, 1]]);
    expect(await page({ id: first, index: 1 })).toEqual([[first, 3]]);
    expect(await page({ id: first, index: 3 })).toEqual([]);
  });
});
