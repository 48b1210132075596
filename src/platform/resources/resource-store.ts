import type { FieldError } from '../../errors.ts';

/**
 * Store of declared objects. There are two implementations: `kubernetes` (the API server) and `postgres` (tables, for
 * one user without a cluster). Reconcilers, the API and the manifest folder know only this interface, and it does not
 * name any kinds. Every call may throw StoreUnavailableError.
 * Semantics are those of Kubernetes, reduced to what Parley needs: server-side apply with one owner set per top-level
 * spec field, optimistic concurrency by `resourceVersion`, a `generation` that changes only with the spec, and a
 * separately written status.
 */

export type ObjectKey = { namespace: string; name: string };

/** metav1.Condition. `lastTransitionTime` is RFC 3339. */
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
  /** Starts at 1 and increases with every change of the spec. */
  generation: number;
  /** Opaque; changes with every write. */
  resourceVersion: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** RFC 3339. */
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
  /** Top-level spec field → its field managers (usually one). */
  owners: Record<string, string[]>;
  /** Field manager → time of its last write of the spec (RFC 3339), if the store knows it. */
  wroteAt?: Record<string, string>;
};

/** The part of an object's metadata that its author writes. */
export type DeclaredMeta = ObjectKey & {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};

/** Complete declaration of a field manager, as in server-side apply. */
export type Applied = DeclaredMeta & {
  kind: string;
  spec: Record<string, unknown>;
  /** Owner in the same namespace. A cluster deletes this object with its owner, even without an operator. */
  owner?: { kind: string; name: string; uid: string };
};

export type ApplyOptions = {
  fieldManager: string;
  /** Required version of the object, otherwise WriteConflictError; '' means that it must not exist. */
  resourceVersion?: string;
};

/** Change of one object. It has only the key, because listeners read the object again (level-based). */
export type ResourceChange = { kind: string; key: ObjectKey };

export type ResourceStore = {
  get: (kind: string, key: ObjectKey) => Promise<Resource | undefined>;
  list: (kind: string, namespace?: string) => Promise<Resource[]>;
  /**
   * Performs a server-side apply, never forced. Drops spec fields, labels and annotations that this manager declared
   * before but not now, unless another manager owns them. Nothing changes if the result equals the stored object.
   * @throws FieldConflictError, InvalidResourceError, WriteConflictError, NamespaceRefusedError
   */
  apply: (applied: Applied, options: ApplyOptions) => Promise<Resource>;
  /** Adds annotations outside of any field set (the operator's `parley.dev/id`). */
  annotate: (kind: string, key: ObjectKey, annotations: Record<string, string>) => Promise<void>;
  /** Replaces the status. Does nothing if it is equal, or if the object (by uid) is gone. */
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
   * Reports every object of the kind once, then every change including deletions, and never ends on its own. Calls
   * `onSynced` after the first full list. It may skip changes of the status alone.
   */
  watch: (
    kind: string,
    handlers: { onChange: (change: ResourceChange) => void; onSynced: () => void },
  ) => ResourceWatch;
};

export type ResourceWatch = {
  /**
   * Resolves when `get` and `list` show nothing older than this call: a new leader must not act on older data than its
   * predecessor. Never resolves if stopped before.
   */
  refresh: () => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Event that `kubectl describe` shows below an object, about something that a person needs to know. It is unrelated to
 * our users' events (src/events), which are guaranteed. These may be lost or merged.
 */
export type ResourceEvent = {
  type: 'Normal' | 'Warning';
  /** Reason in CamelCase, as in conditions. */
  reason: string;
  /** Action or attempt in CamelCase. */
  action: string;
  /** Text for people. */
  note: string;
};

/** Never throws and never waits. */
export type RecordEvent = (about: Resource, event: ResourceEvent) => void;

/** Another manager has another value in a field. `field` is a field of the spec, or `metadata.labels.x`. */
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

/** The object breaks the CRD's schema or a CEL rule. Pointers start at the object's root. */
export class InvalidResourceError extends Error {
  override readonly name = 'InvalidResourceError';
  readonly errors: readonly FieldError[];
  constructor(errors: readonly FieldError[]) {
    super(errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '));
    this.errors = errors;
  }
}

/** Another writer changed the object in between: read and decide again. */
export class WriteConflictError extends Error {
  override readonly name = 'WriteConflictError';
}

/** The store is unavailable now; a retry may succeed. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** The namespace does not exist, or this process may not write in it. */
export class NamespaceRefusedError extends Error {
  override readonly name = 'NamespaceRefusedError';
}
