import { describe, expect, test } from 'vitest';
import {
  highestLiveVersionBelow,
  insertActivation,
  lastActivations,
  listActivations,
  readActivationUnder,
} from '../../src/agents/agent-activations.sql.ts';
import {
  findVersionByHash,
  hashesOfVersions,
  listLiveAgents,
  listVersions,
  readLastLanguage,
  readLiveContent,
  readPublishedContent,
  readVersion,
  readVersionToTalk,
} from '../../src/agents/agent-versions.sql.ts';
import {
  deleteAgent,
  listAgents,
  lockAgent,
  markAgentDeleted,
  readAgent,
  readAgentById,
  updateAgent,
  type AgentRow,
} from '../../src/agents/agents.sql.ts';
import { newUuid } from '../../src/ids.ts';
import { useRows, type Columns } from '../platform/postgres/rows.ts';
import { at, createStoredAgents, GONE, promptOf, START_MS } from './stored-agents.ts';

/**
 * Each statement about agents, of rows that differ from the one it is for in one part alone. A database of its own: the
 * tests empty its tables.
 */

const stored = useRows('agents');
const { addAgent, addVersion, addActivation } = createStoredAgents(stored);

const OTHER = newUuid();
const HASH = 'ab'.repeat(32);
const inDefault = (id: string) => ({ namespace: 'default', id });
const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

describe('an agent', () => {
  test('is read by its id and namespace until it is deleted', async () => {
    const id = await addAgent();
    await addAgent();
    const gone = await addAgent(GONE);
    expect((await readAgent(stored.pool, inDefault(id)))?.id).toBe(id);
    expect((await readAgentById(stored.pool, id))?.id).toBe(id);
    expect(await readAgent(stored.pool, { namespace: 'other', id })).toBeUndefined();
    for (const one of [gone, OTHER]) {
      expect(await readAgent(stored.pool, inDefault(one))).toBeUndefined();
      expect(await readAgentById(stored.pool, one)).toBeUndefined();
    }
  });

  test('shows the last activation of its own, while a version is live', async () => {
    const id = await addAgent({ active_version: 2 }, 2);
    await addActivation(id, 1);
    await addActivation(id, 2, { actor: 'own' });
    const neighbor = await addAgent({ active_version: 3 }, 3);
    await addActivation(neighbor, 3, { actor: 'neighbor' });
    expect((await readAgentById(stored.pool, id))?.activation).toMatchObject({ actor: 'own' });
    await stored.pool.query('update agents set active_version = null where id = $1', [id]);
    expect((await readAgentById(stored.pool, id))?.activation).toBeNull();
  });

  test('is listed by each filter, newest first', async () => {
    const first = await addAgent({ name: 'first', ready: true });
    const second = await addAgent({ managed_by: 'kubernetes' });
    await addAgent({ namespace: 'other' });
    await addAgent(GONE);
    const list = async (over: object = {}): Promise<string[]> =>
      ids(await listAgents(stored.pool, { namespace: 'default', limit: 9, ...over }));
    const newest = [first, second].toSorted().toReversed();
    expect(await list()).toEqual(newest);
    expect(await list({ limit: 1 })).toEqual(newest.slice(0, 1));
    expect(await list({ before: newest[0] })).toEqual(newest.slice(1));
    expect(await list({ name: 'first' })).toEqual([first]);
    expect(await list({ managedBy: 'kubernetes' })).toEqual([second]);
    expect(await list({ ready: true })).toEqual([first]);
  });

  test('takes its name over from the agent that had it, and from no other', async () => {
    const others = [await addAgent({ name: 'n', namespace: 'other' }), await addAgent()];
    const before = await addAgent({ name: 'n' });
    const gone = await addAgent({ name: 'n', ...GONE });
    const goneSince = (await rowOf(gone))['deleted_at'];
    const agent = projection({ name: 'n' });
    expect(await lockAgent(stored.pool, agent)).toMatchObject({ id: agent.id, name: 'n' });
    expect((await lockAgent(stored.pool, agent)).id).toBe(agent.id);
    expect((await rowOf(before))['deleted_at']).toEqual(expect.any(Number));
    expect((await rowOf(gone))['deleted_at']).toBe(goneSince);
    for (const one of [...others, agent.id]) expect((await rowOf(one))['deleted_at']).toBeNull();
  });

  test('is updated alone, and says when the spec, the live version or its existence changed', async () => {
    const updated_at = at(0);
    const neighbor = await addAgent({ updated_at });
    const id = await addAgent({ updated_at });
    const before = await rowOf(neighbor);
    const agent = { ...projection({ id }), activeVersion: null, latestVersion: 0, ...READY };
    const update = async (over: Partial<AgentRow> = {}): Promise<boolean> => {
      await stored.pool.query('update agents set updated_at = $2 where id = $1', [id, updated_at]);
      await updateAgent(stored.pool, { ...agent, ...over });
      return (await rowOf(id))['updated_at'] !== START_MS;
    };
    expect(await update()).toBe(false);
    expect(await update({ message: 'other', generation: 2, latestVersion: 1 })).toBe(false);
    expect(await update({ spec: { prompt: 'q' } as AgentRow['spec'] })).toBe(true);
    await update();
    expect(await update({ activeVersion: 1 })).toBe(true);
    await update();
    await stored.pool.query('update agents set deleted_at = now() where id = $1', [id]);
    expect(await update()).toBe(true);
    expect(await rowOf(id)).toMatchObject({ deleted_at: null });
    expect(await rowOf(neighbor)).toEqual(before);
  });

  test('is marked as deleted once, by its namespace and name', async () => {
    const id = await addAgent({ name: 'n' });
    const others = [await addAgent({ name: 'n', namespace: 'other' }), await addAgent()];
    const key = { namespace: 'default', name: 'n' };
    expect((await markAgentDeleted(stored.pool, key))?.id).toBe(id);
    expect(await markAgentDeleted(stored.pool, key)).toBeUndefined();
    for (const one of others) expect((await rowOf(one))['deleted_at']).toBeNull();
  });

  test('is deleted with its own history', async () => {
    const [id, neighbor] = [await addAgent({}, 1), await addAgent({}, 1)];
    await addActivation(id, 1);
    await addActivation(neighbor, 1);
    await deleteAgent(stored.pool, id);
    expect(ids((await stored.read('agents')) as { id: string }[])).toEqual([neighbor]);
    for (const table of ['agent_versions', 'agent_activations']) {
      const rows = await stored.read(table, 'agent_id');
      expect(rows.map((row) => row['agent_id'])).toEqual([neighbor]);
    }
  });

  const READY = { ready: true, reason: 'Ready', message: '' };
  const projection = (over: object) => ({
    id: newUuid(),
    namespace: 'default',
    name: 'x',
    uid: newUuid(),
    generation: 1,
    managedBy: 'api' as const,
    spec: { prompt: 'p' } as AgentRow['spec'],
    ...over,
  });
  const rowOf = async (id: string): Promise<Columns> => (await stored.rowOf('agents', id))!;
});

