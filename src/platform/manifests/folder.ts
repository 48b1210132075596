import { inspect } from 'node:util';
import { monotonicMs } from '../../clock.ts';
import { createController } from '../controller/controller.ts';
import { createWorkQueue } from '../controller/work-queue.ts';
import { createManifestPass, type ManifestPassDeps, type ManifestTiming } from './pass.ts';
import { createManifestWatcher } from './watch.ts';

/**
 * A folder of manifests (`*.yaml`, `*.yml`, `*.json`, subfolders too), applied as field manager
 * `file` and kept in step (contract/running.md#manifests): never forces; a removed manifest deletes what only it
 * declared; an unreadable file or folder deletes nothing.
 */
export type ManifestFolder = {
  /** Resolves after the first pass, also when it failed: then it is tried again from here on. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

export type ManifestFolderDeps = Omit<ManifestPassDeps, 'nowMs' | 'timing'> & {
  /** Monotonic. */
  nowMs?: () => number;
  timing?: Partial<ManifestTiming>;
};

const TIMING: ManifestTiming = {
  debounceMs: 15,
  maxDelayMs: 100,
  rescanMs: 2_000,
  settleMs: 250,
  fullPassMs: 60_000,
  retryMs: 250,
};

const MAX_RETRY_MS = 30_000;
const DRAIN_TIMEOUT_MS = 5_000;
// The controller would end a pass after 30 s; a thousand objects into a slow database take longer.
const PASS_TIMEOUT_MS = 600_000;

/** A pass is a reconcile of one key, so that retries, serial runs and stopping are the queue's. */
const FOLDER = 'manifests';

export function createManifestFolder(deps: ManifestFolderDeps): ManifestFolder {
  const timing = { ...TIMING, ...deps.timing };
  const { nowMs = monotonicMs } = deps;
  const queue = createWorkQueue<string>({
    keyOf: (key) => key,
    nowMs,
    backOff: { baseMs: timing.retryMs, maxMs: MAX_RETRY_MS },
  });
  const watcher = createManifestWatcher({ ...timing, nowMs, onChange: () => queue.add(FOLDER) });
  const pass = createManifestPass({ ...deps, nowMs, timing });
  const firstPass = Promise.withResolvers<void>();
  let stopping = false;

  const controller = createController<string>({
    name: FOLDER,
    queue,
    concurrency: 1,
    timeoutMs: PASS_TIMEOUT_MS,
    drainTimeoutMs: DRAIN_TIMEOUT_MS,
    nowMs,
    // Only a bug comes here: a pass handles the failures it knows.
    log: { error: (fields) => deps.report({ level: 'error', text: inspect(fields) }) },
    reconcile: async (_key, signal) => {
      try {
        const { folders, againInMs } = await pass(() => stopping || signal.aborted);
        // A file written before its folder was watched raised no event: look once more, soon.
        const unseen = !stopping && watcher.setFolders(folders);
        return { requeueAfterMs: unseen ? Math.min(timing.debounceMs, againInMs) : againInMs };
      } finally {
        firstPass.resolve();
      }
    },
  });

  return {
    start: () => {
      controller.start();
      queue.add(FOLDER);
      return firstPass.promise;
    },
    stop: async () => {
      stopping = true;
      watcher.stop();
      await controller.stop();
      // For a start that waits for a pass which will not come.
      firstPass.resolve();
    },
  };
}
