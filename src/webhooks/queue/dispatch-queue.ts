import type { EventType } from '../../events/event-types.ts';

/**
 * What the delivery engine needs of a queue, and all it knows of it. `createPostgresQueue`
 * (delivery-queue.ts) is the one there is. Producers are no part of this: they commit events and
 * their queued deliveries with the change they tell of (events.ts), so an engine that keeps the
 * queue elsewhere has to be fed from those rows.
 */
export type DispatchQueue = {
  /** Leases due deliveries; see `ClaimBudget`. `leaseToken` fences their results. */
  claim: (budgets: readonly ClaimBudget[], leaseToken: string) => Promise<ClaimedDelivery[]>;
  /** Endpoints that have something due now. */
  listDue: () => Promise<string[]>;
  /** First attempts of conversation events have started: the next one of each may be claimed. */
  markStarted: (ids: readonly string[]) => Promise<void>;
  /** Records attempts, all or none; returns the deliveries whose result counted. */
  complete: (results: readonly AttemptResult[]) => Promise<Set<string>>;
  /** Ends what was claimed and has nothing to send; returns how many. */
  cancel: (ids: readonly string[], leaseToken: string) => Promise<number>;
  /** Ends what has passed its 72 h without an acknowledgement; returns how many. */
  expire: () => Promise<number>;
  measure: () => Promise<Backlog>;
};

export const TRIGGERS = ['schedule', 'manual', 'replay', 'test'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Longer than an attempt (10 s) + body grace + a completion that has to wait for the database. */
export const LEASE_MS = 30_000;
/** No attempt starts later than this after the event or the request to replay it (contract §5). */
export const DEADLINE_MS = 72 * 3_600_000;

/**
 * So long after it was due a delivery is part of a backlog, and no longer of what happens now: some
 * more time matters less to it than to an event that somebody waits for.
 */
export const LATE_MS = 2_000;

/** A delivery leased to us, with all its attempt needs. Ids are uuids. */
export type ClaimedDelivery = {
  id: string;
  namespace: string;
  endpointId: string;
  eventId: string;
  eventType: EventType;
  trigger: Trigger;
  conversationId: string | null;
  /** Number of the attempt that this claim begins, from 1. */
  attempt: number;
  leaseToken: string;
  /** At the claim: ms since the schedule began. */
  ageMs: number;
  /** At the claim: ms since the attempt was due. */
  waitedMs: number;
  /** An earlier claimer vanished; its attempt is recorded as lost. */
  lost: boolean;
  url: string;
  headers: Record<string, string>;
  /** A retry, made by a job, or late: what is of now goes before it. */
  yields: boolean;
  /** Sealed; what `parley-signature` is made with. */
  secret: Buffer;
  /** Sealed; the other one that is live while the secret is being rotated. */
  otherSecret: Buffer | null;
  /** null: the event is gone or was erased, and there is nothing to send. */
  body: Buffer | null;
};

/** What may be claimed for an endpoint: so many in all, and of these so many that yield. */
export type ClaimBudget = { endpointId: string; slots: number; yieldingSlots: number };

/** What became of one attempt. */
export type AttemptResult = {
  deliveryId: string;
  leaseToken: string;
  outcome: 'delivered' | 'retry' | 'failed';
  /** Of a retry: when the next attempt is due, in ms after the schedule began. */
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
  /** Of what could be attempted now. */
  oldestDueAgeSec: number;
  /** By state: healthy, failing, disabled. */
  endpoints: Record<string, number>;
};
