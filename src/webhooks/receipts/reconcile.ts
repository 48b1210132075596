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

/** Allowed between a caller's clock and ours. */
const SKEW_SEC = 60;
const WINDOW_SEC = 24 * HOUR_SEC;

export type ReconcileRequest = {
  endpointId: string;
  /** Unix seconds, inclusive */
  since: number;
  /** Unix seconds, exclusive; undefined: this second is the last */
  until: number | undefined;
  /** uuids of the events that the receiver holds */
  ids: readonly string[];
  /** Of `missing` in a page. */
  limit: number;
  /** uuid of the last `missing` of the page before */
  after: string | undefined;
  replay: boolean;
};

/** Lists of uuids, ascending. What is held, less the last three, and what is missing, is the digest's set. */
export type Reconciled = {
  since: number;
  until: number;
  /** Sent, and not held. */
  missing: string[];
  /** Of these: on their way. */
  unfinished: string[];
  /** Of these: cannot be sent again. */
  erased: string[];
  /** Held, and never sent to this endpoint. On the first page. */
  unknown: string[];
  /** Held and sent, but of no digest. On the first page. */
  uncounted: string[];
  /** Held, but not of this window: not looked at. On the first page. */
  outside: string[];
  deliveryIds: string[];
  hasMore: boolean;
};

/**
 * Compares what a receiver holds with what it was sent and, when asked, sends again what it lacks
 * (contract/webhooks.md#reconcile). Reads at most as many events as it was given and as fit in a page.
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
    throw new ApiError('endpoint_disabled', 'the endpoint is disabled: enable it first');
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
    // What lost its words alone may be on its way without them.
    erased: await listErased(deps.pool, finished),
    ...(after === undefined ? await judge(deps, { endpointId, held, start, to }) : NOT_JUDGED),
    deliveryIds: [],
    hasMore: lacking.length > limit,
  };
  return replay ? sendMissing(deps, { namespace, endpointId }, found, beforeCommit) : found;
}

/** The first that are not held. */
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

/** What of that which is held is not what was sent. */
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

/** One at a time for an endpoint: of two requests at once the second finds what the first has queued. */
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
  if (since >= end) throw badTime('since', 'must be before until');
  if (since < nowSec - replayWindowMs(deps) / 1_000 - SKEW_SEC) {
    throw badTime(
      'since',
      `events can be compared for ${replayWindowText(deps)}; since is before that`,
    );
  }
  if (end - since > WINDOW_SEC + SKEW_SEC) {
    throw badTime('since', 'at most 24 hours are compared at once: begin later, or end earlier');
  }
  return end;
}

function badTime(field: string, detail: string): ApiError {
  return new ApiError('invalid_body', `${field}: ${detail}`, {
    errors: [{ pointer: `/${field}`, code: 'invalid_value', detail }],
  });
}
