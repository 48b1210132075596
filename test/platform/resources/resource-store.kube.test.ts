import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Applied, Resource } from '../../../src/platform/resources/resource-store.ts';
import { startEngine, type Engine } from '../../roles/engine.ts';
import { describeEachStore } from '../../roles/each-store.ts';

describeEachStore((storeName) => {
  let engine: Engine;
  beforeEach(async () => {
    engine = await startEngine(storeName);
  });
  afterEach(() => engine.stop());

  const KEY = { namespace: 'default', name: 'a' };
  const agent = (fields: Partial<Applied> = {}): Applied => ({
    kind: 'Agent',
    ...KEY,
    spec: { prompt: 'one' },
    ...fields,
  });
  const applyAs = (fieldManager: string, fields: Partial<Applied> = {}): Promise<Resource> =>
    engine.store.apply(agent(fields), { fieldManager });
  const read = async (): Promise<Resource> => (await engine.store.get('Agent', KEY))!;
  const metaOf = async (): Promise<unknown> => {
    const { labels, annotations } = (await read()).metadata;
    return { labels, annotations };
  };

  describe('a write', () => {
    test('moves the generation only with the spec, the resource version always', async () => {
      const first = await applyAs('kubectl');
      expect(first.metadata).toMatchObject({ generation: 1, labels: {}, annotations: {} });
      expect(first.status).toEqual({ observedGeneration: -1 });
      const seen = [first.metadata];
      const note = async (): Promise<void> => {
        seen.push((await read()).metadata);
      };
      await applyAs('kubectl', { labels: { team: 'x' } });
      await note();
      await engine.store.annotate('Agent', KEY, { 'parley.dev/id': 'x' });
      await note();
      await engine.store.patchStatus('Agent', first.metadata, { agentId: 'x' });
      await note();
      await applyAs('kubectl', { spec: { prompt: 'two' } });
      await note();
      expect(seen.map(({ generation }) => generation)).toEqual([1, 1, 1, 1, 2]);
      expect(new Set(seen.map(({ resourceVersion }) => resourceVersion)).size).toBe(5);
      expect(new Set(seen.map(({ uid }) => uid)).size).toBe(1);
    });

    test('that changes nothing writes nothing', async () => {
      const labels = { team: 'x' };
      const { metadata } = await applyAs('kubectl', { labels });
      await engine.store.patchStatus('Agent', metadata, { agentId: 'x' });
      await engine.store.annotate('Agent', KEY, { note: 'y' });
      const before = await read();
      await applyAs('kubectl', { labels });
      await engine.store.patchStatus('Agent', metadata, { agentId: 'x' });
      await engine.store.annotate('Agent', KEY, { note: 'y' });
      expect(await read()).toEqual(before);
      await engine.store.apply(agent({ spec: { prompt: 'one', suspend: false }, labels }), {
        fieldManager: 'kubectl', // The declared value is a default. The owner is new, so this is a write.
      });
      const after = await read();
      expect(after.metadata.generation).toBe(1);
      expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
      expect(after.owners).toEqual({ prompt: ['kubectl'], suspend: ['kubectl'] });
    });

    test('at a version that is over is refused, so is a second creation', async () => {
      const at = (resourceVersion: string) =>
        engine.store.apply(agent({ spec: { prompt: 'x' } }), {
          fieldManager: 'kubectl',
          resourceVersion,
        });
      const { metadata } = await at('');
      await expect(at('')).rejects.toMatchObject({ name: 'WriteConflictError' });
      await applyAs('kubectl', { spec: { prompt: 'two' } });
      await expect(at(metadata.resourceVersion)).rejects.toMatchObject({
        name: 'WriteConflictError',
      });
      await expect(
        engine.store.delete('Agent', KEY, { resourceVersion: metadata.resourceVersion }),
      ).rejects.toMatchObject({ name: 'WriteConflictError' });
      expect((await read()).spec['prompt']).toBe('two');
    });

    test('that is a deletion: it is deleted at the version that was seen, or not at all', async () => {
      const { metadata } = await applyAs('kubectl');
      await applyAs('kubectl', { spec: { prompt: 'two' } });
      const { resourceVersion } = metadata;
      const late = engine.store.delete('Agent', KEY, { resourceVersion });
      await expect(late).rejects.toMatchObject({ name: 'WriteConflictError' });
      expect((await read()).spec['prompt']).toBe('two');
      const now = (await read()).metadata.resourceVersion;
      expect(await engine.store.delete('Agent', KEY, { resourceVersion: now })).toBe(true);
    });

    test('that the CRD forbids is refused whole', async () => {
      await applyAs('kubectl');
      const wrong = applyAs('kubectl', { spec: { prompt: 'two', voice: { speed: 99 } } });
      await expect(wrong).rejects.toMatchObject({ errors: [{ pointer: '/spec/voice/speed' }] });
      expect((await read()).spec['prompt']).toBe('one');
    });

    test('of the status is apart: an older object of that name gets none of it', async () => {
      const { metadata } = await applyAs('kubectl');
      await engine.store.delete('Agent', KEY);
      const again = await applyAs('kubectl');
      await engine.store.patchStatus('Agent', metadata, { agentId: 'old' });
      expect((await read()).status).toEqual({ observedGeneration: -1 });
      expect(again.metadata.uid).not.toBe(metadata.uid);
      expect(again.metadata.generation).toBe(1);
    });
  });

  describe('server-side apply', () => {
    test('names the manager whose field it would change, and changes nothing', async () => {
      await applyAs('flux', { spec: { prompt: 'one', language: 'en' } });
      const refused = applyAs('parley-api', { spec: { language: 'de', firstMessage: 'Hi' } });
      await expect(refused).rejects.toMatchObject({
        conflicts: [{ field: 'language', manager: 'flux' }],
      });
      expect((await read()).spec).not.toHaveProperty('firstMessage');
    });

    test('lets two managers share an equal value until the last lets go', async () => {
      await applyAs('flux', { spec: { prompt: 'one', language: 'en' } });
      await applyAs('parley-api', { spec: { language: 'en' } });
      expect((await read()).owners).toEqual({ prompt: ['flux'], language: ['flux', 'parley-api'] });
      await applyAs('flux', { spec: { prompt: 'one' } });
      expect(await read()).toMatchObject({
        spec: { language: 'en' },
        owners: { language: ['parley-api'] },
      });
      await applyAs('parley-api', { spec: {} });
      const { spec, owners } = await read();
      expect(spec).not.toHaveProperty('language');
      expect(owners).toEqual({ prompt: ['flux'] });
    });

    test('gives a dropped field its default back', async () => {
      await applyAs('kubectl', { spec: { prompt: 'one', publishPolicy: 'Manual' } });
      await applyAs('kubectl');
      expect((await read()).spec['publishPolicy']).toBe('Automatic');
    });

    test('drops the labels and annotations a manifest no longer has, and no others', async () => {
      await applyAs('file', { labels: { a: '1', b: '2' }, annotations: { c: '3', d: '4' } });
      await applyAs('flux', { spec: {}, labels: { x: '9' }, annotations: { c: '3' } });
      await engine.store.annotate('Agent', KEY, { 'parley.dev/id': 'agt_x' });
      await applyAs('file', { labels: { b: '2' } });
      expect(await metaOf()).toEqual({
        labels: { b: '2', x: '9' },
        annotations: { c: '3', 'parley.dev/id': 'agt_x' },
      });
      await applyAs('flux', { spec: {} });
      await applyAs('file');
      expect(await metaOf()).toEqual({ labels: {}, annotations: { 'parley.dev/id': 'agt_x' } });
      expect((await read()).owners).toEqual({ prompt: ['file'] });
    });

    test('refuses to change a label of another manager, and takes one that nobody declares', async () => {
      await applyAs('flux', { labels: { team: 'x' } });
      await engine.store.annotate('Agent', KEY, { note: 'free' });
      await expect(applyAs('file', { labels: { team: 'y' } })).rejects.toMatchObject({
        conflicts: [{ field: 'metadata.labels.team', manager: 'flux' }],
        message: 'metadata.labels.team is owned by flux',
      });
      const taking = applyAs('file', { annotations: { note: 'taken' } });
      if (storeName === 'kubernetes') {
        // In Kubernetes every field has an owner: the operator owns its annotation.
        await expect(taking).rejects.toMatchObject({
          conflicts: [{ field: 'metadata.annotations.note', manager: 'parley-operator' }],
        });
      } else await taking;
      const note = storeName === 'kubernetes' ? 'free' : 'taken';
      expect(await metaOf()).toEqual({ labels: { team: 'x' }, annotations: { note } });
    });

    test('begins anew with an object that was deleted', async () => {
      await applyAs('flux', {
        labels: { a: '1' },
        annotations: { b: '2' },
        spec: { prompt: 'p', language: 'en' },
      });
      expect(await engine.store.delete('Agent', KEY)).toBe(true);
      expect(await engine.store.delete('Agent', KEY)).toBe(false);
      expect(await engine.store.get('Agent', KEY)).toBeUndefined();
      expect(await engine.store.list('Agent')).toEqual([]);
      await applyAs('file');
      expect(await read()).toMatchObject({
        owners: { prompt: ['file'] },
        status: { observedGeneration: -1 },
      });
      expect(await metaOf()).toEqual({ labels: {}, annotations: {} });
    });
  });

  test('a Secret opens for who reads it, whatever its text', async () => {
    await applySecret('s', 'grün 😀\n\u0000"$');
    const spec = { data: { token: 'grün 😀\n\u0000"$' } };
    expect((await engine.store.get('Secret', { namespace: 'default', name: 's' }))?.spec).toEqual(
      spec,
    );
    expect((await engine.store.list('Secret'))[0]?.spec).toEqual(spec);
  });

  // Whether a cluster encrypts its etcd is outside our control.
  (storeName === 'postgres' ? test : test.skip)('a Secret is sealed in its table', async () => {
    const value = 'the-plain-text-of-it';
    await applySecret('s', value);
    const table = async (): Promise<string> => {
      const { rows } = await engine.pool.query<{ text: string }>(
        'select r::text as text from resources r',
      );
      return rows.map(({ text }) => text).join('\n');
    };
    const stored = await table();
    expect(stored).toContain('sealed');
    for (const form of [
      value,
      Buffer.from(value).toString('base64'),
      Buffer.from(value).toString('hex'),
    ]) {
      expect(stored).not.toContain(form);
    }
    await engine.store.delete('Secret', { namespace: 'default', name: 's' });
    expect(await table()).not.toContain('sealed');
  });

  const applySecret = (name: string, token: string): Promise<Resource> =>
    engine.store.apply(
      { kind: 'Secret', namespace: 'default', name, spec: { data: { token } } },
      { fieldManager: 'kubectl' },
    );
});
