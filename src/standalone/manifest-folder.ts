import { isDeepStrictEqual } from 'node:util';
import { createController } from '../controller/controller.ts';
import { createWorkQueue } from '../controller/work-queue.ts';
import type { Applied, ResourceStore } from '../resources/resource-store.ts';
import { applyManifest } from './manifest-apply.ts';
import { CORE_KINDS, type ManifestObject, type ManifestRules } from './manifest-object.ts';
import { pruneManifests } from './manifest-prune.ts';
import { createManifestReader, type ManifestLook } from './manifest-read.ts';
import {
  createManifestReporter,
  formatPlace,
  type ManifestProblem,
  type ManifestReport,
} from './manifest-report.ts';
import { createManifestWatcher } from './manifest-watch.ts';

/**
 * A folder of manifests (`*.yaml`, `*.yml`, `*.json`, subfolders too), applied as field manager
 * `file` and kept in step. Contract §2: never forces; a removed manifest deletes what only it
 * declared; an unreadable file or folder deletes nothing.
 */
export type ManifestFolder = {
  /** Resolves after the first pass, also when it failed: then it is tried again from here on. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

export type ManifestFolderDeps = ManifestRules & {
  folder: string;
  store: Pick<ResourceStore, 'apply' | 'delete' | 'list'>;
  report: (line: ManifestReport) => void;
  /** Monotonic. */
  nowMs: () => number;
  timing?: Partial<ManifestTiming>;
};

export type ManifestTiming = {
  /** A save is a burst of changes; this long after the last one, at most `maxDelayMs` in all. */
  debounceMs: number;
  maxDelayMs: number;
  /** The backstop for changes nobody told of; also how long a file must stay empty to count so. */
  rescanMs: number;
  /** How long an object must be missing before it is deleted: editors remove, then write. */
  settleMs: number;
  /** Everything is applied again, whatever we believe to be there. */
  fullPassMs: number;
  /** After a failure of the store, doubling up to 30 s. */
  retryMs: number;
};

const TIMING: ManifestTiming = {
  debounceMs: 15,
  maxDelayMs: 100,
  rescanMs: 2_000,
  settleMs: 250,
  fullPassMs: 300_000,
  retryMs: 250,
};

const MAX_RETRY_MS = 30_000;
// The controller would end a pass after 30 s; a thousand objects into a slow database take longer.
const PASS_TIMEOUT_MS = 600_000;

/** A pass is a reconcile of one key, so that retries, serial runs and stopping are the queue's. */
const FOLDER = 'manifests';

export function createManifestFolder(deps: ManifestFolderDeps): ManifestFolder {
  const timing = { ...TIMING, ...deps.timing };
  const { nowMs } = deps;
  const queue = createWorkQueue<string>({
    keyOf: (key) => key,
    nowMs,
    backOff: { baseMs: timing.retryMs, maxMs: MAX_RETRY_MS },
  });
  const watcher = createManifestWatcher({ ...timing, nowMs, onChange: () => queue.add(FOLDER) });
  const pass = createPass(deps, timing);
  let firstPass: Promise<void> | undefined;

  const controller = createController<string>({
    name: FOLDER,
    queue,
    concurrency: 1,
    timeoutMs: PASS_TIMEOUT_MS,
    nowMs,
    // Only a bug comes here: a pass answers for its own failures.
    log: { error: (fields) => deps.report({ level: 'error', text: describe(fields) }) },
    reconcile: async (_key, signal) => {
      const { look, againInMs } = await pass(signal);
      // A file written before its folder was watched told nobody.
      if (watcher.setFolders(look.folders)) return { requeueAfterMs: timing.debounceMs };
      return { requeueAfterMs: againInMs };
    },
  });

  return { start, stop };
}
