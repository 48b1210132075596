import type { FieldError } from '../../errors.ts';

/**
 * Where declared things live. Two implementations: `kubernetes` (the API server) and `postgres`
 * (tables, for one user without a cluster). Reconcilers, the API and the manifest folder know only
 * this interface, and none of it knows the kinds by name. Every call may throw
 * StoreUnavailableError.
 *
 * Semantics are those of Kubernetes, cut down to what Parley needs: server-side apply with one
 * owner set per top-level spec field, optimistic concurrency by `resourceVersion`, a
 * `generation` that moves only with the spec, status written apart.
 */

/** `namespace` and `name` of one object of a kind. */
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
  /** Moves by one with every change of the spec, from 1. */
  generation: number;
  /** Opaque; changes with every write. */
  resourceVersion: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** RFC 3339 */
  creationTimestamp: string;
  /** Uids of the owners of a Secret or ConfigMap in a cluster. */
  ownerUids?: string[];
};

/** An object. Of Secret and ConfigMap `spec` is `{ data: Record<string, string> }`, decoded. */
export type Resource<Spec = Record<string, unknown>, Status = Record<string, unknown>> = {
  kind: string;
  metadata: ObjectMeta;
  spec: Spec;
  status: Status;
  /** Top-level spec field → its field managers (usually one). */
  owners: Record<string, string[]>;
  /** Field manager → when it last wrote the spec, RFC 3339, where the store knows. */
  wroteAt?: Record<string, string>;
};

/** The part of an object's metadata that its author writes. */
export type DeclaredMeta = ObjectKey & {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};

/** What a field manager declares: the whole of its part, as in server-side apply. */
export type Applied = DeclaredMeta & {
  kind: string;
  spec: Record<string, unknown>;
  /** Owner in the same namespace. A cluster deletes this object with its owner, even without an operator. */
  owner?: { kind: string; name: string; uid: string };
};

export type ApplyOptions = {
  fieldManager: string;
  /** WriteConflictError unless the object is still at this version; '': it must not exist. */
  resourceVersion?: string;
};

/** One object changed. Only the key: whoever listens reads the object again (level-based). */
export type ResourceChange = { kind: string; key: ObjectKey };

export type ResourceStore = {
  get: (kind: string, key: ObjectKey) => Promise<Resource | undefined>;
  list: (kind: string, namespace?: string) => Promise<Resource[]>;
  /**
   * Server-side apply, never forced. Spec fields, labels and annotations this manager declared
   * before and does not now are dropped unless another owns them. Nothing changes when the result
   * equals what is stored.
   * @throws FieldConflictError, InvalidResourceError, WriteConflictError, NamespaceRefusedError
   */
  apply: (applied: Applied, options: ApplyOptions) => Promise<Resource>;
  /** Adds annotations outside anyone's field set (the operator's `parley.dev/id`). */
  annotate: (kind: string, key: ObjectKey, annotations: Record<string, string>) => Promise<void>;
  /** Replaces the status; silent when it is equal or the object (by uid) is gone. */
  patchStatus: (
    kind: string,
    key: ObjectKey & { uid: string },
    status: Record<string, unknown>,
  ) => Promise<void>;
  /** True when there was something to delete. @throws WriteConflictError */
  delete: (
    kind: string,
    key: ObjectKey,
    options?: { resourceVersion?: string },
  ) => Promise<boolean>;
  /**
   * Reports every object of the kind once, then every change, deletions included; never ends by
   * itself. `onSynced` is called after the first full list. A change of the status alone need not
   * be reported.
   */
  watch: (
    kind: string,
    handlers: { onChange: (change: ResourceChange) => void; onSynced: () => void },
  ) => ResourceWatch;
};

export type ResourceWatch = {
  /**
   * Resolves when `get` and `list` show nothing older than this call: who takes over from another
   * must not act on less than that one knew. Never, if stopped before.
   */
  refresh: () => Promise<void>;
  stop: () => Promise<void>;
};

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

/** Another manager has another value there. `field`: of the spec, or `metadata.labels.x`. */
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

/** The object breaks the CRD's schema or a CEL rule; pointers start at the object's root. */
export class InvalidResourceError extends Error {
  override readonly name = 'InvalidResourceError';
  readonly errors: readonly FieldError[];
  constructor(errors: readonly FieldError[]) {
    super(errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '));
    this.errors = errors;
  }
}

/** Somebody else wrote in between: read again, decide again. */
export class WriteConflictError extends Error {
  override readonly name = 'WriteConflictError';
}

/** The store cannot be asked now; a repeat may succeed. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** There is no such namespace, or this process may not write in it. */
export class NamespaceRefusedError extends Error {
  override readonly name = 'NamespaceRefusedError';
}
