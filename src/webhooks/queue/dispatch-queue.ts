import type { EventType } from '../../events/event-types.ts';

/**
 * All the delivery engine knows of its queue. `createPostgresQueue` (delivery-queue.sql.ts) is the
 * only one. Producers do not use it: they commit an event and its queued deliveries with the change
 * itself (src/events/outbox.sql.ts), so a queue kept elsewhere has to be fed from those rows.
 */
export type DispatchQueue = {
  /** Leases due deliveries; see `ClaimBudget`. `leaseToken` fences their results. */
  claim: (budgets: readonly ClaimBudget[], leaseToken: string) => Promise<ClaimedDelivery[]>;
  /** Endpoints that have something due now. */
  listDue: () => Promise<DueEndpoint[]>;
  /** First attempts of conversation events have started: their successors may be claimed. */
  markStarted: (ids: readonly string[]) => Promise<void>;
  /** Records attempts, all or none; returns the deliveries whose result counted. */
  complete: (results: readonly AttemptResult[]) => Promise<Set<string>>;
  /** Cancels what was claimed and has nothing to send; returns how many. */
  cancel: (ids: readonly string[], leaseToken: string) => Promise<number>;
  /** Fails what is not acknowledged after 72 h; returns how many. */
  expire: () => Promise<number>;
  measure: () => Promise<Backlog>;
};

export const TRIGGERS = ['schedule', 'manual', 'replay', 'test'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Longer than an attempt (10 s), the grace for its body and a completion that is delayed. */
export const LEASE_MS = 30_000;
/** No attempt starts later than this after the event or the request to replay it (contract/deliveries.md#retries). */
export const DEADLINE_MS = 72 * 3_600_000;

/**
 * From this long after it was due a delivery counts as backlog: some more time matters less to it
 * than to an event that somebody waits for now.
 */
export const LATE_MS = 2_000;

/** `hasAhead`: somebody asked for an attempt of one of its deliveries now, past the breaker. */
export type DueEndpoint = { endpointId: string; hasAhead: boolean };

/** A delivery leased to this process, with all that its attempt needs. Ids are uuids. */
export type ClaimedDelivery = {
  id: string;
  namespace: string;
  endpointId: string;
  eventId: string;
  eventType: EventType;
  trigger: Trigger;
  /** The attempt was asked for, by hand or by a job; the schedule may not be there yet. */
  isManual: boolean;
  /** Of a test event, or of its replay. */
  isTest: boolean;
  conversationId: string | null;
  /** Number of the attempt that the claim begins, from 1. */
  attempt: number;
  leaseToken: string;
  /** At the claim: ms since the schedule began. */
  ageMs: number;
  /** At the claim: ms since the attempt was due, by the schedule or because it was asked for. */
  waitedMs: number;
  /** At the claim: ms since it was due by the schedule; below 0: it is ahead of it. */
  overdueMs: number;
  /** An earlier claimer vanished; its attempt was recorded as lost. */
  lost: boolean;
  url: string;
  /** Those that an earlier release left unsealed, until the operator seals them. */
  plainHeaders: Record<string, string>;
  /** Sealed; those of REST win. */
  declaredHeaders: Buffer | null;
  restHeaders: Buffer | null;
  /** A retry, made by a job, or late: fresh events go before it. */
  yields: boolean;
  /** Sealed; what `parley-signature` is made with. */
  secret: Buffer;
  /** Sealed; during a rotation the other secret that is live. */
  otherSecret: Buffer | null;
  /** null: the event is gone or was erased, and there is nothing to send. */
  body: Buffer | null;
  /** The trace in which the event happened. */
  traceparent: string | null;
};

/** Deliveries that may be claimed for an endpoint, and how many of them may be yielding ones. */
export type ClaimBudget = { endpointId: string; slots: number; yieldingSlots: number };

/** The outcome of one attempt. */
export type AttemptResult = {
  deliveryId: string;
  leaseToken: string;
  outcome: 'delivered' | 'retry' | 'failed';
  /** For a retry: when the next attempt is due, in ms after the schedule began. */
  nextOffsetMs: number | null;
  durationMs: number;
  statusCode: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  responseBody: string | null;
};

/** For the gauges. */
export type Backlog = {
  pending: number;
  /** Counts only what could be attempted now. */
  oldestDueAgeSec: number;
  /** By state: healthy, failing, disabled. */
  endpoints: Record<string, number>;
};
