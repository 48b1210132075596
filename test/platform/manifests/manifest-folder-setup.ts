import { onTestFinished } from 'vitest';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResourceStore } from '../../../src/platform/resources/resource-store.ts';
import { createManifestFolder } from '../../../src/platform/manifests/folder.ts';
import type { ManifestTiming } from '../../../src/platform/manifests/pass.ts';
import { createMemoryResourceStore } from '../resources/memory-resource-store.ts';
import { validate } from './manifest-rules.ts';

// The rescan is out of the way unless a test is about it, so that the watch has to do the work.
const TIMING: Partial<ManifestTiming> = { rescanMs: 600_000, settleMs: 0, retryMs: 5 };

const UNTIL_MS = 10_000;

/** A folder, a store that records what is done to it, and a way to wait for any of it. */
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
    /** What somebody else does right before the next deletion arrives at the store. */
    beforeDelete: (act: () => Promise<unknown>) => {
      meanwhile = act;
    },
    create,
    manifests: create(),
    path: (name: string) => join(folder, name),
    write: (name: string, text: string) => writeFile(join(folder, name), text),
    /** Resolves once a line like that is in the log, from `from` on. */
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
