import { watch, type FSWatcher } from 'node:fs';
import { clearTimeout, setTimeout } from '../../clock.ts';

export type ManifestWatcher = {
  /** Replaces the set of watched folders. Returns true if a folder is watched that was not watched before. */
  setFolders: (folders: readonly { path: string; inode: string }[]) => boolean;
  stop: () => void;
};

/**
 * Creates a watcher that calls `onChange` after a change in the folders: `debounceMs` after the last change in a burst,
 * but at most `maxDelayMs` after the first change. The watcher may miss changes, for example on network mounts or at
 * the system's limit on watches. The periodic rescan finds the missed changes; the watcher only makes updates faster.
 * Each folder has its own watcher, which reports renames, new files and swapped links immediately. Node's recursive
 * watcher is not used, because on Linux it walks the folders in JavaScript and watches every file. The chokidar library
 * would need the rescan as well (decision 17).
 */
export function createManifestWatcher(deps: {
  onChange: () => void;
  debounceMs: number;
  maxDelayMs: number;
  nowMs: () => number;
}): ManifestWatcher {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let firstMs: number | undefined;

  const changed = (): void => {
    firstMs ??= deps.nowMs();
    const leftMs = firstMs + deps.maxDelayMs - deps.nowMs();
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        firstMs = undefined;
        deps.onChange();
      },
      Math.max(0, Math.min(deps.debounceMs, leftMs)),
    );
  };

  const close = (key: string): void => {
    watchers.get(key)?.close();
    watchers.delete(key);
  };

  const open = (key: string, path: string): boolean => {
    if (watchers.has(key)) return false;
    try {
      const watcher = watch(path, changed);
      watcher.on('error', () => close(key));
      watchers.set(key, watcher);
      return true;
    } catch {
      // Either the folder was deleted, or the system's limit on watches has been reached. The rescan handles both
      // cases.
      return false;
    }
  };

  return {
    setFolders: (folders) => {
      // The key contains the inode, because a folder that was deleted and created again needs a new watcher.
      const wanted = new Map(folders.map(({ path, inode }) => [`${inode}:${path}`, path]));
      for (const key of watchers.keys()) if (!wanted.has(key)) close(key);
      return [...wanted].map(([key, path]) => open(key, path)).includes(true);
    },
    stop: () => {
      clearTimeout(timer);
      for (const key of watchers.keys()) close(key);
    },
  };
}
