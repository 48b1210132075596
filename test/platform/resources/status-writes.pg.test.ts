import { afterAll, beforeAll, expect, test } from 'vitest';
import { createResourceWatches } from '../../../src/platform/resources/resource-watches.sql.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { startEngine, type Engine } from '../../roles/engine.ts';
import { until } from '../../until.ts';

/** What a watch hears of the statuses that its own process writes, in each order of the writes. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine?.stop());

async function read(name: string): Promise<Resource> {
  return (await engine.store.get('Agent', { namespace: 'default', name }))!;
}
const versionOf = async (name: string): Promise<number> =>
  Number((await read(name)).metadata.resourceVersion);
const declare = (name: string, prompt: string) => engine.declareAgent(name, { prompt });

test.each([
  ['statuses', ['status', 'status'], false],
  ['a declaration before a status', ['declare', 'status'], true],
  ['a declaration after a status', ['status', 'declare'], true],
  ['a declaration between statuses', ['status', 'declare', 'status'], true],
] as const)('of %s between two looks', async (name, writes, isHeard) => {
  const agent = name.replaceAll(' ', '-');
  await declare(agent, 'p');
  const { metadata } = await read(agent);
  const heard: string[] = [];
  const watches = createResourceWatches(engine); // Nothing but `wake` makes it look.
  const synced = Promise.withResolvers<void>();
  const onChange = ({ key }: { key: { name: string } }): void => void heard.push(key.name);
  const watch = watches.add({ kind: 'Agent', onChange, onSynced: synced.resolve });
  await synced.promise;
  heard.length = 0;
  for (const [n, write] of writes.entries()) {
    const from = await versionOf(agent);
    if (write === 'declare') await declare(agent, `p${n}`);
    else {
      await engine.store.patchStatus('Agent', metadata, { agentId: `${n}` });
      watches.noteStatus({ kind: 'Agent', key: metadata, from, to: await versionOf(agent) });
    }
  }
  watches.wake();
  await watch.stop(); // Waits for the look.
  expect(heard).toEqual(isHeard ? [agent] : []);
});

test('a declaration that commits while a status waits for it is heard', async () => {
  await declare('one', 'p');
  const { metadata } = await read('one');
  const generations: number[] = [];
  const synced = Promise.withResolvers<void>();
  const watch = engine.store.watch('Agent', {
    onChange: ({ key }) =>
      void read(key.name).then((found) => generations.push(found.metadata.generation)),
    onSynced: synced.resolve,
  });
  await synced.promise;
  const other = await engine.pool.connect();
  try {
    await other.query('begin');
    await other.query(
      `with raised as (update resource_version set value = value + 1 returning value)
       update resources set generation = 7, resource_version = value from raised where name = 'one'`,
    );
    const reporting = engine.store.patchStatus('Agent', metadata, { agentId: 'x' });
    await until('the status waits', async () => {
      const { rowCount } = await engine.pool.query(
        `select from pg_stat_activity
          where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
      );
      return rowCount === 1;
    });
    await other.query('commit');
    await reporting;
  } finally {
    other.release();
  }
  expect((await read('one')).status).toEqual({ agentId: 'x' });
  await until('the declaration is heard', () => generations.includes(7), { timeoutMs: 5_000 });
  await watch.stop();
});
