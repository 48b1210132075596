import { watch, type FSWatcher } from 'node:fs';
import { clearTimeout, setTimeout } from '../../clock.ts';

export type ManifestWatcher = {
  /** Watches exactly these folders from now on. Returns true if one was not watched before. */
  setFolders: (folders: readonly { path: string; inode: string }[]) => boolean;
  stop: () => void;
};

/**
 * Calls `onChange` when something in the folders changed: `debounceMs` after the last of a burst of changes, at most
 * `maxDelayMs` after its first. It may miss some (network mounts, the limit on watches): the rescan provides
 * reliability, and the watcher provides speed.
 * It uses one watcher per folder. On Linux, Node's recursive watcher is a walk in JavaScript with a watcher per file. A
 * folder's own watcher sees renames, new files and swapped links immediately. chokidar needs the rescan as well
 * (decision 17).
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
      // The folder is gone again, or no watches are left. The rescan covers both.
      return false;
    }
  };

  return {
    setFolders: (folders) => {
      // The key includes the inode, because a folder that was removed and created again needs a new watcher.
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
