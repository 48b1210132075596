import { describe, expect, test } from 'vitest';
import { deleteAgent } from '../../src/agents/agents.sql.ts';
import { readHandoffTarget } from '../../src/agents/tools/handoffs.sql.ts';
import { recordHandoffs } from '../../src/agents/tools/record-handoffs.ts';
import { contentOf } from '../../src/calls/phone/connect.ts';
import { createStoredAgents, promptOf, START_MS } from '../agents/stored-agents.ts';
import { useRows } from '../platform/postgres/rows.ts';
import { addRecall } from './stored-recalls.ts';

/** Calls and handoffs that would lead to a recalled version get the live one. */

const stored = useRows('agents');
const { addAgent, addActivation, addVersion } = createStoredAgents(stored);

describe('a handoff', () => {
  const target = async (id: string, tool: object = {}) => {
    const found = await readHandoffTarget(stored.pool, {
      namespace: 'default',
      agentId: id,
      agentVersion: 1,
      startedAt: START_MS,
      tool: { name: 'go', agent: 'sales', ...tool },
    });
    return found && [found.agentVersion, found.content];
  };

  test('whose recorded version was recalled leads to the live one', async () => {
    const id = await addAgent({}, 1);
    const sales = await addAgent({ name: 'sales', active_version: 3 }, 3);
    const other = await addAgent({ name: 'other' }, 3);
    const handoffs = [{ tool: 'go', agent: 'sales', agentId: sales, version: 2 }];
    await addActivation(id, 1, { to_version: 1, handoffs: JSON.stringify(handoffs) });
    await addRecall(stored, other, [2]);
    await addRecall(stored, sales, [1]);
    expect(await target(id)).toEqual([2, promptOf(sales, 2)]);
    await addRecall(stored, sales, [2]);
    expect(await target(id)).toEqual([3, promptOf(sales, 3)]);
  });

  test('of a test that names a recalled version leads to the live one, and fails without one', async () => {
    const id = await addAgent({}, 1);
    const sales = await addAgent({ name: 'sales' }, 3);
    await addRecall(stored, sales, [2]);
    expect(await target(id, { version: 2 })).toEqual([null, null]);
    await stored.pool.query('update agents set active_version = 3 where id = $1', [sales]);
    expect(await target(id, { version: 2 })).toEqual([3, promptOf(sales, 3)]);
  });

  test('is recorded with the live version of its target', async () => {
    const id = await addAgent({ name: 'front' });
    const tool = { type: 'handoff', name: 'go', agent: 'sales' };
    await addVersion(id, 1, { content: { prompt: 'p', tools: [{ ...tool, version: 2 }] } });
    await addVersion(id, 2, { content: { prompt: 'p', tools: [tool] } });
    const sales = await addAgent({ name: 'sales', active_version: 3 }, 3);
    const handoffs = [{ tool: 'go', agent: 'sales', agentId: sales, version: 2 }];
    await addActivation(id, 1, { to_version: 2, handoffs: JSON.stringify(handoffs) });
    const recorded = async (version: number, isBack: boolean) => {
      const agent = { id, namespace: 'default' };
      return (await recordHandoffs(stored.pool, { agent, version, isBack }))?.[0]?.version;
    };
    expect([await recorded(1, false), await recorded(2, true)]).toEqual([2, 2]);
    await addRecall(stored, sales, [2]);
    expect([await recorded(1, false), await recorded(2, true)]).toEqual([3, 3]);
  });
});

describe('a call', () => {
  test('that was placed before the recall gets the live one', async () => {
    const agentId = await addAgent({ active_version: 3 }, 3);
    const content = () => contentOf(stored, { namespace: 'default' }, { agentId, agentVersion: 2 });
    expect(await content()).toEqual(promptOf(agentId, 2));
    await addRecall(stored, agentId, [2]);
    expect(await content()).toEqual(promptOf(agentId, 3));
  });
});

test('the recalls of an agent are deleted with it, and others stay', async () => {
  const [agent, other] = [await addAgent({}, 1), await addAgent({}, 1)];
  await addRecall(stored, agent, [1]);
  const kept = await addRecall(stored, other, [1]);
  await deleteAgent(stored.pool, agent);
  expect((await stored.read('agent_recalls')).map(({ id }) => id)).toEqual([kept]);
});
