import { describe, expect, test } from 'vitest';
import { lowestUuidAt, newUuid } from '../../../src/ids.ts';
import type { Notifier } from '../../../src/platform/postgres/notifications.ts';
import { digestHour } from '../../../src/webhooks/receipts/digest-hour.ts';
import { reconcile, type ReconcileRequest } from '../../../src/webhooks/receipts/reconcile.ts';
import {
  countReplay,
  createReplayJob,
  scopeOf,
  stopJob,
  type ReplayRequest,
} from '../../../src/webhooks/replay/replay-jobs.ts';
import { retryDelivery } from '../../../src/webhooks/replay/retry-delivery.ts';
import { DEADLINE_MS } from '../../../src/webhooks/queue/dispatch-queue.ts';
import { minutesAgo, useRows } from '../../platform/postgres/rows.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** Which times reconciliations, digests and replays take, at each limit and one beyond it. */

const stored = useRows(...QUEUE_TABLES);
const { addEndpoint, addEvent, addDelivery, addQueued, addJob } = queueRows(stored);

const [HOUR, DAY] = [3_600, 86_400];
/** A whole hour of today, in seconds. */
const NOW = Math.floor(Date.now() / 3_600_000) * HOUR;
const nowMs = (): number => NOW * 1_000;

const notified: string[] = [];
const notifier = {
  notify: (_: string, ids: string[]) => void notified.push(...ids),
} as unknown as Notifier;
const deps = () => ({ pool: stored.pool, nowMs, notifier });
const CALLER = { namespace: 'default', scopes: ['read', 'replay'] } as unknown as Parameters<
  typeof reconcile
>[1];

const compare = (endpointId: string, over: Partial<ReconcileRequest> = {}) => {
  const page = { ids: [], limit: 9, after: undefined, replay: false };
  return reconcile(deps(), CALLER, {
    endpointId,
    since: NOW - HOUR,
    until: undefined,
    ...page,
    ...over,
  });
};

describe('a reconciliation', () => {
  test.each([
    ['ends a minute from now', true, { until: NOW + 60 }],
    ['ends later', false, { until: NOW + 61 }],
    ['has one second', true, { since: NOW - 1, until: NOW }],
    ['has none', false, { since: NOW, until: NOW }],
    [
      'begins 30 days and a minute ago',
      true,
      { since: NOW - 30 * DAY - 60, until: NOW - 30 * DAY },
    ],
    ['begins before that', false, { since: NOW - 30 * DAY - 61, until: NOW - 30 * DAY }],
    ['has 24 hours and a minute', true, { since: NOW - DAY - 60, until: NOW }],
    ['has a second more', false, { since: NOW - DAY - 61, until: NOW }],
  ])('that %s is taken: %s', async (_, isTaken, over) => {
    const asked = compare(await addEndpoint(), over);
    if (isTaken) expect(await asked).toMatchObject({ missing: [] });
    else await expect(asked).rejects.toMatchObject({ code: 'invalid_body' });
  });

  test('compares what is of its window, page by page', async () => {
    const endpoint_id = await addEndpoint();
    const idAt = (sec: number): string => lowestUuidAt(sec * 1_000);
    const [since, until] = [NOW - HOUR, NOW - 1];
    const ids = [since, since + 1, since + 2].map(idAt);
    for (const id of [...ids, idAt(until)]) {
      await addEvent({ id });
      await addDelivery({ endpoint_id, event_id: id });
    }
    const window = { since, until };
    expect(await compare(endpoint_id, window)).toMatchObject({ missing: ids, hasMore: false });
    expect(await compare(endpoint_id, { ...window, limit: 3 })).toMatchObject({ hasMore: false });
    const first = { missing: ids.slice(0, 2), hasMore: true };
    expect(await compare(endpoint_id, { ...window, limit: 2 })).toMatchObject(first);
    const rest = await compare(endpoint_id, { ...window, after: ids[0] });
    expect(rest).toMatchObject({ missing: ids.slice(1), outside: [] });
    const early = await compare(endpoint_id, { ...window, after: idAt(since - 9) });
    expect(early.missing).toEqual(ids);
    const held = [idAt(since - 1), ids[0]!, idAt(since + 3), idAt(until)];
    expect(await compare(endpoint_id, { ...window, ids: held })).toMatchObject({
      missing: ids.slice(1),
      unknown: [idAt(since + 3)],
      outside: [idAt(since - 1), idAt(until)],
    });
  });

  test('wakes the endpoint if it sends something, and needs it enabled for that alone', async () => {
    const [endpoint_id, disabled] = [await addEndpoint(), await addEndpoint({ enabled: false })];
    notified.length = 0;
    const replay = { replay: true };
    expect(await compare(endpoint_id, replay)).toMatchObject({ deliveryIds: [] });
    expect(notified).toEqual([]);
    const event_id = await addEvent({ id: lowestUuidAt((NOW - 9) * 1_000) });
    await addDelivery({ endpoint_id, event_id });
    expect((await compare(endpoint_id, replay)).deliveryIds).toHaveLength(1);
    expect(notified).toEqual([endpoint_id]);
    expect(await compare(disabled)).toMatchObject({ missing: [] });
    await expect(compare(disabled, replay)).rejects.toMatchObject({ code: 'endpoint_disabled' });
  });
});

