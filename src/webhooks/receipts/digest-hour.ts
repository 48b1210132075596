import { createHash } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import { replayWindowMs, replayWindowText, type ReplayWindow } from '../../events/replay-window.ts';
import { fromUuid, lowestUuidAt } from '../../ids.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { requireEndpoint } from '../endpoints/write-endpoint.ts';
import { readSent, type SentEvent, type SentPage, type SentSpan } from './receipts.sql.ts';

export type ReceiptsDeps = ReplayWindow & { pool: Pool; nowMs: () => number };

/**
 * Number of deliveries that one statement reads. Processing the rows of one page blocks the process for about 20 ms.
 * With smaller pages, planning a statement over a month of partitions would cost more than reading the rows.
 */
const PAGE = 10_000;
export const HOUR_SEC = 3_600;

export type HourDigest = {
  count: number;
  /** SHA-256, in lower-case hex, of the sorted public IDs joined by LF. */
  sha256: string;
  /** Number of events that are queued and not acknowledged yet. */
  unfinished: number;
  /** Number of events whose deliveries failed permanently. */
  failed: number;
};

/**
 * Computes the digest of the events of one hour that were sent to an endpoint (contract/webhooks.md#digest). The ID of
 * an event contains the same time as `created` in its body, so the events of an hour form a range of IDs. UUIDs and
 * public IDs have the same order.
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

/** Reads the events page by page. Each page has a separate statement, so no transaction stays open. */
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
          ? `must be at most ${replayWindowText(deps)} ago`
          : undefined;
  if (problem !== undefined) throw new ApiError('invalid_parameter', `\`hour\` ${problem}.`);
}
