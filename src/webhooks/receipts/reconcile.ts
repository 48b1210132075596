import { ApiError } from '../../errors.ts';
import { replayWindowMs, replayWindowText } from '../../events/replay-window.ts';
import { lowestUuidAt, newUuid, nextUuid } from '../../ids.ts';
import { lockCount } from '../../platform/declare/quota.sql.ts';
import { requireScope, type Caller } from '../../platform/http/authorize.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { requireEndpoint } from '../endpoints/write-endpoint.ts';
import { HOUR_SEC, sentPages, type ReceiptsDeps } from './digest-hour.ts';
import {
  findSent,
  insertMissing,
  listErased,
  type SentEvent,
  type SentSpan,
} from './receipts.sql.ts';

export type ReconcileDeps = ReceiptsDeps & { notifier: Notifier };

/** Tolerated difference in seconds between a caller's clock and Parley's. */
const SKEW_SEC = 60;
const WINDOW_SEC = 24 * HOUR_SEC;

export type ReconcileRequest = {
  endpointId: string;
  /** Start of the window in Unix seconds, inclusive. */
  since: number;
  /** End of the window in Unix seconds, exclusive. If undefined, the window ends after the current second. */
  until: number | undefined;
  /** UUIDs of the events that the receiver has. */
  ids: readonly string[];
  /** Maximum number of `missing` events in a page. */
  limit: number;
  /** UUID of the last `missing` event of the previous page. */
  after: string | undefined;
  replay: boolean;
};

/**
 * Result of the comparison, as lists of UUIDs in ascending order. A digest of the same window covers the missing events
 * and the events that the receiver has, except those in `unknown`, `uncounted` and `outside`.
 */
export type Reconciled = {
  since: number;
  until: number;
  /** Events that were sent but that the receiver does not have. */
  missing: string[];
  /** Missing events that are still queued. */
  unfinished: string[];
  /** Missing events that cannot be sent again, because they were erased. */
  erased: string[];
  /** Events that the receiver has but that were never sent to this endpoint. Filled on the first page only. */
  unknown: string[];
  /** Events that the receiver has and that were sent, but that no digest includes. Filled on the first page only. */
  uncounted: string[];
  /**
   * Events that the receiver has but that lie outside the window. They are not checked. Filled on the first page only.
   */
  outside: string[];
  deliveryIds: string[];
  hasMore: boolean;
};

/**
 * Compares the events that a receiver has with those that were sent to it and, on request, sends the missing ones again
 * (contract/webhooks.md#reconcile). Reads at most as many events as the request lists, plus one page.
 * @throws ApiError not_found, invalid_body, missing_scope, endpoint_disabled
 */
export async function reconcile(
  deps: ReconcileDeps,
  caller: Pick<Caller, 'namespace' | 'scopes'>,
  request: ReconcileRequest,
  beforeCommit: CommitHook<Reconciled> = noCommitHook,
): Promise<Reconciled> {
  const { endpointId, since, ids, limit, after, replay } = request;
  if (replay) requireScope(caller, 'replay', '`replay` is true');
  const { namespace } = caller;
  const endpoint = await requireEndpoint(deps, { namespace, id: endpointId });
  const until = endOfWindow(deps, request);
  if (replay && !endpoint.enabled) {
    throw new ApiError('endpoint_disabled', 'The endpoint is disabled. Enable it first.');
  }
  const [start, to] = [lowestUuidAt(since * 1_000), lowestUuidAt(until * 1_000)];
  const held = new Set(ids);
  const from = after !== undefined && after >= start ? nextUuid(after) : start;
  const lacking = await findMissing(deps, { endpointId, from, to }, { held, limit: limit + 1 });
  const page = lacking.slice(0, limit);
  const missing = page.map(({ id }) => id);
  const [unfinished, finished] = [true, false].map((wanted) =>
    page.filter(({ isQueued }) => isQueued === wanted).map(({ id }) => id),
  ) as [string[], string[]];
  const found = {
    since,
    until,
    missing,
    unfinished,
    // Only events with no queued delivery can be listed as erased. An event that is still queued is delivered even if
    // its content was erased.
    erased: await listErased(deps.pool, finished),
    ...(after === undefined ? await judge(deps, { endpointId, held, start, to }) : NOT_JUDGED),
    deliveryIds: [],
    hasMore: lacking.length > limit,
  };
  return replay ? sendMissing(deps, { namespace, endpointId }, found, beforeCommit) : found;
}

