import { inspect } from 'node:util';
import { monotonicMs } from '../../clock.ts';
import { createController } from '../controller/controller.ts';
import { createWorkQueue } from '../controller/work-queue.ts';
import { createManifestPass, type ManifestPassDeps, type ManifestTiming } from './pass.ts';
import { createManifestWatcher } from './watch.ts';

/**
 * Folder of manifests (`*.yaml`, `*.yml`, `*.json`, including subfolders). They are applied as the field manager
 * `file`, without forcing conflicts, and kept in sync (contract/running.md#manifests). When a manifest is removed, its
 * object is deleted only if no other manager declares it. While a file or folder cannot be read, nothing is deleted.
 */
export type ManifestFolder = {
  /**
   * Starts to apply the manifests. Resolves after the first pass, even if it failed. A failed pass is retried in the
   * background.
   */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

export type ManifestFolderDeps = Omit<ManifestPassDeps, 'nowMs' | 'timing'> & {
  /** Monotonic clock. */
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
// Timeout of a pass in ms. It is longer than the controller's default of 30 s, because applying a thousand objects to a
// slow database can take longer than 30 s.
const PASS_TIMEOUT_MS = 600_000;

/**
 * The only key in the queue. A pass over the folder is a reconcile of this key. The queue therefore retries a failed
 * pass, and never runs two passes at the same time.
 */
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
    // Only bugs are reported here, because a pass handles all expected failures itself.
    log: { error: (fields) => deps.report({ level: 'error', text: inspect(fields) }) },
    reconcile: async (_key, signal) => {
      try {
        const { folders, againInMs } = await pass(() => stopping || signal.aborted);
        // A file that was written to a new folder before the folder was watched caused no event, so another pass
        // follows soon.
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
      // No further pass will run. A pending `start`, which waits for the first pass, must therefore resolve now.
      firstPass.resolve();
    },
  };
}
