import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { Live, LiveEvent, LiveState } from './live.ts';

export const LiveContext = createContext<Live | null>(null);

function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error('this hook must be used inside a LiveContext');
  return live;
}

export function useLiveState(): LiveState {
  const live = useLive();
  return useSyncExternalStore(live.onState, live.state);
}

/** Calls the listener with every event of the namespace as it arrives, while the component is mounted. */
export function useLiveEvents(listener: (event: LiveEvent) => void): void {
  const live = useLive();
  const told = useEffectEvent(listener);
  useEffect(() => live.onEvent((event) => told(event)), [live]);
}
