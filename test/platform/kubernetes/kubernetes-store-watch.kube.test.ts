import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import type { KubeClient } from '../../../src/platform/kubernetes/client.ts';
import { objectPath } from '../../../src/platform/kubernetes/resource-paths.ts';
import { createKubernetesResourceStore } from '../../../src/platform/kubernetes/resource-store.ts';
import type { ResourceStore } from '../../../src/platform/resources/resource-store.ts';
import {
  agent,
  createDeclarer,
  holding,
  KEY,
  noting,
  recording,
  watchReports,
  type Watching,
} from './kubernetes-store-setup.ts';
import { borrowKube, type Kube } from './kube.ts';
import { findKubeBinaries } from './kube-binaries.ts';

/** What the store receives from a real API server, and what it writes based on that. */

const binaries = await findKubeBinaries();
const log = pino({ level: 'silent' });
const SECRET_TEXT = 'the-plain-text-of-it';
const tool = (name: string, url: string) => ({ type: 'webhook', name, url });
const TOOLS = [tool('a', 'https://a.example/'), tool('b', 'https://b.example/')];

(binaries ? describe : describe.skip)('the watched store on a Kubernetes API', () => {
  let kube: Kube;
  let store: ResourceStore;
  const watches: { stop: () => Promise<void> }[] = [];
  beforeAll(async () => {
    kube = await borrowKube();
    store = newStore();
  }, 120_000);
  afterAll(async () => kube?.stop());
  afterEach(async () => {
    for (const watch of watches.splice(0)) await watch.stop();
    await kube.deleteAll();
  });

  const newStore = (options: { client?: KubeClient; namespaces?: string[] } = {}) =>
    createKubernetesResourceStore({ client: kube.client, log, ...options });
  const { applyAs, read, edit } = createDeclarer(() => ({ store, client: kube.client }));

  const watch = async (watched: ResourceStore, kind = 'Agent'): Promise<Watching> => {
    const watching = await watchReports(watched, kind);
    watches.push(watching);
    return watching;
  };

  describe('Secrets and ConfigMaps', () => {
    const declare = (kind: string, text: string) =>
      store.apply({ kind, ...KEY, spec: { data: { text } } }, { fieldManager: 'kubectl' });

    test('are on the wire what kubectl would make of them, in any script', async () => {
      const text = 'grün 😀 \u0000 客服\n';
      await declare('Secret', text);
      await declare('ConfigMap', 'grün 😀');
      const raw = (await kube.request('GET', objectPath('Secret', KEY))).json();
      expect(raw).toMatchObject({
        type: 'Opaque',
        data: { text: Buffer.from(text).toString('base64') },
      });
      for (const [kind, value] of [
        ['Secret', text],
        ['ConfigMap', 'grün 😀'],
      ] as const) {
        expect(await store.get(kind, KEY)).toMatchObject({
          spec: { data: { text: value } },
          owners: { data: ['kubectl'] },
        });
      }
    });

    test.each(['Secret', 'ConfigMap'])(
      '%ss are heard of, but never read by a watch',
      async (kind) => {
        await declare(kind, SECRET_TEXT);
        const wire: unknown[] = [];
        const watched = newStore({ client: recording(kube.client, wire) });
        const { until, reported } = await watch(watched, kind);
        await declare(kind, `${SECRET_TEXT} 2`);
        await until('default/a');
        await store.delete(kind, KEY);
        await declare(kind, `${SECRET_TEXT} 3`);
        await store.apply({ kind, ...KEY, name: 'last', spec: {} }, { fieldManager: 'kubectl' });
        await until('default/last');
        expect(reported).toContain('default/a');
        const heard = JSON.stringify(wire);
        expect(heard).toContain('"name":"a"');
        expect(heard).not.toContain(SECRET_TEXT);
        expect(heard).not.toContain(Buffer.from(SECRET_TEXT).toString('base64').slice(0, 20));
        // A reconciler gets the whole object that it requests.
        const { spec } = (await watched.get(kind, KEY))!;
        expect(spec).toEqual({ data: { text: `${SECRET_TEXT} 3` } });
      },
    );
  });

  describe('the operator’s writes', () => {
    const STATUS = { observedGeneration: 1, agentId: 'agt_1' };

    test('an equal status asks for nothing and moves nothing', async () => {
      await applyAs('flux');
      const calls: string[] = [];
      const watched = newStore({ client: kube.newClient({ countRequest: (m) => calls.push(m) }) });
      await watch(watched);
      const { metadata } = (await watched.get('Agent', KEY))!;
      await watched.patchStatus('Agent', metadata, STATUS);
      const before = await read();
      expect(before.status).toEqual(STATUS);
      expect(before.metadata.resourceVersion).not.toBe(metadata.resourceVersion);
      calls.length = 0;
      await watched.patchStatus('Agent', metadata, { ...STATUS });
      expect(calls).toEqual([]);
      expect(await read()).toEqual(before);
    });

    test('out of a cache of the past are refused, and succeed once it is of today', async () => {
      await applyAs('flux');
      const held = Promise.withResolvers<void>();
      const stale = newStore({ client: holding(kube.client, held.promise) });
      const { until } = await watch(stale);
      await applyAs('flux', { prompt: 'two' });
      const { metadata } = (await stale.get('Agent', KEY))!;
      expect(metadata.generation).toBe(1);
      const write = [
        () => stale.patchStatus('Agent', metadata, STATUS),
        () => stale.annotate('Agent', KEY, { 'parley.dev/id': 'agt_1' }),
      ];
      for (const one of write)
        await expect(one()).rejects.toMatchObject({ name: 'WriteConflictError' });
      expect(await read()).toMatchObject({
        status: { observedGeneration: -1 },
        metadata: { annotations: {} },
      });
      await applyAs('flux', { prompt: 'three' });
      await store.apply(agent({ name: 'last' }), { fieldManager: 'flux' });
      held.resolve();
      await until('default/last');
      for (const one of write) await one();
      expect(await read()).toMatchObject({
        status: STATUS,
        metadata: { annotations: { 'parley.dev/id': 'agt_1' } },
      });
    });

    test('are read at once by whoever wrote them, before any watch reports', async () => {
      await applyAs('flux');
      const held = Promise.withResolvers<void>();
      const watched = newStore({ client: holding(kube.client, held.promise) });
      await watch(watched);
      const { metadata } = (await watched.get('Agent', KEY))!;
      await watched.annotate('Agent', KEY, { 'parley.dev/id': 'agt_1' });
      await watched.patchStatus('Agent', metadata, STATUS);
      expect(await watched.get('Agent', KEY)).toEqual(await read());
      held.resolve();
    });

    test('do not come into being on an object that is gone', async () => {
      const { metadata } = await applyAs('flux');
      await store.delete('Agent', KEY);
      await store.patchStatus('Agent', metadata, STATUS);
      await store.annotate('Agent', KEY, { a: 'b' });
      expect(await store.list('Agent')).toEqual([]);
    });
  });

  describe('a watch', () => {
    test('reports all that may matter, and no status', async () => {
      await applyAs('flux');
      const { reported, until } = await watch(newStore());
      expect(reported.splice(0)).toEqual(['default/a']);
      const changes: [string, () => Promise<unknown>][] = [
        ['a spec', () => applyAs('flux', { prompt: 'two' })],
        ['a label', () => edit({ metadata: { labels: { team: 'x' } } })],
        ['an annotation', () => edit({ metadata: { annotations: { note: 'x' } } })],
        ['one more owner', () => applyAs('terraform', { prompt: 'two' })],
        ['a deletion', () => store.delete('Agent', KEY)],
        ['a creation', () => applyAs('flux')],
      ];
      for (const [n, [what, change]] of changes.entries()) {
        const found = await store.get('Agent', KEY);
        // A write of the status that no watch reports.
        if (found) await store.patchStatus('Agent', found.metadata, { agentId: `agt_${n}` });
        reported.length = 0;
        await change();
        await store.apply(agent({ name: `z${n}` }), { fieldManager: 'flux' });
        await until(`default/z${n}`);
        expect({ what, reported }).toEqual({ what, reported: ['default/a', `default/z${n}`] });
      }
    });

    test('of named namespaces hears and asks of those alone', async () => {
      const namespaces = ['team-a', 'team-b'];
      for (const name of [...namespaces, 'team-c']) await kube.makeNamespace(name);
      const declare = (namespace: string, name: string) =>
        store.apply(agent({ namespace, name }), { fieldManager: 'flux' });
      for (const namespace of [...namespaces, 'team-c']) await declare(namespace, 'old');
      const paths = new Set<string>();
      const watched = newStore({ namespaces, client: noting(kube.client, paths) });
      const { reported, until } = await watch(watched);
      expect(reported.splice(0).sort()).toEqual(['team-a/old', 'team-b/old']);
      await declare('team-c', 'new');
      await declare('default', 'new');
      await declare('team-b', 'new');
      await until('team-b/new');
      await declare('team-a', 'new');
      await until('team-a/new');
      expect(reported).toEqual(['team-b/new', 'team-a/new']);
      const names = (await watched.list('Agent')).map(({ metadata }) => metadata.namespace);
      expect(names.sort()).toEqual(['team-a', 'team-a', 'team-b', 'team-b']);
      expect(await watched.list('Agent', 'team-a')).toHaveLength(2);
      expect(await watched.list('Agent', 'team-c')).toEqual([]);
      expect(await watched.get('Agent', { namespace: 'team-b', name: 'old' })).toBeDefined();
      const root = '/apis/parley.dev/v1alpha1/namespaces';
      expect([...paths].sort()).toEqual([`${root}/team-a/agents`, `${root}/team-b/agents`]);
    });

    test('shares what it knows, so nobody can change it', async () => {
      await applyAs('flux', { prompt: 'one', tools: TOOLS });
      const watched = newStore();
      await watch(watched);
      const found = (await watched.get('Agent', KEY))!;
      expect(await watched.get('Agent', KEY)).toBe(found);
      const [first] = found.spec['tools'] as { url: string }[];
      expect(() => (first!.url = 'https://evil.example/')).toThrow(TypeError);
      expect(() => (found.metadata.labels['a'] = 'b')).toThrow(TypeError);
      await watched.annotate('Agent', KEY, { note: 'x' });
      const again = (await watched.get('Agent', KEY))!;
      expect(() => (again.metadata.annotations['note'] = 'y')).toThrow(TypeError);
    });
  });
});
