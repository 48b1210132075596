import { expect, test } from 'vitest';
import { pino } from 'pino';
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
  const watches = startWatches({
    store,
    kinds: [
      { kind: 'Agent', uses: ({ metadata }, _, name) => metadata.name === 'a' && name === 'used' },
      { kind: 'KnowledgeSource', isReferred: true, uses: () => false },
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
