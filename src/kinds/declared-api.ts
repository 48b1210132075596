import type { Plan } from '../platform/idempotency/plan.ts';
import type { Caller, Scope } from '../platform/http/authorize.ts';
import type { Precondition } from '../platform/declare/precondition.ts';
import type { RowKey } from '../platform/declare/declared-kind.ts';
import type { ErrorCode } from '../errors.ts';
import type { ListPage } from '../platform/postgres/list-filters.ts';

/** What the OpenAPI document says of the routes of a kind beside what follows from its names. */
export type DeclaredTexts = {
  tag: string;
  /** Descriptions of the operations. */
  describe: { list?: string; create?: string; patch?: string; delete?: string };
};

/** An object in an answer. `shown`: its row shows it as it was written. */
export type Answered = { etag: string; body: Record<string, unknown>; shown: boolean };

/** What the five routes of a kind do. `Body`: of a create; `Filters`: of the list. Both are parsed by their schemas. */
export type DeclaredApi<Body = unknown, Filters = Record<string, unknown>> = {
  /** `limit` is one more than the page has. */
  list: (filter: ListPage & Filters) => Promise<{ id: string; body: Record<string, unknown> }[]>;
  read: (key: RowKey) => Promise<Answered>;
  create: (caller: Caller, request: { body: Body; plan: Plan }) => Promise<Answered>;
  patch: (
    caller: Caller,
    request: { id: string; patch: Record<string, unknown>; precondition: Precondition },
  ) => Promise<Answered>;
  remove: (caller: Caller, request: { id: string; precondition: Precondition }) => Promise<void>;
};

/** A scope that some writes need beside their own. */
export type AlsoNeeds = { scope: Scope; when: string };
export type WriteErrors = readonly ErrorCode[];
