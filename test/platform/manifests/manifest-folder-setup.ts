import { onTestFinished } from 'vitest';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResourceStore } from '../../../src/platform/resources/resource-store.ts';
import { createManifestFolder } from '../../../src/platform/manifests/folder.ts';
import type { ManifestTiming } from '../../../src/platform/manifests/pass.ts';
import { createMemoryResourceStore } from '../resources/memory-resource-store.ts';
import { validate } from './manifest-rules.ts';

// The long interval of rescans leaves the work to the watch. Tests of rescans change it.
const TIMING: Partial<ManifestTiming> = { rescanMs: 600_000, settleMs: 0, retryMs: 5 };

const UNTIL_MS = 10_000;

/** Creates a folder, a store that records its operations, and a way to wait for them. */
export async function setUp(timing: Partial<ManifestTiming> = {}) {
  const root = await mkdtemp(join(tmpdir(), 'parley-manifests-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, 'manifests');
  await mkdir(folder);
  const memory = createMemoryResourceStore({
    check: (kind, spec) =>
      kind === 'Agent' && spec['prompt'] === undefined
        ? [{ pointer: '/spec/prompt', code: 'required', detail: 'is required' }]
        : [],
  });
  const log: string[] = [];
  const waiters = new Set<() => void>();
  const note = (line: string): void => {
    log.push(line);
    for (const wake of waiters) wake();
  };
  const faults: Error[] = [];
  let meanwhile: (() => Promise<unknown>) | undefined;
  const store: Pick<ResourceStore, 'apply' | 'delete' | 'list'> = {
    list: memory.list,
    apply: async (applied, options) => {
      const fault = faults.shift();
      note(`apply ${applied.name}${fault ? ' fails' : ''}`);
      if (fault) throw fault;
      return memory.apply(applied, options);
    },
    delete: async (kind, key, options) => {
      await meanwhile?.();
      meanwhile = undefined;
      const existed = await memory.delete(kind, key, options);
      note(`delete ${key.name}`);
      return existed;
    },
  };
  const create = () => {
    const manifests = createManifestFolder({
      validate,
      folder,
      store,
      report: ({ text }) => note(text.replaceAll(`${root}/`, '')),
      nowMs: () => performance.now(),
      timing: { ...TIMING, ...timing },
    });
    onTestFinished(manifests.stop);
    return manifests;
  };
  return {
    root,
    folder,
    memory,
    log,
    faults,
    /** Runs `act` right before the next deletion arrives at the store, like a concurrent user. */
    beforeDelete: (act: () => Promise<unknown>) => {
      meanwhile = act;
    },
    create,
    manifests: create(),
    path: (name: string) => join(folder, name),
    write: (name: string, text: string) => writeFile(join(folder, name), text),
    /** Resolves once the log has a line with this text, from line `from` on. */
    until: (part: string, from = 0) =>
      new Promise<void>((resolve, reject) => {
        const inVain = (): void => reject(new Error(`waited in vain for ${part}: ${log.join()}`));
        const timer = setTimeout(inVain, UNTIL_MS);
        const look = () => {
          if (!log.slice(from).some((line) => line.includes(part))) return;
          clearTimeout(timer);
          waiters.delete(look);
          resolve();
        };
        waiters.add(look);
        look();
      }),
    prompt: async (name: string) =>
      (await memory.get('Agent', { namespace: 'default', name }))?.spec['prompt'],
    asApi: (name: string, spec: Record<string, unknown>, fieldManager = 'parley-api') =>
      memory.apply({ kind: 'Agent', namespace: 'default', name, spec }, { fieldManager }),
  };
}
