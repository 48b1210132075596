import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MERGE_PATCH } from '../../../src/platform/kubernetes/client.ts';
import { objectPath } from '../../../src/platform/kubernetes/resource-paths.ts';
import { createPostgresResourceStore } from '../../../src/platform/resources/resources.sql.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { activations, agentRow, conditionsOf, countVersions, events } from '../../agents/agents.ts';
import { startEngine, type Engine } from '../engine.ts';
import { addDefault, removeDefault } from './crd-default.ts';
import { countReconciles } from '../reconciles.ts';
import { describeEachStore } from '../each-store.ts';
import type { Kube } from '../../platform/kubernetes/kube.ts';

describeEachStore((storeName) => {
  let engine: Engine;
  let operator: { stop: () => Promise<void> };
  beforeEach(async () => {
    engine = await startEngine(storeName);
    operator = await engine.startOperator();
  });
  afterEach(() => engine.stop());

  const ID = 'parley.dev/id';
  const read = async (name = 'support', kind = 'Agent'): Promise<Resource> =>
    (await engine.store.get(kind, { namespace: 'default', name }))!;
  const declare = async (spec: Record<string, unknown>, name = 'support'): Promise<Resource> => {
    await engine.declareAgent(name, spec);
    return engine.settled('Agent', name);
  };
  const declareWithId = (name: string, id: string) =>
    engine.store.apply(
      {
        kind: 'Agent',
        namespace: 'default',
        name,
        spec: { prompt: 'p' },
        annotations: { [ID]: id },
      },
      { fieldManager: 'kubectl' },
    );
  /** Returns the resource versions of all declarations. Every write changes one. */
  const resourceVersions = async (): Promise<string[]> => {
    const kinds = ['Agent', 'WebhookEndpoint', 'Secret'];
    const all = await Promise.all(kinds.map((kind) => engine.store.list(kind)));
    return all.flat().map(({ kind, metadata }) => `${kind} ${metadata.resourceVersion}`);
  };
  const reconciles = (controller: string): Promise<number> => countReconciles(engine, controller);

  describe('the status', () => {
    test('says what is live, and since when: that moves only when the answer does', async () => {
      const first = await declare({ prompt: 'one' });
      expect(first.status).toMatchObject({
        observedGeneration: 1,
        activeVersion: 1,
        latestVersion: 1,
        agentId: first.metadata.annotations[ID],
        history: [{ version: 1, action: 'published', actor: 'kubernetes:kubectl' }],
      });
      // An old time makes a new transition visible.
      const old = '2020-01-01T00:00:00Z';
      await operator.stop();
      const conditions = Object.values(conditionsOf(first)).map((one) => ({
        ...one,
        lastTransitionTime: old,
      }));
      await engine.store.patchStatus('Agent', first.metadata, { ...first.status, conditions });
      await engine.startOperator();
      const second = conditionsOf(await declare({ prompt: 'two' }));
      expect(second['Ready']).toMatchObject({
        lastTransitionTime: old,
        message: 'version 2 is live',
      });
      const third = conditionsOf(await declare({ prompt: 'two', suspend: true }));
      expect(third['Ready']).toMatchObject({ status: 'False', reason: 'Suspended' });
      expect(third['Ready']?.lastTransitionTime).not.toBe(old);
      expect(third['Ready']?.observedGeneration).toBe(3);
    });

    test('keeps the last rollback although the history shown is short', async () => {
      for (const prompt of ['one', 'two', 'one', 'two'])
        await declare({ prompt, revisionHistoryLimit: 1 });
      const { status } = await read();
      expect(status['history']).toMatchObject([{ version: 2, action: 'published' }]);
      expect(status['lastRollback']).toMatchObject({ fromVersion: 2, toVersion: 1 });
      expect(status).toHaveProperty('lastPublishedTime');
    });

    test('is not written when nothing changed, however often all is looked at again', async () => {
      await declare({ prompt: 'one' });
      await declare(
        { prompt: 'p', tools: [{ type: 'webhook', name: 't', url: 'http://10.0.0.1/' }] },
        'refused',
      );
      await declare({ prompt: 'p', pinnedVersion: 9 }, 'unknown-pin');
      await declare({ prompt: 'p', suspend: true }, 'suspended');
      await engine.declareEndpoint('all', { url: 'http://127.0.0.1:9/' });
      await engine.settled('WebhookEndpoint', 'all');
      await operator.stop();
      const before = await resourceVersions();
      for (const round of [1, 2, 3]) {
        const [agents, endpoints] = [
          await reconciles('agent'),
          await reconciles('webhookendpoint'),
        ];
        const again = await engine.startOperator();
        await engine.eventually(
          async () =>
            (await reconciles('agent')) >= agents + 4 &&
            (await reconciles('webhookendpoint')) > endpoints,
          () => `round ${round}`,
        );
        await again.stop();
      }
      expect(await resourceVersions()).toEqual(before);
      expect(before).toHaveLength(6);
    });
  });

  describe('the identity', () => {
    test.each([
      ['malformed', 'agt_nonsense'],
      ['of another kind', 'we_01jd0000000000000000000000'],
    ])('%s in the annotation is refused', async (_, id) => {
      await declareWithId('odd', id);
      const { Accepted, Ready } = conditionsOf(await engine.settled('Agent', 'odd'));
      expect(Accepted).toMatchObject({
        status: 'False',
        reason: 'InvalidId',
        message: expect.stringContaining(id),
      });
      expect(Ready).toMatchObject({ status: 'False' });
      expect(await agentRow(engine, 'odd')).toBeUndefined();
    });

    test('of an agent elsewhere is refused, and that one is left alone', async () => {
      await engine.makeNamespace('other');
      await engine.store.apply(
        { kind: 'Agent', namespace: 'other', name: 'theirs', spec: { prompt: 'p' } },
        { fieldManager: 'kubectl' },
      );
      const theirs = await engine.settled('Agent', 'theirs', 'other');
      await declareWithId('mine', theirs.metadata.annotations[ID]!);
      const { Accepted } = conditionsOf(await engine.settled('Agent', 'mine'));
      expect(Accepted).toMatchObject({
        status: 'False',
        message: expect.stringContaining('another namespace'),
      });
      expect(await engine.pool.query('select namespace, name from agents')).toMatchObject({
        rows: [{ namespace: 'other', name: 'theirs' }],
      });
    });

    test('copied along with a manifest is refused; the first keeps it, and free it may be taken', async () => {
      const id = (await declare({ prompt: 'one' })).metadata.annotations[ID]!;
      await declareWithId('copy', id);
      const { Accepted } = conditionsOf(await engine.settled('Agent', 'copy'));
      expect(Accepted).toMatchObject({
        status: 'False',
        message: expect.stringContaining('belongs to support'),
      });
      expect(await agentRow(engine, 'support')).toMatchObject({ activeVersion: 1 });
      // The first object that is reconciled after the ID becomes free gets the ID. That must not be the copy.
      await engine.store.delete('Agent', { namespace: 'default', name: 'copy' });
      await engine.store.delete('Agent', { namespace: 'default', name: 'support' });
      await engine.eventually(async () => (await agentRow(engine, 'support')) === undefined);
      await declareWithId('renamed', id);
      expect((await engine.settled('Agent', 'renamed')).status).toMatchObject({
        agentId: id,
        latestVersion: 2,
      });
    });

    test('does not change: another one is refused, none at all is put back', async () => {
      const { metadata } = await declare({ prompt: 'one' });
      const id = metadata.annotations[ID]!;
      await overwriteId('agt_01jd0000000000000000000000');
      const stalled = await engine.eventually(async () => {
        const found = await read();
        return conditionsOf(found)['Accepted']?.status === 'False' && found;
      });
      expect(conditionsOf(stalled)['Accepted']?.message).toContain(
        `cannot change from ${id} (see status) to`,
      );
      expect(stalled.status['agentId']).toBe(id);
      await overwriteId(null);
      await engine.eventually(async () => (await read()).metadata.annotations[ID] === id);
      await declare({ prompt: 'two' });
      await engine.eventually(async () => (await agentRow(engine, 'support'))?.latestVersion === 2);
      expect(await events(engine)).toHaveLength(2);
    });

    /** Overwrites the ID, as with `kubectl annotate --overwrite`. Without a cluster, a manifest overwrites it. */
    async function overwriteId(id: string | null): Promise<void> {
      await engine.cluster?.client.request({
        method: 'PATCH',
        path: objectPath('Agent', { namespace: 'default', name: 'support' }),
        contentType: MERGE_PATCH,
        query: { fieldManager: 'kubectl-annotate' },
        body: { metadata: { annotations: { [ID]: id } } },
      });
      if (engine.cluster) return;
      if (id === null) await engine.declareAgent('support', { prompt: 'one' });
      else await declareWithId('support', id);
    }
  });

  describe('history goes on', () => {
    test('when the same manifests come to an emptied store: same ids, no version, no event', async () => {
      for (const prompt of ['one', 'two', 'one']) await declare({ prompt });
      await declare({ prompt: 'x', pinnedVersion: 1 }, 'pinned');
      await declare({ prompt: 'y', pinnedVersion: 1 }, 'pinned');
      const before = { log: await activations(engine), ids: [(await read()).status['agentId']] };
      await operator.stop();
      await engine.emptyStore();
      await engine.declareAgent('support', { prompt: 'one' });
      await engine.declareAgent('pinned', { prompt: 'y', pinnedVersion: 1 });
      await engine.startOperator();
      const { status } = await engine.settled('Agent', 'support');
      await engine.settled('Agent', 'pinned');
      expect({ log: await activations(engine), ids: [status['agentId']] }).toEqual(before);
      expect(await events(engine)).toHaveLength(before.log.length);
      expect(status).toMatchObject({ activeVersion: 1, latestVersion: 2 });
      await declare({ prompt: 'three' });
      expect(await agentRow(engine, 'support')).toMatchObject({
        activeVersion: 3,
        latestVersion: 3,
      });
    });

    test('what was deleted while no operator ran is found gone', async () => {
      await declare({ prompt: 'one' });
      await operator.stop();
      await engine.emptyStore();
      await engine.startOperator();
      await engine.eventually(async () => (await agentRow(engine, 'support')) === undefined);
      expect(await countVersions(engine)).toBe(1);
    });

    test('through an upgrade whose CRD has a new default: no version and no event', async () => {
      await declare({ prompt: 'one', voice: { speed: 1 } });
      try {
        const declareUpgraded = await (engine.cluster
          ? upgradeCrd(engine.cluster)
          : upgradeTables());
        // The default alone may leave the generation unchanged. The display name changes it without being content.
        await declareUpgraded({ prompt: 'one', voice: { speed: 1 }, displayName: 'Support' });
        expect((await engine.settled('Agent', 'support')).metadata.generation).toBe(2);
        expect(await agentRow(engine, 'support')).toMatchObject({
          spec: { metadata: { tier: 'new' } },
        });
        expect([await countVersions(engine), (await events(engine)).length]).toEqual([1, 1]);
      } finally {
        if (engine.cluster) await removeDefault(engine.cluster);
      }
    });

    type Declare = (spec: Record<string, unknown>) => Promise<unknown>;

    async function upgradeTables(): Promise<Declare> {
      const { pool, databaseUrl, sealer, log, validate } = engine;
      const upgraded = createPostgresResourceStore({
        pool,
        databaseUrl,
        sealer,
        log,
        validate: (kind, declared, metadata) => {
          const verdict = validate(kind, declared, metadata);
          if ('errors' in verdict) return verdict;
          return { ...verdict, spec: { metadata: { tier: 'new' }, ...verdict.spec } };
        },
      });
      return async (spec) => {
        const applied = { kind: 'Agent', namespace: 'default', name: 'support', spec };
        await upgraded.apply(applied, { fieldManager: 'kubectl' });
        await upgraded.stop();
      };
    }

    async function upgradeCrd(kube: Kube): Promise<Declare> {
      await addDefault(kube);
      // The server activates the new schema a little later, and this is the only way to detect it.
      await engine.eventually(async () => (await read()).spec['metadata']);
      return (spec) => engine.declareAgent('support', spec);
    }
  });

  describe('what an agent refers to', () => {
    const CONFIG = { namespace: 'default', name: 'texts' };
    const write = (text: string) =>
      engine.store.apply(
        { kind: 'ConfigMap', ...CONFIG, spec: { data: { text } } },
        { fieldManager: 'kubectl' },
      );
    const promptFrom = { configMapKeyRef: { name: 'texts', key: 'text' } };
    beforeEach(() => operator.stop());

    test('is known before anything is reconciled, however late it is heard of', async () => {
      await write('one');
      await engine.declareAgent('support', { promptFrom });
      const order: string[] = [];
      const late = Promise.withResolvers<void>();
      const inner = engine.newStore();
      const again = await engine.startOperator({
        store: {
          ...inner,
          get: (kind, key) => {
            order.push(`read ${kind}`);
            return inner.get(kind, key);
          },
          watch: (kind, { onChange, onSynced }) =>
            inner.watch(kind, {
              onChange,
              onSynced: () => {
                void (kind === 'ConfigMap' ? late.promise : Promise.resolve()).then(() => {
                  order.push(`know ${kind}`);
                  onSynced();
                });
              },
            }),
        },
      });
      const all =
        'Agent ConfigMap KnowledgeSource ModelProvider Secret TelephonyProvider WebhookEndpoint';
      const kinds = all.split(' ');
      await engine.eventually(
        async () => order.length === kinds.length - 1,
        () => order,
      );
      // An operator that does not wait would begin long before these writes are done.
      for (let n = 0; n < 30; n += 1) await write(`draft ${n}`);
      await write('two');
      late.resolve();
      expect((await engine.settled('Agent', 'support')).status['activeVersion']).toBe(1);
      expect(order.slice(0, kinds.length).sort()).toEqual(kinds.map((kind) => `know ${kind}`));
      await again.stop();
    });

    test('may change in the midst of a reconcile: that is not lost', async () => {
      await write('one');
      await engine.declareAgent('support', { promptFrom });
      const inner = engine.newStore();
      let heard: (() => void) | undefined;
      const again = await engine.startOperator({
        store: {
          ...inner,
          get: async (kind, key) => {
            const found = await inner.get(kind, key);
            if (kind !== 'ConfigMap' || heard) return found;
            const known = new Promise<void>((resolve) => (heard = resolve));
            await write('two');
            await known; // The operator now knows about the change, but the object was read before the change.
            return found;
          },
          watch: (kind, handlers) =>
            inner.watch(kind, {
              ...handlers,
              onChange: (change) => {
                handlers.onChange(change);
                if (kind === 'ConfigMap') heard?.();
              },
            }),
        },
      });
      await engine.eventually(async () => (await agentRow(engine, 'support'))?.activeVersion === 2);
      expect(await activations(engine)).toHaveLength(2);
      await again.stop();
    });
  });

  test.each([
    { deletionPolicy: 'Retain', kept: 2 },
    { deletionPolicy: 'Delete', kept: 0 },
  ])(
    'with deletionPolicy $deletionPolicy a removed agent leaves $kept versions',
    async (policy) => {
      const { deletionPolicy, kept } = policy;
      await declare({ prompt: 'one', deletionPolicy });
      const { metadata } = await declare({ prompt: 'two', deletionPolicy });
      await engine.store.delete('Agent', metadata);
      await engine.eventually(async () => {
        const { rowCount } = await engine.pool.query(
          'select 1 from agents where deleted_at is null',
        );
        return rowCount === 0;
      });
      const { rowCount: versions } = await engine.pool.query('select 1 from agent_versions');
      expect(versions).toBe(kept);
      const { rowCount: known } = await engine.pool.query('select 1 from events');
      expect(known).toBe(2);
    },
  );
});
