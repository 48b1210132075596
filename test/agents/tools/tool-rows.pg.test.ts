import { beforeEach, describe, expect, test } from 'vitest';
import {
  findHandoffTargets,
  lastHandoffs,
  readHandoffTarget,
} from '../../../src/agents/tools/handoffs.sql.ts';
import {
  deleteOldToolSecrets,
  deleteToolSecrets,
  listToolSecrets,
  putToolSecret,
  readToolSecrets,
  TOOL_SECRETS_MAX,
} from '../../../src/agents/tools/tool-secrets.sql.ts';
import { newUuid } from '../../../src/ids.ts';
import { useRows } from '../../platform/postgres/rows.ts';
import { at, createStoredAgents, GONE, promptOf, START_MS } from '../stored-agents.ts';

/**
 * Each statement about handoffs and the secrets of tools, of rows that differ from the one it is for in one part alone. A
 * database of its own: the tests empty its tables.
 */

const stored = useRows('agents');
const { addAgent, addActivation } = createStoredAgents(stored);

const OTHER = newUuid();

describe('a handoff', () => {
  test('finds the agents of its names as they are now', async () => {
    const id = await addAgent({ name: 'sales', active_version: 1 });
    const waiting = await addAgent({ name: 'help' });
    await addAgent({ name: 'sales', namespace: 'other' });
    await addAgent({ name: 'sales', ...GONE });
    await addAgent();
    const found = await findHandoffTargets(stored.pool, {
      namespace: 'default',
      names: ['sales', 'help', 'x'],
    });
    expect(new Map(found.map((one) => [one.id, one.activeVersion]))).toEqual(
      new Map([
        [id, 1],
        [waiting, null],
      ]),
    );
  });

  test('is taken from the last activation of the version, of agents that are there', async () => {
    const [id, neighbor] = [await addAgent({}, 2), await addAgent({}, 1)];
    const gone = await addAgent(GONE);
    const target = await addAgent();
    const to = (tool: string, agentId: string | null, version: number | null = 1) => ({
      tool,
      agent: 'x',
      agentId,
      version,
    });
    const record = (...handoffs: object[]) => ({ handoffs: JSON.stringify(handoffs) });
    const current = [to('a', target), to('b', gone), to('c', null), to('d', target, null)];
    await addActivation(id, 1, { to_version: 1, ...record(to('old', target)) });
    await addActivation(id, 2, { to_version: 1, ...record(...current) });
    await addActivation(id, 3, { to_version: 2, ...record(to('later', target)) });
    await addActivation(neighbor, 4, { to_version: 1, ...record(to('foreign', target)) });
    const last = await lastHandoffs(stored.pool, { agentId: id, version: 1 });
    expect(last).toEqual([to('a', target)]);
  });

  describe('leads a conversation', () => {
    let id: string;
    let target: string;
    const read = async (over: object = {}, tool: object = {}) => {
      const found = await readHandoffTarget(stored.pool, {
        namespace: 'default',
        agentId: id,
        agentVersion: 1,
        startedAt: START_MS + 10,
        ...over,
        tool: { name: 'go', agent: 'sales', ...tool },
      });
      return found && [found.agentId, found.agentVersion, found.content];
    };
    const record = (...given: object[]) => ({
      handoffs: JSON.stringify(given.map((one) => ({ tool: 'go', agent: 'sales', ...one }))),
    });
    const live = (version: number, of = target) => [of, version, promptOf(of, version)];

    beforeEach(async () => {
      await addAgent({}, 4);
      id = await addAgent({}, 2);
      target = await addAgent({ name: 'sales' }, 4);
      await addAgent({ name: 'sales', namespace: 'other' }, 4);
      await addAgent({}, 4);
    });

    test('to the version that the activation of its begin has recorded', async () => {
      const of = (version: number) => record({ agentId: target, version });
      await addActivation(id, 1, { to_version: 1, at: at(0), ...of(1) });
      await addActivation(id, 2, { to_version: 1, at: at(10), ...of(2) });
      await addActivation(id, 3, { to_version: 1, at: at(20), ...of(3) });
      await addActivation(id, 4, { to_version: 2, at: at(5), ...of(4) });
      const neighbor = await addAgent({}, 1);
      await addActivation(neighbor, 5, { to_version: 1, at: at(10), ...of(4) });
      expect(await read()).toEqual(live(2));
      expect(await read({ startedAt: START_MS + 9 })).toEqual(live(1));
      expect(await read({ startedAt: START_MS + 25 })).toEqual(live(3));
      // Before its first activation: the first one that came.
      expect(await read({ startedAt: START_MS - 1 })).toEqual(live(1));
      expect(await read({ agentVersion: 2 })).toEqual(live(4));
      expect(await read({}, { name: 'stay' })).toBeUndefined();
      expect(await read({ namespace: 'other' })).toBeUndefined();
      await stored.pool.query('update agents set deleted_at = now() where id = $1', [target]);
      expect(await read()).toBeUndefined();
    });

    test('by the id that was recorded, or else by the name, to what was live first', async () => {
      const renamed = await addAgent({ name: 'moved' }, 2);
      await addActivation(id, 1, { at: at(0), ...record({ agentId: renamed, version: 2 }) });
      expect(await read()).toEqual(live(2, renamed));
      await stored.pool.query('update agent_activations set handoffs = $1', [
        record({ agentId: null, version: null }).handoffs,
      ]);
      expect(await read()).toEqual([target, null, null]);
      await addActivation(target, 1, { to_version: 3, at: at(5) });
      await addActivation(target, 2, { to_version: 4, at: at(6) });
      await addActivation(renamed, 3, { to_version: 2, at: at(1) });
      expect(await read()).toEqual(live(3));
    });

    test('of a version that was never live to what was live when it began', async () => {
      await addActivation(target, 1, { to_version: 1, at: at(0) });
      await addActivation(target, 2, { to_version: 3, at: at(10) });
      await addActivation(target, 3, { to_version: 2, at: at(11) });
      const neighbor = await addAgent({}, 2);
      await addActivation(neighbor, 9, { to_version: 2, at: at(1) });
      expect(await read()).toEqual(live(3));
      expect(await read({ startedAt: START_MS + 9 })).toEqual(live(1));
      expect(await read({ startedAt: START_MS + 11 })).toEqual(live(2));
      expect(await read({ startedAt: START_MS - 1 })).toEqual(live(1));
      expect(await read({}, { version: 4 })).toEqual(live(4));
      expect(await read({}, { agent: 'nobody' })).toBeUndefined();
    });
  });
});

