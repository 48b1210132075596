/** Open windows of each talk in writing, in this process. */
export type TalkWindows = {
  /** Adds a window of a conversation, and lets go of its oldest one if there are too many. Returns what removes it. */
  add: (conversationId: string, leave: () => void) => () => void;
};

/** A visitor's tabs. Each costs a part of what every message costs. */
const WINDOWS_MAX = 5;

export function createTalkWindows(): TalkWindows {
  const talks = new Map<string, Set<() => void>>();
  return {
    add: (id, leave) => {
      const windows = talks.get(id) ?? new Set();
      talks.set(id, windows.add(leave));
      const remove = (gone: () => void): void => {
        windows.delete(gone);
        if (windows.size === 0 && talks.get(id) === windows) talks.delete(id);
      };
      const [oldest] = windows;
      if (oldest && windows.size > WINDOWS_MAX) {
        remove(oldest);
        oldest();
      }
      return () => remove(leave);
    },
  };
}
