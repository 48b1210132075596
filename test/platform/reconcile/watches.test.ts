import { expect, test } from 'vitest';
import { pino } from 'pino';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { startWatches } from '../../../src/platform/reconcile/watches.ts';
import { createMemoryResourceStore } from '../resources/memory-resource-store.ts';
import { until } from '../../until.ts';

test('who uses what has changed is looked at too: objects of ours, Secrets and ConfigMaps', async () => {
  const store = createMemoryResourceStore();
  const declare = (kind: string, name: string) =>
    store.apply({ kind, namespace: 'default', name, spec: {} }, { fieldManager: 'kubectl' });
  await declare('Agent', 'a');
  await declare('Agent', 'b');
  const looked: string[] = [];
  const uses = ({ metadata }: Resource, name: string): boolean =>
    metadata.name === 'a' && name === 'used';
  const watches = startWatches({
    store,
    kinds: [
      { kind: 'Agent', uses: { KnowledgeSource: uses, Secret: uses, ConfigMap: uses } },
      { kind: 'KnowledgeSource', uses: {} },
    ],
    onChange: (kind, { name }) => void looked.push(`${kind} ${name}`),
    log: pino({ level: 'silent' }),
  });
  await watches.synced;
  expect(looked).toEqual([]); // The term lists everything when it begins.
  for (const kind of ['KnowledgeSource', 'Secret', 'ConfigMap']) {
    looked.length = 0;
    await declare(kind, 'other');
    await declare(kind, 'used');
    await until(`${kind}: ${looked.join()}`, () => looked.includes('Agent a'), {
      timeoutMs: 5_000,
    });
    expect(looked).not.toContain('Agent b');
  }
  await watches.stop();
});

test('of many changes at once, only the kinds that may refer to them are listed, each once', async () => {
  const store = createMemoryResourceStore();
  const listed: string[] = [];
  const looked: string[] = [];
  const watches = startWatches({
    store: {
      ...store,
      list: async (kind, namespace) => {
        listed.push(kind);
        return store.list(kind, namespace);
      },
    },
    kinds: [
      { kind: 'Agent', uses: { KnowledgeSource: (_, name) => name === 'faq-2' } },
      { kind: 'KnowledgeSource', uses: { Secret: () => true } },
    ],
    onChange: (kind, { name }) => void looked.push(`${kind} ${name}`),
    log: pino({ level: 'silent' }),
  });
  const declare = (kind: string, name: string) =>
    store.apply({ kind, namespace: 'default', name, spec: {} }, { fieldManager: 'kubectl' });
  await declare('Agent', 'a');
  await watches.synced;
  await Promise.all([1, 2, 3].map((n) => declare('KnowledgeSource', `faq-${n}`)));
  await watches.stop(); // Waits for the look at the users.
  expect(looked).toContain('Agent a');
  expect(listed.filter((kind) => kind === 'KnowledgeSource')).toEqual([]);
  expect(listed.length).toBeLessThan(3); // One run may be in progress when the others arrive.
});
