/** Tracks the browser windows in which each chat is open, in this process. */
export type TalkWindows = {
  /**
   * Adds a window that shows a conversation. If the conversation then has more than `WINDOWS_MAX` windows, disconnects
   * the oldest one. Returns a function that removes the added window.
   */
  add: (conversationId: string, leave: () => void) => () => void;
};

/** Maximum number of browser windows per chat. Every message is sent to each of them. */
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
