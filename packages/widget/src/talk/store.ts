/** What is so now, and who wants to know when it changes. */
export type Store<State> = {
  get: () => State;
  set: (changed: Partial<State>) => void;
  /** @returns forgets the listener */
  subscribe: (listener: () => void) => () => void;
};

/** Each change is a new object: who kept the one before can compare. */
export function createStore<State extends object>(initial: State): Store<State> {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    set: (changed) => {
      state = { ...state, ...changed };
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