/** Finds the first events that were sent but that the receiver does not have. */
async function findMissing(
  { pool }: ReceiptsDeps,
  span: SentSpan,
  { held, limit }: { held: ReadonlySet<string>; limit: number },
): Promise<SentEvent[]> {
  const missing: SentEvent[] = [];
  for await (const page of sentPages(pool, span)) {
    missing.push(...page.filter(({ id }) => !held.has(id)));
    if (missing.length >= limit) break;
  }
  return missing.slice(0, limit);
}

type Judged = Pick<Reconciled, 'unknown' | 'uncounted' | 'outside'>;
const NOT_JUDGED: Judged = { unknown: [], uncounted: [], outside: [] };

/** Classifies the events that the receiver has but that the digest does not include. */
async function judge(
  { pool }: ReceiptsDeps,
  input: { endpointId: string; held: ReadonlySet<string>; start: string; to: string },
): Promise<Judged> {
  const { endpointId, held, start, to } = input;
  const sorted = [...held].toSorted();
  const inside = sorted.filter((id) => id >= start && id < to);
  const sent = await findSent(pool, { endpointId, ids: inside });
  const isCounted = new Map(sent.map((one) => [one.id, one.isCounted]));
  return {
    unknown: inside.filter((id) => !isCounted.has(id)),
    uncounted: inside.filter((id) => isCounted.get(id) === false),
    outside: sorted.filter((id) => id < start || id >= to),
  };
}

/**
 * Queues the missing events. Requests for the same endpoint run one at a time, so that a second request does not queue
 * the same events again.
 */
async function sendMissing(
  deps: ReconcileDeps,
  { namespace, endpointId }: { namespace: string; endpointId: string },
  found: Reconciled,
  beforeCommit: CommitHook<Reconciled>,
): Promise<Reconciled> {
  const { missing, erased } = found;
  const requestId = newUuid(deps.nowMs());
  const replayed = await inTransaction(deps.pool, async (db) => {
    await lockCount(db, 'reconcile', endpointId);
    const made = await insertMissing(db, { namespace, endpointId, ids: missing, requestId });
    const settled = new Set([...made.map(({ eventId }) => eventId), ...erased]);
    const result = {
      ...found,
      unfinished: missing.filter((id) => !settled.has(id)),
      deliveryIds: made.map(({ id }) => id).toSorted(),
    };
    await beforeCommit(db, result);
    return result;
  });
  if (replayed.deliveryIds.length > 0) deps.notifier.notify(CHANNELS.deliveries, [endpointId]);
  return replayed;
}

/** @throws ApiError invalid_body */
function endOfWindow(deps: ReceiptsDeps, { since, until }: ReconcileRequest): number {
  const nowSec = Math.floor(deps.nowMs() / 1_000);
  const end = until ?? nowSec + 1;
  if (end > nowSec + SKEW_SEC) throw badTime('until', 'must not be in the future');
  if (since >= end) throw badTime('since', 'must be before `until`');
  if (since < nowSec - replayWindowMs(deps) / 1_000 - SKEW_SEC) {
    throw badTime('since', `must be at most ${replayWindowText(deps)} ago`);
  }
  if (end - since > WINDOW_SEC + SKEW_SEC) {
    throw badTime('since', 'must be at most 24 hours before `until`');
  }
  return end;
}

function badTime(field: string, detail: string): ApiError {
  return new ApiError('invalid_body', `${field}: ${detail}`, {
    errors: [{ pointer: `/${field}`, code: 'invalid_value', detail }],
  });
}
