import type { Plan } from '../platform/idempotency/plan.ts';
import type { Caller, Scope } from '../platform/http/authorize.ts';
import type { Precondition } from '../platform/declare/precondition.ts';
import type { RowKey } from '../platform/declare/declared-kind.ts';
import type { ErrorCode } from '../errors.ts';
import type { ListPage } from '../platform/postgres/list-filters.ts';

/** Tag and descriptions of a kind's routes in the OpenAPI document. They cannot be derived from the kind's names. */
export type DeclaredTexts = {
  tag: string;
  describe: { list?: string; create?: string; patch?: string; delete?: string };
};

/**
 * Object in a response. `shown` is true if the operator has already applied the latest write to the object's row in the
 * database.
 */
export type Answered = { etag: string; body: Record<string, unknown>; shown: boolean };

/**
 * Object in a list. `fits` is false if the object would make the page too large, and undefined for kinds whose objects
 * are always small.
 */
export type ListedObject = { id: string; body: Record<string, unknown>; fits?: boolean };

/**
 * Handlers of a kind's five routes. `Body` is the body of a create request, and `Filters` are the filters of the list.
 * Both have already been parsed by their schemas.
 */
export type DeclaredApi<Body = unknown, Filters = Record<string, unknown>> = {
  /**
   * Lists up to `limit` objects. `limit` is one more than the page size, so that the caller can detect whether another
   * page follows. If an object does not fit into the page, the list ends with that object.
   */
  list: (filter: ListPage & Filters) => Promise<ListedObject[]>;
  read: (key: RowKey) => Promise<Answered>;
  create: (caller: Caller, request: { body: Body; plan: Plan }) => Promise<Answered>;
  patch: (
    caller: Caller,
    request: { id: string; patch: Record<string, unknown>; precondition: Precondition },
  ) => Promise<Answered>;
  remove: (caller: Caller, request: { id: string; precondition: Precondition }) => Promise<void>;
};

/** Additional scope that some writes require. `when` describes those writes in the OpenAPI document. */
export type AlsoNeeds = { scope: Scope; when: string };
export type WriteErrors = readonly ErrorCode[];
