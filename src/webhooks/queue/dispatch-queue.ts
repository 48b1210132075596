import type { EventType } from '../../events/event-types.ts';

/**
 * Interface between the delivery engine and its queue. `createPostgresQueue` (delivery-queue.sql.ts) is the only
 * implementation. Events do not enter the queue through this interface: the code that emits an event inserts the event
 * and its queued deliveries in the transaction of the change (src/events/outbox.sql.ts).
 */
export type DispatchQueue = {
  /**
   * Leases due deliveries within the budgets. `complete` later accepts a result only with the same `leaseToken`
   * (fencing).
   */
  claim: (budgets: readonly ClaimBudget[], leaseToken: string) => Promise<ClaimedDelivery[]>;
  /** Returns the endpoints with due deliveries, and the time until another endpoint has a delivery due. */
  listDue: () => Promise<Due>;
  /** Returns the namespace of each endpoint. The map has no entry for an endpoint that does not exist. */
  namespacesOf: (endpointIds: readonly string[]) => Promise<Map<string, string>>;
  /**
   * Marks first attempts of conversation events as started, so that the next events of the same conversation can be
   * claimed. Returns the deliveries for which no later delivery waits: the queue has no later, unclaimed delivery of
   * the same conversation and endpoint.
   */
  markStarted: (ids: readonly string[]) => Promise<Set<string>>;
  /** Records either all or none of the attempts. Returns the deliveries whose results were accepted. */
  complete: (results: readonly AttemptResult[]) => Promise<Set<string>>;
  /** Cancels claimed deliveries that have no body to send. Returns their number. */
  cancel: (ids: readonly string[], leaseToken: string) => Promise<number>;
  /** Marks as failed all deliveries that were not acknowledged within 72 h. Returns their number. */
  expire: () => Promise<number>;
  measure: () => Promise<Backlog>;
};

export const TRIGGERS = ['schedule', 'manual', 'replay', 'test'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/**
 * Duration of a lease in ms. A lease must outlast an attempt (10 s), the reading of the response body, and a delayed
 * recording of the result.
 */
export const LEASE_MS = 30_000;
/**
 * Deadline in ms. No attempt starts later than this after the event or, for a replay, after the replay request
 * (contract/deliveries.md#retries).
 */
export const DEADLINE_MS = 72 * 3_600_000;

/**
 * Time in ms by which a delivery must be overdue to count as late. A late delivery lets fresh events go first, because
 * a further delay matters less if the delivery is late already.
 */
export const LATE_MS = 2_000;

/**
 * Endpoints with due deliveries. `nextInMs` is the time in ms until the next delivery becomes due, among the endpoints
 * that have none due now; null if there is none.
 */
export type Due = { endpoints: DueEndpoint[]; nextInMs: number | null };

/**
 * Endpoint with due deliveries. `hasAhead` is true if one of them is a retry that a user requested, which bypasses the
 * circuit breaker.
 */
export type DueEndpoint = { endpointId: string; namespace: string; hasAhead: boolean };

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
  /** Whether this is the delivery of a test event, or the replay of one. */
  isTest: boolean;
  conversationId: string | null;
  /** Number of the attempt that this claim begins; the first is 1. */
  attempt: number;
  leaseToken: string;
  /** Time from the start of the schedule to the claim, in ms. */
  ageMs: number;
  /** Time in ms for which the attempt had been due, by schedule or by request, when it was claimed. */
  waitedMs: number;
  /**
   * Time in ms from the scheduled time of the attempt to the claim. It is negative if the attempt is ahead of the
   * schedule.
   */
  overdueMs: number;
  /** Whether an earlier process lost its lease on this delivery. The attempt of that process was recorded as lost. */
  lost: boolean;
  url: string;
  /** Headers that an earlier release stored unencrypted. Empty once the operator has encrypted them. */
  plainHeaders: Record<string, string>;
  /** Declared headers, encrypted (sealed). A header of the same name set by REST takes precedence. */
  declaredHeaders: Buffer | null;
  restHeaders: Buffer | null;
  /** Whether this delivery lets fresh events go first, because it is a retry, was created by a job, or is late. */
  yields: boolean;
  /** Encrypted secret with which `parley-signature` is computed. */
  secret: Buffer;
  /** Encrypted second secret that is also valid during a rotation. */
  otherSecret: Buffer | null;
  /** Body to send; null if the event was deleted or erased. */
  body: Buffer | null;
  /** W3C trace context of the event. */
  traceparent: string | null;
};

/** Maximum number of deliveries to claim for an endpoint. At most `yieldingSlots` may be yielding. */
export type ClaimBudget = { endpointId: string; slots: number; yieldingSlots: number };

export type AttemptResult = {
  deliveryId: string;
  leaseToken: string;
  outcome: 'delivered' | 'retry' | 'failed';
  /** Due time of the next attempt, in ms after the start of the schedule. Null unless `outcome` is `retry`. */
  nextOffsetMs: number | null;
  durationMs: number;
  statusCode: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  responseBody: string | null;
};

/** Values of the backlog gauges. */
export type Backlog = {
  pending: number;
  /** Age in seconds of the oldest delivery that could be attempted now. */
  oldestDueAgeSec: number;
  /** Number of endpoints by state: `healthy`, `failing`, `not_ready` and `disabled`. */
  endpoints: Record<string, number>;
};
