import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { startEngine, type Engine } from '../../roles/engine.ts';
import { createKubeClient, type KubeClient } from '../../../src/platform/kubernetes/client.ts';
import { startFaultProxy, type FaultProxy } from '../fault-proxy.ts';
import { borrowKube, type Kube } from '../kubernetes/kube.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { describeEachStore } from '../../roles/each-store.ts';

const WRITERS = IS_NIGHTLY ? 200 : 50;

describeEachStore((storeName) => {
  let engine: Engine;
  /** Between the stores and the API server. */
  let network: FaultProxy | undefined;
  let client: KubeClient | undefined;
  const watches: { stop: () => Promise<void> }[] = [];
  beforeEach(async () => {
    engine = await startEngine(storeName, borrowThroughNetwork);
  });
  afterEach(async () => {
    for (const watch of watches.splice(0)) await watch.stop();
    await engine.stop();
  });

  async function borrowThroughNetwork(): Promise<Kube> {
    const kube = await borrowKube();
    network = await startFaultProxy(kube.url);
    const server = network.through(kube.url);
    client = createKubeClient({ credentials: { ...kube.credentials, server } });
    return {
      ...kube,
      client,
      stop: async () => {
        await client?.close();
        await network?.stop();
        network = undefined;
        await kube.stop();
      },
    };
  }

  /**
   * Starts a watcher like the operator: after a report of a name, it reads the object again. `known` holds the last
   * version of each name, which must match the store in the end.
   */
  function startWatcher(kind = 'ConfigMap') {
    const known = new Map<string, string | undefined>();
    const heard: string[] = [];
    const synced = Promise.withResolvers<void>();
    let reading = Promise.resolve();
    const waiting = new Set<() => void>();
    const watch = engine.store.watch(kind, {
      onChange: ({ key }) => {
        if (key.namespace !== 'default') return; // An API server has its own ConfigMaps in other namespaces.
        heard.push(key.name);
        reading = reading.then(async () => {
          const found = await engine.store.get(kind, key).catch(() => engine.store.get(kind, key));
          known.set(key.name, found?.metadata.resourceVersion);
          for (const look of waiting) look();
        });
      },
      onSynced: synced.resolve,
    });
    // Pending reads finish while the store still exists.
    watches.push({ stop: () => watch.stop().then(() => reading) });
    const until = (condition: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    return { known, heard, synced: synced.promise, until };
  }

  async function declare(name: string, text: string): Promise<void> {
    await engine.store.apply(
      { kind: 'ConfigMap', namespace: 'default', name, spec: { data: { text } } },
      { fieldManager: 'kubectl' },
    );
  }

  async function present(): Promise<Map<string, string>> {
    const all = await engine.store.list('ConfigMap', 'default');
    return new Map(all.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  }

  const knows = (watcher: ReturnType<typeof startWatcher>, there: Map<string, string>): boolean =>
    [...there].every(([name, version]) => watcher.known.get(name) === version);

  test('a watcher hears first of what is there, then of each change and deletion, of its kind alone', async () => {
    await declare('a', '1');
    await declare('gone', '1');
    await engine.store.delete('ConfigMap', { namespace: 'default', name: 'gone' });
    const watcher = startWatcher();
    await watcher.synced;
    expect(watcher.heard).toEqual(['a']);
    await engine.declareAgent('other', { prompt: 'p' });
    await declare('b', '1');
    await watcher.until(() => watcher.known.has('b'));
    await engine.store.delete('ConfigMap', { namespace: 'default', name: 'a' });
    await watcher.until(() => watcher.known.has('a') && watcher.known.get('a') === undefined);
    expect(watcher.heard.filter((name) => name !== 'gone')).toEqual(['a', 'b', 'a']);
  });

  test('a watch that begins later hears first of what is there, and others hear nothing twice', async () => {
    await declare('a', '1');
    const early = startWatcher();
    await early.synced;
    await engine.declareAgent('agent', { prompt: 'p' });
    const [late, agents] = [startWatcher(), startWatcher('Agent')];
    await Promise.all([late.synced, agents.synced]);
    expect(late.heard).toEqual(['a']);
    expect(agents.heard).toEqual(['agent']);
    await declare('b', '1');
    await Promise.all([early, late].map((watcher) => watcher.until(() => watcher.known.has('b'))));
    expect(early.heard).toEqual(['a', 'b']);
    expect(late.heard).toEqual(['a', 'b']);
    expect(agents.heard).toEqual(['agent']);
  });

  test('a watch that was stopped hears no more, and the others still do', async () => {
    const [stopped, going] = [startWatcher(), startWatcher()];
    await Promise.all([stopped.synced, going.synced]);
    await watches[0]!.stop();
    await declare('a', '1');
    await going.until(() => going.known.has('a'));
    expect(stopped.heard).toEqual([]);
  });

  test(`no change is lost and none seen too early under ${WRITERS} concurrent writers`, async () => {
    const watchers = [startWatcher(), startWatcher()];
    const write = async (n: number): Promise<void> => {
      const name = `m${n % 40}`;
      await declare(name, String(n));
      if (n % 7 === 0) await engine.store.delete('ConfigMap', { namespace: 'default', name });
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, n) => write(n)));
    const there = await present();
    expect(there.size).toBeGreaterThan(10);
    for (const watcher of watchers) {
      await watcher.until(() => knows(watcher, there) && watcher.known.size === 40);
      const gone = [...watcher.known].filter(([name]) => !there.has(name));
      await watcher.until(() => gone.every(([name]) => watcher.known.get(name) === undefined));
    }
  });

  test(`of ${WRITERS} concurrent applies of one object each counts, and the last one stays`, async () => {
    const results = await Promise.all(
      Array.from({ length: WRITERS }, (_, n) =>
        engine.store.apply(
          { kind: 'Agent', namespace: 'default', name: 'one', spec: { prompt: `prompt ${n}` } },
          { fieldManager: 'kubectl' },
        ),
      ),
    );
    const versions = results.map(({ metadata }) => Number(metadata.resourceVersion));
    expect(new Set(versions).size).toBe(WRITERS);
    const last = await engine.store.get('Agent', { namespace: 'default', name: 'one' });
    expect(last?.metadata).toMatchObject({
      generation: WRITERS,
      resourceVersion: String(Math.max(...versions)),
    });
  });

  const key = { namespace: 'default', name: 'one' };
  const apply = (n: number) =>
    engine.store.apply(
      { kind: 'Agent', ...key, spec: { prompt: `prompt ${n}` } },
      { fieldManager: 'kubectl' },
    );

  test.runIf(storeName === 'postgres')(
    'a status written during applies keeps each of them, and the last status stays',
    async () => {
      const { metadata } = await apply(0);
      const report = async (n: number): Promise<void> =>
        engine.store.patchStatus('Agent', metadata, { agentId: String(n) });
      const applied: Promise<Resource>[] = [];
      for (let n = 1; n <= 20; n += 1) {
        applied.push(apply(n));
        await report(n);
      }
      const versions = (await Promise.all(applied)).map(
        ({ metadata: { generation } }) => generation,
      );
      expect(Math.max(...versions)).toBe(21);
      const last = await engine.store.get('Agent', key);
      expect(last).toMatchObject({ metadata: { generation: 21 }, status: { agentId: '20' } });
    },
  );

  test.runIf(storeName === 'postgres')(
    'a watch hears nothing of a status alone, and of each declaration beside one',
    async () => {
      const watcher = startWatcher('Agent');
      await watcher.synced;
      const { metadata } = await apply(0);
      await watcher.until(() => watcher.known.has('one'));
      const report = (n: number): Promise<void> =>
        engine.store.patchStatus('Agent', metadata, { agentId: String(n) });
      const rounds = Array.from({ length: 10 }, (_, n) => n);
      for (const n of rounds) {
        await report(-n);
        await engine.declareAgent(`other-${n}`, { prompt: 'p' });
        await watcher.until(() => watcher.known.has(`other-${n}`));
      }
      // A watch may look before the process knows that the write was its own, but it does not do so often.
      expect(watcher.heard.filter((name) => name === 'one').length).toBeLessThan(rounds.length / 2);
      for (let n = 1; n <= 20; n += 1) {
        // The last write may be the declaration or the status.
        const [{ metadata: declared }] = await Promise.all([apply(n), report(n)]);
        await watcher.until(
          () => Number(watcher.known.get('one')) >= Number(declared.resourceVersion),
        );
      }
    },
  );

  test('a watch survives that the server cuts every connection, again and again', async () => {
    const watcher = startWatcher();
    await watcher.synced;
    const rounds = [1, 2, 3];
    for (const n of rounds) {
      await cutAll();
      await engine.eventually(() =>
        declare(`m${n}`, 'x').then(
          () => true,
          () => undefined,
        ),
      );
      // The pool may return another connection that the server has cut.
      const there = await engine.eventually(() => present().catch(() => undefined));
      await watcher.until(() => knows(watcher, there));
    }
    expect([...watcher.known.keys()].sort()).toEqual(rounds.map((n) => `m${n}`));
  });

  async function cutAll(): Promise<void> {
    network?.cut();
    // Excludes the connection of this statement. The pool and the listener open new ones.
    await engine.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }
});