describe('a version', () => {
  test('is found by the agent, the rules of the hash, and the hash', async () => {
    const hash = { content_hash: Buffer.from(HASH, 'hex') };
    const [id, neighbor] = [await addAgent({}, 1), await addAgent({}, 3)];
    await addVersion(neighbor, 4, hash);
    await addVersion(id, 2, { ...hash, hash_version: 2 });
    const find = (over: object = {}): Promise<number | undefined> =>
      findVersionByHash(stored.pool, { agentId: id, hashVersion: 1, contentHash: HASH, ...over });
    expect(await find()).toBeUndefined();
    expect(await find({ hashVersion: 2 })).toBe(2);
    expect(await find({ agentId: neighbor })).toBe(4);
    expect(await find({ agentId: neighbor, contentHash: 'cd'.repeat(32) })).toBeUndefined();
  });

  test('is read and listed by its agent and number', async () => {
    const [id, neighbor] = [await addAgent({}, 3), await addAgent({}, 4)];
    const read = await readVersion(stored.pool, { agentId: id, version: 2 });
    expect(read).toMatchObject({ agentId: id, version: 2, content: promptOf(id, 2) });
    expect(await readVersion(stored.pool, { agentId: id, version: 4 })).toBeUndefined();
    expect(await readVersion(stored.pool, { agentId: OTHER, version: 2 })).toBeUndefined();
    const list = async (over: object = {}): Promise<number[]> =>
      (await listVersions(stored.pool, { agentId: id, limit: 9, ...over })).map(
        (one) => one.version,
      );
    expect(await list()).toEqual([3, 2, 1]);
    expect(await list({ before: 2 })).toEqual([1]);
    expect(await list({ limit: 2 })).toEqual([3, 2]);
    const hashes = await hashesOfVersions(stored.pool, id, [1, 3, 4]);
    const hex = (version: number) => Buffer.from(`${id} ${version}`).toString('hex');
    expect(hashes).toEqual(new Map([1, 3].map((version) => [version, hex(version)])));
    expect((await hashesOfVersions(stored.pool, neighbor, [4])).size).toBe(1);
  });

  test('that is live is read with its content', async () => {
    await addAgent({ active_version: 1 }, 1);
    const id = await addAgent({ active_version: 1 }, 2);
    await addAgent({ active_version: 1 }, 1);
    const live = { version: 1, content: promptOf(id, 1), rollout: null };
    expect(await readLiveContent(stored.pool, inDefault(id))).toEqual(live);
    expect(await readLiveContent(stored.pool, { namespace: 'other', id })).toBeUndefined();
    expect(await readLiveContent(stored.pool, inDefault(OTHER))).toBeUndefined();
    const waiting = await addAgent({}, 1);
    const nothing = { version: null, content: null, rollout: null };
    expect(await readLiveContent(stored.pool, inDefault(waiting))).toEqual(nothing);
    const gone = await addAgent({ active_version: 1, ...GONE }, 1);
    expect(await readLiveContent(stored.pool, inDefault(gone))).toBeUndefined();
  });

  test('to talk with says whether it was ever live', async () => {
    await addAgent({}, 3);
    const id = await addAgent({}, 2);
    await addActivation(id, 1);
    const neighbor = await addAgent({}, 3);
    await addActivation(neighbor, 2);
    await addActivation(neighbor, 3);
    const read = (version: number, over: object = {}) =>
      readVersionToTalk(stored.pool, { ...inDefault(id), version, ...over });
    expect(await read(1)).toEqual({ content: promptOf(id, 1), wasLive: true, isRecalled: false });
    expect(await read(2)).toEqual({ content: promptOf(id, 2), wasLive: false, isRecalled: false });
    expect(await read(3)).toEqual({ content: null, wasLive: false, isRecalled: false });
    expect(await read(1, { namespace: 'other' })).toBeUndefined();
    expect(await read(1, { id: OTHER })).toBeUndefined();
    const gone = await addAgent(GONE, 1);
    expect(await read(1, { id: gone })).toBeUndefined();
  });

  test('that was live is read as a published one', async () => {
    await addAgent({}, 3);
    const id = await addAgent({}, 3);
    await addActivation(id, 1);
    await addActivation(id, 3);
    const neighbor = await addAgent({}, 2);
    await addActivation(neighbor, 2);
    const gone = await addAgent(GONE, 1);
    await addActivation(gone, 1);
    const read = (version: number, over: object = {}) =>
      readPublishedContent(stored.pool, { ...inDefault(id), version, ...over });
    expect(await read(1)).toEqual({ version: 1, content: promptOf(id, 1) });
    expect(await read(3)).toEqual({ version: 3, content: promptOf(id, 3) });
    expect(await read(2)).toBeUndefined();
    expect(await read(1, { namespace: 'other' })).toBeUndefined();
    expect(await read(1, { id: OTHER })).toBeUndefined();
    expect(await read(1, { id: gone })).toBeUndefined();
    expect(await read(1, { id: neighbor })).toBeUndefined();
  });

  test('that is the last one gives the language, of a deleted agent too', async () => {
    const id = await addAgent(GONE);
    await addVersion(id, 1, { content: { prompt: 'p', language: 'de' } });
    await addVersion(id, 2, { content: { prompt: 'p', language: 'en' } });
    const neighbor = await addAgent();
    await addVersion(neighbor, 3, { content: { prompt: 'p', language: 'fr' } });
    expect(await readLastLanguage(stored.pool, id)).toBe('en');
    await addVersion(id, 3);
    expect(await readLastLanguage(stored.pool, id)).toBeUndefined();
  });

  test('that is live puts its agent in the list of those to talk with', async () => {
    const live = { active_version: 1 };
    const [first, second] = [await addAgent(live), await addAgent(live)].toSorted().toReversed();
    const left = [
      await addAgent(),
      await addAgent({ ...live, ...GONE }),
      await addAgent({ ...live, namespace: 'other' }),
    ];
    const list = async (over: object = {}): Promise<string[]> =>
      ids(await listLiveAgents(stored.pool, { namespace: 'default', limit: 9, ...over }));
    expect(await list()).toEqual([first, second]);
    expect(await list({ limit: 1 })).toEqual([first]);
    expect(await list({ id: second })).toEqual([second]);
    for (const id of left) expect(await list({ id })).toEqual([]);
  });
});

