import { createHash } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import { replayWindowMs, replayWindowText, type ReplayWindow } from '../../events/replay-window.ts';
import { fromUuid, lowestUuidAt } from '../../ids.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { requireEndpoint } from '../endpoints/write-endpoint.ts';
import { readSent, type SentEvent, type SentPage, type SentSpan } from './receipts.sql.ts';

export type ReceiptsDeps = ReplayWindow & { pool: Pool; nowMs: () => number };

/**
 * Number of deliveries read by one statement. Processing this many rows blocks the process for about 20 ms, and
 * planning a month of partitions for each page is still the smaller part.
 */
const PAGE = 10_000;
export const HOUR_SEC = 3_600;

export type HourDigest = {
  count: number;
  /** Lower-case hex, of the sorted public ids joined by LF. */
  sha256: string;
  /** Events that are queued and not acknowledged yet. */
  unfinished: number;
  /** Events whose deliveries were given up. */
  failed: number;
};

/**
 * Digests the events of one hour that an endpoint was sent (contract/webhooks.md#digest). The time in an event's id is
 * the `created` of its body. So an hour is a range of ids, in the same order as their text.
 * @param hour Unix seconds
 * @throws ApiError not_found, invalid_parameter
 */
export async function digestHour(
  deps: ReceiptsDeps,
  input: { namespace: string; endpointId: string; hour: number },
): Promise<HourDigest> {
  const { namespace, endpointId, hour } = input;
  requireHour(deps, hour);
  await requireEndpoint(deps, { namespace, id: endpointId });
  const hash = createHash('sha256');
  const digest = { count: 0, unfinished: 0, failed: 0 };
  const [from, to] = [hour, hour + HOUR_SEC].map((sec) => lowestUuidAt(sec * 1_000));
  for await (const page of sentPages(deps.pool, { endpointId, from: from!, to: to! })) {
    const ids = page.map(({ id }) => fromUuid('evt', id)).join('\n');
    if (page.length > 0) hash.update(digest.count === 0 ? ids : `\n${ids}`);
    digest.count += page.length;
    for (const { isDelivered, isQueued } of page) {
      if (isDelivered) continue;
      if (isQueued) digest.unfinished += 1;
      else digest.failed += 1;
    }
  }
  return { ...digest, sha256: hash.digest('hex') };
}

/** Reads the events page by page. Each page is its own statement, so no transaction stays open. */
export async function* sentPages(pool: Pool, span: SentSpan): AsyncGenerator<SentEvent[]> {
  for (let from: string | null = span.from; from !== null;) {
    const page: SentPage = await readSent(pool, { ...span, from }, PAGE);
    yield page.events;
    from = page.next;
  }
}

/** @throws ApiError invalid_parameter */
function requireHour(deps: ReceiptsDeps, hour: number): void {
  const nowMs = deps.nowMs();
  const problem =
    hour % HOUR_SEC !== 0
      ? `must be the start of an hour, a multiple of ${HOUR_SEC}`
      : hour * 1_000 > nowMs
        ? 'must not be in the future'
        : hour * 1_000 < nowMs - replayWindowMs(deps)
          ? `digests are answered for ${replayWindowText(deps)}; this hour is before that`
          : undefined;
  if (problem !== undefined) throw new ApiError('invalid_parameter', `hour: ${problem}`);
}
