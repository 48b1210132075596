import type { Plan } from '../platform/idempotency/plan.ts';
import type { Caller, Scope } from '../platform/http/authorize.ts';
import type { Precondition } from '../platform/declare/precondition.ts';
import type { RowKey } from '../platform/declare/declared-kind.ts';
import type { ErrorCode } from '../errors.ts';
import type { ListPage } from '../platform/postgres/list-filters.ts';

/** Texts of a kind's routes in the OpenAPI document that do not follow from its names. */
export type DeclaredTexts = {
  tag: string;
  describe: { list?: string; create?: string; patch?: string; delete?: string };
};

/** Object in a response. `shown` is true if the operator has applied the write, so that the row includes it. */
export type Answered = { etag: string; body: Record<string, unknown>; shown: boolean };

/**
 * Handlers of a kind's five routes. `Body` is the body of a create, `Filters` those of the list; both are parsed by
 * their schemas.
 */
export type DeclaredApi<Body = unknown, Filters = Record<string, unknown>> = {
  /**
   * Lists a page of `limit` objects. The caller asks for one more than the page size, to detect whether another page
   * follows.
   */
  list: (filter: ListPage & Filters) => Promise<{ id: string; body: Record<string, unknown> }[]>;
  read: (key: RowKey) => Promise<Answered>;
  create: (caller: Caller, request: { body: Body; plan: Plan }) => Promise<Answered>;
  patch: (
    caller: Caller,
    request: { id: string; patch: Record<string, unknown>; precondition: Precondition },
  ) => Promise<Answered>;
  remove: (caller: Caller, request: { id: string; precondition: Precondition }) => Promise<void>;
};

/** Additional scope that some writes need. */
export type AlsoNeeds = { scope: Scope; when: string };
export type WriteErrors = readonly ErrorCode[];
