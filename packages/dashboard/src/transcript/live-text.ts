import { useSyncExternalStore } from 'react';

/**
 * Text that grows as a reply arrives. Only the components that show the text render again, at most once per frame, no
 * matter how many tokens arrive.
 */
export type LiveText = {
  append: (text: string) => void;
  clear: () => void;
  read: () => string;
  subscribe: (listener: () => void) => () => void;
};

export function createLiveText(): LiveText {
  const listeners = new Set<() => void>();
  let text = '';
  let shown = '';
  let frame: number | undefined;
  const show = (): void => {
    frame = undefined;
    shown = text;
    for (const listener of listeners) listener();
  };
  const change = (next: string): void => {
    text = next;
    frame ??= requestAnimationFrame(show);
  };
  return {
    append: (more) => change(text + more),
    clear: () => change(''),
    read: () => shown,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useLiveText({ subscribe, read }: LiveText): string {
  return useSyncExternalStore(subscribe, read);
}