describe('an activation', () => {
  test('has the next number of its agent', async () => {
    const [id, neighbor] = [await addAgent({}, 2), await addAgent({}, 1)];
    const handoffs = [{ tool: 't', agent: 'a', agentId: null, version: null }];
    const add = (agentId: string, toVersion: number, given: typeof handoffs | null) =>
      insertActivation(stored.pool, {
        agentId,
        action: 'published',
        fromVersion: null,
        toVersion,
        actor: 'a',
        reason: null,
        eventId: newUuid(),
        handoffs: given,
      });
    await add(id, 1, null);
    await add(id, 2, handoffs);
    await add(neighbor, 1, null);
    const listed = await listActivations(stored.pool, { agentId: id, limit: 9 });
    expect(listed.map(({ seq, handoffs: of }) => [seq, of])).toEqual([
      [2, handoffs],
      [1, null],
    ]);
    // No value at all, for lists of handoffs are taken apart in SQL.
    const { rows } = await stored.pool.query(
      'select seq from agent_activations where handoffs is null',
    );
    expect(rows).toHaveLength(2);
    const [own] = await listActivations(stored.pool, { agentId: neighbor, limit: 9 });
    expect(own).toMatchObject({ seq: 1 });
  });

  test('is listed by its agent, newest first', async () => {
    const [id, neighbor] = [await addAgent({}, 3), await addAgent({}, 4)];
    for (const seq of [1, 2, 3]) await addActivation(id, seq);
    await addActivation(neighbor, 4);
    const list = async (over: object = {}): Promise<number[]> =>
      (await listActivations(stored.pool, { agentId: id, limit: 9, ...over })).map(
        ({ seq }) => seq,
      );
    expect(await list()).toEqual([3, 2, 1]);
    expect(await list({ before: 2 })).toEqual([1]);
    expect(await list({ limit: 1 })).toEqual([3]);
  });

  test('of a moment is the last one of the version until then', async () => {
    const [id, neighbor] = [await addAgent({}, 2), await addAgent({}, 1)];
    await addActivation(id, 1, { to_version: 1, at: at(0) });
    await addActivation(id, 2, { to_version: 2, at: at(10) });
    await addActivation(id, 3, { to_version: 1, at: at(20) });
    await addActivation(neighbor, 9, { to_version: 1, at: at(5) });
    const read = async (version: number, ms: number): Promise<number | undefined> =>
      (await readActivationUnder(stored.pool, { agentId: id, version, atMs: START_MS + ms }))?.seq;
    expect(await read(1, -1)).toBeUndefined();
    expect(await read(1, 0)).toBe(1);
    expect(await read(1, 19)).toBe(1);
    expect(await read(1, 20)).toBe(3);
    expect(await read(2, 9)).toBeUndefined();
    expect(await read(2, 30)).toBe(2);
  });

  test('of each action is the last one of its agent', async () => {
    const [id, neighbor] = [await addAgent({}, 4), await addAgent({}, 9)];
    await addActivation(id, 1);
    await addActivation(id, 2);
    await addActivation(id, 3, { action: 'rolled_back', to_version: 1 });
    await addActivation(neighbor, 9);
    const last = await lastActivations(stored.pool, id);
    expect(last.map(({ agentId, seq }) => [agentId, seq])).toEqual([
      [id, 2],
      [id, 3],
    ]);
  });

  test('gives the highest version below one that was live', async () => {
    const [id, neighbor] = [await addAgent({}, 4), await addAgent({}, 3)];
    await addActivation(id, 1);
    await addActivation(id, 2);
    await addActivation(id, 4);
    await addActivation(neighbor, 3);
    const below = (version: number) =>
      highestLiveVersionBelow(stored.pool, { agentId: id, version });
    expect(await below(4)).toBe(2);
    expect(await below(2)).toBe(1);
    expect(await below(1)).toBeUndefined();
  });
});
