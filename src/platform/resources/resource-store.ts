import type { FieldError } from '../../errors.ts';

/**
 * This module defines the store of declared objects. The store has two implementations: `kubernetes` (the API server)
 * and `postgres` (tables, for a single user without a cluster). Reconcilers, the API and the manifest folder use only
 * this interface, which does not depend on any kind. Every call may throw `StoreUnavailableError`. The semantics are a
 * subset of Kubernetes': server-side apply with one set of owners per top-level spec field, optimistic concurrency with
 * `resourceVersion`, a `generation` that changes only with the spec, and a status that is written separately.
 */

export type ObjectKey = { namespace: string; name: string };

/** A condition in a status (metav1.Condition). `lastTransitionTime` is in RFC 3339 format. */
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
  /** Number that starts at 1 and increases with every change to the spec. */
  generation: number;
  /** Opaque value that changes with every write. */
  resourceVersion: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** Time in RFC 3339 format. */
  creationTimestamp: string;
  /** Uids of the owners of a Secret or ConfigMap. Set only in a cluster. */
  ownerUids?: string[];
};

/** A declared object. The `spec` of a Secret or ConfigMap is `{ data: Record<string, string> }` with decoded values. */
export type Resource<Spec = Record<string, unknown>, Status = Record<string, unknown>> = {
  kind: string;
  metadata: ObjectMeta;
  spec: Spec;
  status: Status;
  /** Field managers of each top-level spec field (usually one). */
  owners: Record<string, string[]>;
  /** Time at which each field manager last wrote the spec (RFC 3339), if the store records it. */
  wroteAt?: Record<string, string>;
};

/** The part of an object's metadata that its author writes. */
export type DeclaredMeta = ObjectKey & {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};

/** Everything that one field manager declares for an object, as in server-side apply. */
export type Applied = DeclaredMeta & {
  kind: string;
  spec: Record<string, unknown>;
  /**
   * Owner of the object, in the same namespace. When the owner is deleted, the cluster deletes this object too, even if
   * no operator is running.
   */
  owner?: { kind: string; name: string; uid: string };
};

export type ApplyOptions = {
  fieldManager: string;
  /**
   * Version that the object must have. If the object has a different version, the store throws `WriteConflictError`. ''
   * means that the object must not exist.
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
   * Performs a server-side apply, which is never forced. Removes the spec fields, labels and annotations that this
   * manager declared earlier but no longer declares, unless another manager owns them too. Changes nothing if the
   * result is equal to the stored object.
   * @throws FieldConflictError, InvalidResourceError, WriteConflictError, NamespaceRefusedError
   */
  apply: (applied: Applied, options: ApplyOptions) => Promise<Resource>;
  /** Sets annotations that no field manager owns, such as the operator's `parley.dev/id`. */
  annotate: (kind: string, key: ObjectKey, annotations: Record<string, string>) => Promise<void>;
  /** Replaces the status. Does nothing if the status is unchanged, or if the object with this uid no longer exists. */
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
   * Calls `onSynced` after the first full list. Changes that affect only the status may be skipped.
   */
  watch: (
    kind: string,
    handlers: { onChange: (change: ResourceChange) => void; onSynced: () => void },
  ) => ResourceWatch;
};

export type ResourceWatch = {
  /**
   * Resolves when `get` and `list` return data that is at least as recent as this call. A new leader waits for this, so
   * that it never acts on older data than its predecessor did. Never resolves if the watch is stopped first.
   */
  refresh: () => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Event that `kubectl describe` shows for an object. It is unrelated to the events for our users (src/events), which
 * are delivered reliably. Kubernetes Events may be lost or merged.
 */
export type ResourceEvent = {
  type: 'Normal' | 'Warning';
  /** CamelCase code for the reason, as in conditions. */
  reason: string;
  /** CamelCase code for the action that was taken or attempted. */
  action: string;
  /** Message for people. */
  note: string;
};

/** Records an Event. Never throws, and returns immediately. */
export type RecordEvent = (about: Resource, event: ResourceEvent) => void;

/**
 * Thrown if another manager has set a field to a different value. `field` is the name of a spec field, or a path such
 * as `metadata.labels.x`.
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

/** Thrown if an object violates the CRD's schema or a CEL rule. JSON Pointers start at the object's root. */
export class InvalidResourceError extends Error {
  override readonly name = 'InvalidResourceError';
  readonly errors: readonly FieldError[];
  constructor(errors: readonly FieldError[]) {
    super(errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '));
    this.errors = errors;
  }
}

/**
 * Thrown if another writer has changed the object in the meantime. The caller must read the object again and decide
 * again what to write.
 */
export class WriteConflictError extends Error {
  override readonly name = 'WriteConflictError';
}

/** Thrown if the store is currently unavailable. A retry may succeed. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** Thrown if a namespace does not exist, or if this process may not write to it. */
export class NamespaceRefusedError extends Error {
  override readonly name = 'NamespaceRefusedError';
}