describe('a secret of a tool', () => {
  const value = Buffer.from('sealed');
  const put = (agentId: string, over: object = {}): Promise<void> =>
    putToolSecret(stored.pool, {
      agentId,
      name: 'shop',
      key: 'token',
      value,
      isNamed: true,
      ...over,
    });
  const namesOf = async (agentId: string): Promise<string[]> =>
    (await listToolSecrets(stored.pool, agentId)).map(({ name, key }) => `${name}/${key}`);
  const namedAt = async (): Promise<unknown[]> =>
    (await stored.read('tool_secrets', 'name, key')).map((row) => row['named_at']);

  test('is kept with an agent that is there, and remembers when it was named', async () => {
    const id = await addAgent();
    await addAgent();
    const gone = await addAgent(GONE);
    await put(id);
    await put(gone);
    await put(OTHER);
    expect(await stored.read('tool_secrets', 'agent_id')).toMatchObject([{ agent_id: id }]);
    await stored.pool.query('update tool_secrets set named_at = $1', [at(0)]);
    await put(id, { isNamed: false, value: null });
    expect(await namedAt()).toEqual([START_MS]);
    expect(await listToolSecrets(stored.pool, id)).toEqual([
      { name: 'shop', key: 'token', value: null },
    ]);
    await put(id);
    expect(await namedAt()).not.toEqual([START_MS]);
  });

  test('is read by the agent, the namespace, and both of its names', async () => {
    const [id, neighbor] = [await addAgent(), await addAgent()];
    await put(id);
    await put(id, { name: 'bank' });
    await put(id, { key: 'other' });
    await put(neighbor, { value: Buffer.from('foreign') });
    const refs = [{ name: 'shop', key: 'token' }];
    const read = (over: object = {}) =>
      readToolSecrets(stored.pool, { namespace: 'default', agentId: id, refs, ...over });
    expect(await read()).toEqual([{ name: 'shop', key: 'token', value }]);
    expect(await read({ namespace: 'other' })).toEqual([]);
    expect(await read({ agentId: OTHER })).toEqual([]);
    await stored.pool.query('update agents set deleted_at = now() where id = $1', [id]);
    expect(await read()).toEqual([]);
    expect(await namesOf(neighbor)).toEqual(['shop/token']);
  });

  test('is deleted when others were named later, or its agent is gone', async () => {
    const [id, neighbor] = [await addAgent(), await addAgent()];
    await put(id, { name: 'old' });
    await stored.pool.query('update tool_secrets set named_at = $1', [at(0)]);
    await stored.pool.query(
      `insert into tool_secrets (agent_id, namespace, name, key)
       select $1, 'default', 'new', n::text from generate_series(2, $2::int) n`,
      [id, TOOL_SECRETS_MAX],
    );
    // Named later than those, by another agent.
    await put(neighbor, { name: 'x' });
    await put(neighbor, { name: 'y' });
    await deleteOldToolSecrets(stored.pool, id);
    expect(await namesOf(id)).toHaveLength(TOOL_SECRETS_MAX);
    await put(id, { name: 'newest' });
    await deleteOldToolSecrets(stored.pool, id);
    const left = await namesOf(id);
    expect(left).toHaveLength(TOOL_SECRETS_MAX);
    expect(left).not.toContain('old/token');
    expect(await namesOf(neighbor)).toEqual(['x/token', 'y/token']);
    await deleteToolSecrets(stored.pool, id);
    expect(await namesOf(id)).toEqual([]);
    expect(await namesOf(neighbor)).toHaveLength(2);
  });
});
