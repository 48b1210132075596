import { watch, type FSWatcher } from 'node:fs';
import { clearTimeout, setTimeout } from '../../clock.ts';

export type ManifestWatcher = {
  /** Watches exactly these folders from now on; true when one was not watched before. */
  setFolders: (folders: readonly { path: string; inode: string }[]) => boolean;
  stop: () => void;
};

/**
 * Calls `onChange` when something in the folders changed: `debounceMs` after the last of a burst of
 * changes, at most `maxDelayMs` after its first. It may miss some (network mounts, the limit on
 * watches): the rescan is what can be relied upon, this is what makes it quick.
 *
 * One watcher per folder: Node's own recursive one is, on Linux, a walk in JavaScript with a
 * watcher per file; and a folder's watcher sees renames, new files and swapped links at once.
 * chokidar does not do without the rescan either (decision 17).
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
      // Gone again, or no watches left: the rescan finds it.
      return false;
    }
  };

  return {
    setFolders: (folders) => {
      // By inode too: a folder that was removed and made again needs a new watcher.
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