test.each([
  ['is this one', true, NOW],
  ['is the next one', false, NOW + HOUR],
  ['is none', false, NOW - HOUR / 2],
  ['is 30 days ago', true, NOW - 30 * DAY],
  ['is before that', false, NOW - 30 * DAY - HOUR],
])('a digest of an hour that %s is made: %s', async (_, isTaken, hour) => {
  const asked = digestHour(deps(), {
    namespace: 'default',
    endpointId: await addEndpoint(),
    hour,
  });
  if (isTaken) expect(await asked).toMatchObject({ count: 0, failed: 0, unfinished: 0 });
  else await expect(asked).rejects.toMatchObject({ code: 'invalid_parameter' });
});

describe('a replay', () => {
  const [ms, minute] = [NOW * 1_000, 60_000];
  const plan = (endpointId: string, over: Partial<ReplayRequest> = {}): ReplayRequest => ({
    namespace: 'default',
    endpointId,
    since: ms - minute,
    until: null,
    mode: 'all',
    types: [],
    ...over,
  });

  test.each([
    ['ends a minute from now', true, { until: ms + minute }],
    ['ends later', false, { until: ms + minute + 1 }],
    ['has a moment', true, { since: ms - 1 }],
    ['has none', false, { since: ms }],
    ['begins 30 days and a minute ago', true, { since: ms - 30 * DAY * 1_000 - minute }],
    ['begins before that', false, { since: ms - 30 * DAY * 1_000 - minute - 1 }],
  ])('that %s is taken: %s', async (_, isTaken, over) => {
    const asked = countReplay(deps(), plan(await addEndpoint(), over));
    if (isTaken) expect(await asked).toMatchObject({ count: 0 });
    else await expect(asked).rejects.toMatchObject({ code: 'invalid_body' });
  });

  test.each([
    ['failed', true],
    ['retrying', true],
    ['missing', false],
    ['all', false],
  ] as const)('of the mode %s takes types that are not subscribed any more: %s', (mode, takes) => {
    const endpoint = { eventTypes: ['conversation.started'] };
    const asked = { ...plan(newUuid(), { mode }), until: ms };
    const { types } = scopeOf({ ...asked, types: ['agent.published'] }, endpoint);
    expect(types).toEqual(takes ? ['agent.published'] : []);
    expect(scopeOf(asked, endpoint).types).toContain('conversation.started');
  });

  test('is refused beyond the share of a key, or of the namespace', async () => {
    const endpointId = await addEndpoint();
    const create = (replayJobs: { key: number; namespace: number } | null, actor = 'a') =>
      createReplayJob(
        {
          ...deps(),
          limits: { replayJobs },
          metrics: { inFlightRefused: { inc: () => undefined } },
          wakeJobs: () => undefined,
        } as unknown as Parameters<typeof createReplayJob>[0],
        { ...plan(endpointId), actor },
      );
    await create({ key: 1, namespace: 2 });
    const refused = { code: 'too_many_in_flight' };
    await expect(create({ key: 1, namespace: 2 })).rejects.toMatchObject(refused);
    await create({ key: 1, namespace: 2 }, 'b');
    await expect(create({ key: 1, namespace: 2 }, 'c')).rejects.toMatchObject(refused);
    await create(null);
  });

  test('that is stopped counts what it canceled', async () => {
    const endpoint_id = await addEndpoint();
    const [empty, full] = [await addJob({ endpoint_id }), await addJob({ endpoint_id })];
    await addQueued({ endpoint_id, job_id: full });
    const counted: unknown[] = [];
    const metrics = { deliveries: { inc: (...args: unknown[]) => void counted.push(args) } };
    const stop = (id: string) =>
      stopJob({ pool: stored.pool, metrics } as unknown as Parameters<typeof stopJob>[0], {
        namespace: 'default',
        id,
      });
    await stop(empty);
    expect(counted).toEqual([]);
    await stop(full);
    expect(counted).toEqual([[{ outcome: 'canceled' }, 1]]);
    await expect(stop(full)).rejects.toMatchObject({ code: 'job_finished' });
  });
});

describe('a retry', () => {
  const OVER = { scheduled_from: new Date(Date.now() - DEADLINE_MS - 1_000) };
  const LEASED = { lease_token: newUuid(), leased_at: minutesAgo(1), attempt: 1 };
  const retry = (id: string) => retryDelivery(deps(), { namespace: 'default', id });

  test('is refused after 72 hours, unless somebody attempts the delivery', async () => {
    const endpoint_id = await addEndpoint();
    const first = await addQueued({ endpoint_id, ...OVER });
    const second = await addQueued({ endpoint_id, ...OVER, attempt: 2 });
    for (const id of [first, second]) {
      await expect(retry(id)).rejects.toThrow('The delivery has passed its 72-hour deadline');
    }
    const leased = await addQueued({ endpoint_id, ...OVER, ...LEASED });
    expect((await retry(leased)).id).toBe(leased);
    const finished = await addDelivery({ endpoint_id, status: 'failed' });
    await expect(retry(finished)).rejects.toThrow('is already failed');
    await expect(retry(newUuid())).rejects.toMatchObject({ code: 'not_found' });
  });

  test('needs an enabled endpoint, unless somebody attempts the delivery', async () => {
    const endpoint_id = await addEndpoint({ enabled: false });
    const waiting = await addQueued({ endpoint_id });
    await expect(retry(waiting)).rejects.toMatchObject({ code: 'endpoint_disabled' });
    const leased = await addQueued({ endpoint_id, ...LEASED });
    expect((await retry(leased)).id).toBe(leased);
  });
});
