import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { createKubeClient, type KubeClient } from '../../../src/platform/kubernetes/client.ts';
import { createKubernetesResourceStore } from '../../../src/platform/kubernetes/resource-store.ts';
import type { ResourceStore } from '../../../src/platform/resources/resource-store.ts';
import { agent, createDeclarer, KEY } from './kubernetes-store-setup.ts';
import { borrowKube, type Kube } from './kube.ts';
import { findKubeBinaries } from './kube-binaries.ts';

/**
 * Behavior of the store that only a real API server shows. resource-store.kube.test.ts and
 * resource-store-watch.kube.test.ts cover both stores; kubernetes-store-watch.kube.test.ts covers watches.
 */

const binaries = await findKubeBinaries();
const log = pino({ level: 'silent' });
const VOICE = { provider: 'p', voiceId: 'v' };
const tool = (name: string, url: string) => ({ type: 'webhook', name, url });
const TOOLS = [tool('a', 'https://a.example/'), tool('b', 'https://b.example/')];

(binaries ? describe : describe.skip)('the store on a Kubernetes API', () => {
  let kube: Kube;
  let store: ResourceStore;
  beforeAll(async () => {
    kube = await borrowKube();
    store = newStore();
  }, 120_000);
  afterAll(async () => kube?.stop());
  afterEach(() => kube.deleteAll());

  const newStore = (options: { client?: KubeClient } = {}) =>
    createKubernetesResourceStore({ client: kube.client, log, ...options });
  const { applyAs, read, edit } = createDeclarer(() => ({ store, client: kube.client }));

  describe('a creation', () => {
    test.each([
      ['different things', (n: number) => `prompt ${n}`],
      ['the same', () => 'prompt'],
    ])('of ten at once who declare %s one wins', async (_, promptOf) => {
      const all = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) =>
          store.apply(agent({ spec: { prompt: promptOf(n) } }), {
            fieldManager: 'parley-api',
            resourceVersion: '',
          }),
        ),
      );
      const won = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const lost = all.flatMap((one) => (one.status === 'rejected' ? [one.reason.name] : []));
      expect(lost).toEqual(Array.from({ length: 9 }, () => 'WriteConflictError'));
      expect(await read()).toEqual(won[0]);
    });

    test('of what somebody else has is no conflict of fields: the name is taken', async () => {
      await applyAs('flux');
      const creating = store.apply(agent({ spec: { prompt: 'mine' } }), {
        fieldManager: 'parley-api',
        resourceVersion: '',
      });
      await expect(creating).rejects.toMatchObject({ name: 'WriteConflictError' });
      expect((await read()).owners).toEqual({ prompt: ['flux'] });
    });

    test('in a namespace that is not there is refused as such', async () => {
      const applied = agent({ namespace: 'nowhere' });
      await expect(store.apply(applied, { fieldManager: 'x' })).rejects.toMatchObject({
        name: 'NamespaceRefusedError',
        message: expect.stringContaining('nowhere'),
      });
    });
  });

  describe('a conflict', () => {
    test('at a version that is over is one of writes, and changes nothing', async () => {
      const { metadata } = await applyAs('flux');
      const now = await applyAs('flux', { prompt: 'two' });
      const at = { resourceVersion: metadata.resourceVersion };
      const late = store.apply(agent({ spec: { prompt: 'late' } }), {
        fieldManager: 'flux',
        ...at,
      });
      await expect(late).rejects.toMatchObject({ name: 'WriteConflictError' });
      await expect(store.delete('Agent', KEY, at)).rejects.toMatchObject({
        name: 'WriteConflictError',
      });
      expect(await read()).toEqual(now);
      const { resourceVersion } = now.metadata;
      expect(await store.delete('Agent', KEY, { resourceVersion })).toBe(true);
      expect(await store.delete('Agent', KEY, { resourceVersion })).toBe(false);
    });

    test('names every manager and top-level field once, however deep it lies', async () => {
      await applyAs('kustomize-controller', { prompt: 'one', tools: TOOLS });
      await edit({ spec: { voice: VOICE } });
      const moved = TOOLS.map(({ name }) => tool(name, 'https://evil.example/'));
      const taking = applyAs('parley-api', {
        prompt: 'two',
        tools: moved,
        voice: { voiceId: 'x' },
      });
      const conflicts = await taking.catch((error) => error.conflicts);
      expect(new Set(conflicts)).toEqual(
        new Set([
          { field: 'prompt', manager: 'kustomize-controller' },
          { field: 'tools', manager: 'kustomize-controller' },
          { field: 'voice', manager: 'kubectl-edit' },
        ]),
      );
      expect(conflicts).toHaveLength(3);
      expect((await read()).spec).toMatchObject({ prompt: 'one', tools: TOOLS });
    });

    test('over the id the operator gave names the operator', async () => {
      await applyAs('flux');
      await store.annotate('Agent', KEY, { 'parley.dev/id': 'agt_1' });
      const annotations = { 'parley.dev/id': 'agt_2' };
      await expect(
        store.apply(agent({ annotations }), { fieldManager: 'flux' }),
      ).rejects.toMatchObject({
        conflicts: [{ field: 'metadata.annotations.parley.dev/id', manager: 'parley-operator' }],
      });
    });
  });

  test('one of two managers who drops a tool drops its own alone', async () => {
    await applyAs('flux', { prompt: 'one', tools: TOOLS });
    await applyAs('terraform', { tools: [TOOLS[0]] });
    expect((await read()).owners).toEqual({ prompt: ['flux'], tools: ['flux', 'terraform'] });
    await applyAs('flux', { prompt: 'one' });
    expect(await read()).toMatchObject({
      spec: { tools: [TOOLS[0]] },
      owners: { prompt: ['flux'], tools: ['terraform'] },
    });
  });

  describe('what the CRD forbids', () => {
    const webhook = { ...tool('a', 'https://a.example/'), method: 'NOPE' };
    test.each([
      ['an unknown field', { nope: 1 }, '/spec/nope', 'unknown_field'],
      ['one below', { voice: { spead: 1 } }, '/spec/voice/spead', 'unknown_field'],
      ['a wrong type', { prompt: 5 }, '/spec/prompt', 'invalid_type'],
      ['one in a list', { tools: [{ ...webhook, url: {} }] }, '/spec/tools', 'invalid_type'],
      ['a number', { voice: { speed: 99 } }, '/spec/voice/speed', 'too_large'],
      ['a pattern', { language: 'no language' }, '/spec/language', 'invalid_format'],
      ['a choice', { tools: [webhook] }, '/spec/tools/0/method', 'not_allowed'],
      ['a rule', { tools: [{ type: 'webhook', name: 'a' }] }, '/spec/tools/0/url', 'rule'],
      ['the same twice', { tools: [TOOLS[0], TOOLS[0]] }, '/spec/tools', 'duplicate'],
    ])('%s is reported by its place and code alone', async (_, wrong, pointer, code) => {
      const refused = applyAs('x', { prompt: 'one', ...wrong });
      await expect(refused).rejects.toMatchObject({ name: 'InvalidResourceError' });
      const [first, ...more] = await refused.catch(({ errors }) => errors);
      expect([first.pointer, first.code, more]).toEqual([pointer, code, []]);
      // Contains neither the server's notation nor its paths, which differ from those of a REST body.
      expect(first.detail).not.toMatch(/ got |valueUnstructured|in body|Invalid value/);
      expect(await store.get('Agent', KEY)).toBeUndefined();
    });

    test.each([
      ['etcd', 1_600_000],
      ['the server', 3_600_000],
    ])('and what is too large for %s is no outage', async (_, length) => {
      const tools = [{ ...TOOLS[0], parameters: { text: 'x'.repeat(length) } }];
      await expect(applyAs('x', { prompt: 'one', tools })).rejects.toMatchObject({
        errors: [{ pointer: '/spec', code: 'too_long' }],
      });
    });
  });

  test('with the server away every call says so', async () => {
    const credentials = { ...kube.credentials, server: 'https://127.0.0.1:1' };
    const client = createKubeClient({ credentials });
    const away = newStore({ client });
    const uid = { ...KEY, uid: 'x' };
    const calls = await Promise.allSettled([
      away.get('Agent', KEY),
      away.list('Agent'),
      away.apply(agent(), { fieldManager: 'x' }),
      away.annotate('Agent', KEY, { a: 'b' }),
      away.patchStatus('Agent', uid, {}),
      away.delete('Agent', KEY),
    ]);
    for (const call of calls) {
      expect(call).toMatchObject({ reason: { name: 'StoreUnavailableError' } });
    }
    await client.close();
  });
});
