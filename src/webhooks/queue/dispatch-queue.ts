import type { EventType } from '../../events/event-types.ts';

/**
 * Interface between the delivery engine and its queue. `createPostgresQueue` (delivery-queue.sql.ts) is the only
 * implementation. Producers do not use it: they commit an event and its queued deliveries together with the change
 * (src/events/outbox.sql.ts). A queue stored elsewhere would have to be fed from those rows.
 */
export type DispatchQueue = {
  /** Leases due deliveries; see `ClaimBudget`. `leaseToken` fences their results. */
  claim: (budgets: readonly ClaimBudget[], leaseToken: string) => Promise<ClaimedDelivery[]>;
  listDue: () => Promise<DueEndpoint[]>;
  /** Marks first attempts of conversation events as started, so that their successors may be claimed. */
  markStarted: (ids: readonly string[]) => Promise<void>;
  /** Records attempts, all or none; returns the deliveries whose result counted. */
  complete: (results: readonly AttemptResult[]) => Promise<Set<string>>;
  /** Cancels claimed deliveries that have no body to send; returns how many. */
  cancel: (ids: readonly string[], leaseToken: string) => Promise<number>;
  /** Fails deliveries that are not acknowledged after 72 h; returns how many. */
  expire: () => Promise<number>;
  measure: () => Promise<Backlog>;
};

export const TRIGGERS = ['schedule', 'manual', 'replay', 'test'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Lease time. It is longer than an attempt (10 s), the grace for its body and a delayed completion together. */
export const LEASE_MS = 30_000;
/**
 * Deadline: no attempt starts later than this after the event or its replay request (contract/deliveries.md#retries).
 */
export const DEADLINE_MS = 72 * 3_600_000;

/** How overdue a delivery must be to count as backlog. More delay matters less to it than to a fresh event. */
export const LATE_MS = 2_000;

/** Endpoint with due deliveries. `hasAhead`: a user requested a retry that bypasses the breaker. */
export type DueEndpoint = { endpointId: string; hasAhead: boolean };

/** Delivery leased to this process, with everything its attempt needs. Ids are UUIDs. */
export type ClaimedDelivery = {
  id: string;
  namespace: string;
  endpointId: string;
  eventId: string;
  eventType: EventType;
  trigger: Trigger;
  /** Whether a user or a job requested this attempt, possibly ahead of the schedule. */
  isManual: boolean;
  /** Whether it delivers a test event or the replay of one. */
  isTest: boolean;
  conversationId: string | null;
  /** Number of the attempt that the claim begins, from 1. */
  attempt: number;
  leaseToken: string;
  /** Age at the claim, in ms since the schedule began. */
  ageMs: number;
  /** Wait at the claim, in ms since the attempt was due, by the schedule or by request. */
  waitedMs: number;
  /** Delay at the claim, in ms since it was due by the schedule; negative if it is ahead of the schedule. */
  overdueMs: number;
  /** Whether an earlier process lost the lease; its attempt was recorded as lost. */
  lost: boolean;
  url: string;
  /** Headers that an earlier release left unsealed, until the operator seals them. */
  plainHeaders: Record<string, string>;
  /** Sealed headers; those of REST take precedence. */
  declaredHeaders: Buffer | null;
  restHeaders: Buffer | null;
  /** Whether fresh events precede it: a retry, a delivery made by a job, or a late one. */
  yields: boolean;
  /** Sealed secret of `parley-signature`. */
  secret: Buffer;
  /** Sealed second secret that is live during a rotation. */
  otherSecret: Buffer | null;
  /** Body to send; null if the event was deleted or erased. */
  body: Buffer | null;
  /** Trace of the event. */
  traceparent: string | null;
};

/** Maximum number of deliveries to claim for an endpoint. At most `yieldingSlots` may be yielding. */
export type ClaimBudget = { endpointId: string; slots: number; yieldingSlots: number };

export type AttemptResult = {
  deliveryId: string;
  leaseToken: string;
  outcome: 'delivered' | 'retry' | 'failed';
  /** Due time of the next attempt after a retry, in ms after the schedule began. */
  nextOffsetMs: number | null;
  durationMs: number;
  statusCode: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  responseBody: string | null;
};

/** Values of the gauges. */
export type Backlog = {
  pending: number;
  /** Age of the oldest delivery that could be attempted now. */
  oldestDueAgeSec: number;
  /** Number of endpoints by state: healthy, failing, not_ready, disabled. */
  endpoints: Record<string, number>;
};
