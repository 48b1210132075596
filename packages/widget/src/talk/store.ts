/** Container for a state. It notifies listeners of changes. */
export type Store<State> = {
  get: () => State;
  set: (changed: Partial<State>) => void;
  /**
   * Adds a listener.
   * @returns a function that removes the listener
   */
  subscribe: (listener: () => void) => () => void;
};

/**
 * Creates a store. Each change creates a new state object, so that listeners can detect changes by comparing
 * references.
 */
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
