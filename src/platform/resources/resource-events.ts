import type { Resource } from './resource-store.ts';

/**
 * What `kubectl describe` shows below an object: something happened to it that a person wants to
 * know. Not the events of our users (src/events), which are promises; these may be lost or merged.
 */
export type ResourceEvent = {
  type: 'Normal' | 'Warning';
  /** Why, CamelCase, as in conditions */
  reason: string;
  /** What was done or tried, CamelCase */
  action: string;
  /** For people */
  note: string;
};

/** Never throws and never waits. */
export type RecordEvent = (about: Resource, event: ResourceEvent) => void;
