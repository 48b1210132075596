import type { FieldError } from '../../errors.ts';

/**
 * Store of declared objects. It has two implementations: `kubernetes` (the API server) and `postgres` (tables, for one
 * user without a cluster). Reconcilers, the API and the manifest folder use only this interface, which does not depend
 * on any kind. Every call may throw `StoreUnavailableError`. The semantics are a subset of those of Kubernetes:
 * server-side apply with one set of owners per top-level spec field, optimistic concurrency by `resourceVersion`, a
 * `generation` that changes only with the spec, and a status that is written separately.
 */

export type ObjectKey = { namespace: string; name: string };

/** Condition of a status (metav1.Condition). `lastTransitionTime` is in RFC 3339 format. */
export type Condition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration: number;
};

export type ObjectMeta = ObjectKey & {
  uid: string;
  /** Number that starts at 1 and increases with every change of the spec. */
  generation: number;
  /** Opaque value that changes with every write. */
  resourceVersion: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** Time in RFC 3339 format. */
  creationTimestamp: string;
  /** Uids of the owners of a Secret or ConfigMap in a cluster. */
  ownerUids?: string[];
};

/** Declared object. For Secret and ConfigMap, `spec` is `{ data: Record<string, string> }`, decoded. */
export type Resource<Spec = Record<string, unknown>, Status = Record<string, unknown>> = {
  kind: string;
  metadata: ObjectMeta;
  spec: Spec;
  status: Status;
  /** Field managers of each top-level spec field (usually one). */
  owners: Record<string, string[]>;
  /** Time of the last write of the spec by each field manager (RFC 3339), if the store records it. */
  wroteAt?: Record<string, string>;
};

/** Part of an object's metadata that its author writes. */
export type DeclaredMeta = ObjectKey & {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};

/** Complete declaration by one field manager, as in server-side apply. */
export type Applied = DeclaredMeta & {
  kind: string;
  spec: Record<string, unknown>;
  /**
   * Owner in the same namespace. When the owner is deleted, the cluster deletes this object too, even if no operator is
   * running.
   */
  owner?: { kind: string; name: string; uid: string };
};

export type ApplyOptions = {
  fieldManager: string;
  /**
   * Version that the object must have; otherwise the store throws `WriteConflictError`. '' means that the object must
   * not exist.
   */
  resourceVersion?: string;
};

/**
 * Notification that an object has changed. It contains only the key, because listeners read the object again
 * (level-based).
 */
export type ResourceChange = { kind: string; key: ObjectKey };

export type ResourceStore = {
  get: (kind: string, key: ObjectKey) => Promise<Resource | undefined>;
  list: (kind: string, namespace?: string) => Promise<Resource[]>;
  /**
   * Performs a server-side apply, never forced. Removes spec fields, labels and annotations that this manager declared
   * before but not now, unless another manager owns them too. Changes nothing if the result equals the stored object.
   * @throws FieldConflictError, InvalidResourceError, WriteConflictError, NamespaceRefusedError
   */
  apply: (applied: Applied, options: ApplyOptions) => Promise<Resource>;
  /** Sets annotations that no field manager owns, such as the operator's `parley.dev/id`. */
  annotate: (kind: string, key: ObjectKey, annotations: Record<string, string>) => Promise<void>;
  /** Replaces the status. Does nothing if the status is the same, or if the object with this uid no longer exists. */
  patchStatus: (
    kind: string,
    key: ObjectKey & { uid: string },
    status: Record<string, unknown>,
  ) => Promise<void>;
  /** Deletes an object. Returns false if it did not exist. @throws WriteConflictError */
  delete: (
    kind: string,
    key: ObjectKey,
    options?: { resourceVersion?: string },
  ) => Promise<boolean>;
  /**
   * Reports every object of the kind once, and then every change, including deletions, until the watch is stopped.
   * Calls `onSynced` after the first full list. Changes of only the status may be skipped.
   */
  watch: (
    kind: string,
    handlers: { onChange: (change: ResourceChange) => void; onSynced: () => void },
  ) => ResourceWatch;
};

export type ResourceWatch = {
  /**
   * Resolves when `get` and `list` return data at least as recent as this call. A new leader waits for it, because it
   * must not act on older data than its predecessor did. If the watch is stopped first, it never resolves.
   */
  refresh: () => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Event that `kubectl describe` shows for an object. It is unrelated to the events for our users (src/events): those
 * are delivered reliably, whereas these may be lost or merged.
 */
export type ResourceEvent = {
  type: 'Normal' | 'Warning';
  /** CamelCase code of the reason, as in conditions. */
  reason: string;
  /** CamelCase code of the action that was taken or attempted. */
  action: string;
  /** Text for people. */
  note: string;
};

/** Records an Event. Never throws, and returns immediately. */
export type RecordEvent = (about: Resource, event: ResourceEvent) => void;

/**
 * Error for a field that another manager has set to another value. `field` is a field of the spec, or
 * `metadata.labels.x`.
 */
export class FieldConflictError extends Error {
  override readonly name = 'FieldConflictError';
  readonly conflicts: readonly { field: string; manager: string }[];
  constructor(conflicts: readonly { field: string; manager: string }[]) {
    const inSpec = (field: string) => (field.startsWith('metadata.') ? field : `spec.${field}`);
    super(
      conflicts.map(({ field, manager }) => `${inSpec(field)} is owned by ${manager}`).join('; '),
    );
    this.conflicts = conflicts;
  }
}

/** Error for an object that violates the CRD's schema or a CEL rule. JSON Pointers start at the object's root. */
export class InvalidResourceError extends Error {
  override readonly name = 'InvalidResourceError';
  readonly errors: readonly FieldError[];
  constructor(errors: readonly FieldError[]) {
    super(errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '));
    this.errors = errors;
  }
}

/**
 * Error for a write after another writer has changed the object. The caller must read the object again and decide
 * again.
 */
export class WriteConflictError extends Error {
  override readonly name = 'WriteConflictError';
}

/** Error for a store that is currently unavailable. A retry may succeed. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** Error for a namespace that does not exist, or in which this process may not write. */
export class NamespaceRefusedError extends Error {
  override readonly name = 'NamespaceRefusedError';
}
