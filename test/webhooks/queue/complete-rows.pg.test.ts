import { describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { completeAttempts, markStarted } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import type { AttemptResult } from '../../../src/webhooks/queue/dispatch-queue.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';
import { until } from '../../until.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** What a result changes, with rows that differ in one part from the row that it is for. */

const stored = useRows(...QUEUE_TABLES, 'endpoint_health');
const { addQueued, addEndpoint } = queueRows(stored);

const TOKEN = newUuid();
const [PAST, LATER] = [minutesAgo(1), minutesAgo(-60)];
const LEASED = { lease_token: TOKEN, leased_at: PAST, attempt: 1, run_at: LATER };

type Outcome = AttemptResult['outcome'];
const resultOf = (deliveryId: string, outcome: Outcome, leaseToken = TOKEN): AttemptResult => ({
  deliveryId,
  leaseToken,
  outcome,
  nextOffsetMs: outcome === 'retry' ? 60_000 : null,
  durationMs: 7,
  statusCode: outcome === 'delivered' ? 200 : 500,
  errorClass: outcome === 'delivered' ? null : 'http_status',
  errorMessage: null,
  responseBody: null,
});
const complete = (...results: [id: string, outcome: Outcome, token?: string][]) =>
  completeAttempts(
    stored.pool,
    results.map((one) => resultOf(...one)),
  );
const queuedIds = async (): Promise<unknown[]> =>
  (await stored.read('delivery_queue')).map(({ id }) => id);
const finished = async (): Promise<unknown[]> =>
  (await stored.read('deliveries')).map((row) => [row['id'], row['status']]);

describe('a result', () => {
  test('ends its delivery, or lets it wait for its next attempt', async () => {
    const endpoint_id = await addEndpoint();
    const leased = { endpoint_id, ...LEASED, scheduled_from: PAST };
    const ids = [
      await addQueued(leased),
      await addQueued(leased),
      await addQueued({ ...leased, manual: true, ahead: true, retry_job_id: newUuid() }),
      await addQueued(leased),
    ];
    const [delivered, failed, retried, other] = ids as [string, string, string, string];
    const counted = await complete(
      [delivered, 'delivered'],
      [failed, 'failed'],
      [retried, 'retry'],
      [other, 'delivered', newUuid()],
    );
    expect(counted).toEqual(new Set([delivered, failed, retried]));
    expect(await queuedIds()).toEqual([retried, other]);
    expect(await stored.read('deliveries')).toMatchObject([
      { id: delivered, status: 'delivered', delivered_at: PAST.getTime() + 7 },
      { id: failed, status: 'failed', delivered_at: null },
    ]);
    const due = PAST.getTime() + 60_000;
    const waiting = { lease_token: null, manual: false, ahead: false, started: true };
    expect(await stored.rowOf('delivery_queue', retried)).toMatchObject({
      due_at: due,
      ...waiting,
    });
    const untouched = { lease_token: TOKEN, run_at: LATER.getTime() };
    expect(await stored.rowOf('delivery_queue', other)).toMatchObject(untouched);
    const attempts = await stored.read('delivery_attempts', 'delivery_id');
    expect(attempts.map((row) => [row['delivery_id'], row['trigger']])).toEqual([
      [delivered, 'schedule'],
      [failed, 'schedule'],
      [retried, 'manual'],
    ]);
  });
});

describe('an acknowledged replay', () => {
  const [event_id, other] = [newUuid(), newUuid()];
  const REPLAY = { ...LEASED, trigger: 'replay' };

  test('ends what waits for the same endpoint with the same event', async () => {
    const [own, elsewhere] = [await addEndpoint(), await addEndpoint()];
    const waiting = await addQueued({ endpoint_id: own, event_id });
    const kept = [
      await addQueued({ endpoint_id: elsewhere, event_id }),
      await addQueued({ endpoint_id: own, event_id: other }),
      await addQueued({ endpoint_id: own, event_id, ...LEASED }),
    ];
    const replay = await addQueued({ endpoint_id: own, event_id, ...REPLAY });
    const second = await addQueued({ endpoint_id: elsewhere, event_id: other, ...REPLAY });
    const younger = await addQueued({ endpoint_id: own, event_id });
    await complete([replay, 'delivered'], [second, 'delivered']);
    expect(await queuedIds()).toEqual([...kept, younger]);
    expect(await stored.rowOf('deliveries', waiting)).toMatchObject({
      status: 'delivered',
      delivered_by: replay,
      delivered_at: PAST.getTime() + 7,
    });
    expect(await stored.rowOf('deliveries', replay)).toMatchObject({ delivered_by: null });
  });

  test.each([
    ['a replay that fails', REPLAY, 'failed'],
    ['a replay that is tried again', REPLAY, 'retry'],
    ['a delivery that is no replay', LEASED, 'delivered'],
  ] as const)('is not %s, beside which all goes on', async (_, columns, outcome) => {
    const own = await addEndpoint();
    const waiting = await addQueued({ endpoint_id: own, event_id });
    const replayed = await addQueued({ endpoint_id: own, event_id, ...columns });
    const acknowledged = await addQueued({ endpoint_id: own, event_id: other, ...REPLAY });
    await complete([replayed, outcome], [acknowledged, 'delivered']);
    expect(await queuedIds()).toContain(waiting);
    expect(await finished()).toContainEqual([acknowledged, 'delivered']);
  });
});

describe('the health of an endpoint', () => {
  const LONG_AGO = minutesAgo(30);
  const AGO = minutesAgo(20);
  const healthOf = async (endpoint_id: string): Promise<Columns> =>
    (await stored.read('endpoint_health', 'endpoint_id')).find(
      (row) => row['endpoint_id'] === endpoint_id,
    )!;
  /** Completes deliveries of an endpoint whose health was this. */
  async function after(health: Columns | undefined, ...outcomes: Outcome[]): Promise<Columns> {
    const endpoint_id = await addEndpoint();
    if (health) await stored.add('endpoint_health', { endpoint_id, ...health });
    const results: [string, Outcome][] = [];
    for (const outcome of outcomes) {
      results.push([await addQueued({ endpoint_id, ...LEASED }), outcome]);
    }
    await complete(...results);
    return await healthOf(endpoint_id);
  }
  const NOW = expect.any(Number);

  test('has the last success, and the last failure with what it was', async () => {
    expect(await after(undefined, 'delivered')).toMatchObject({
      last_success_at: NOW,
      last_failure_at: null,
      failing_since: null,
      failed_attempts: 0,
    });
    expect(await after(undefined, 'retry', 'failed')).toMatchObject({
      last_success_at: null,
      last_failure_at: NOW,
      last_failure: { status_code: 500, error_class: 'http_status' },
      failing_since: NOW,
      failed_attempts: 2,
    });
    expect(await after(undefined, 'retry', 'delivered')).toMatchObject({
      last_success_at: NOW,
      last_failure_at: NOW,
      last_failure: { status_code: 500 },
      failing_since: null,
      failed_attempts: 0,
    });
  });

  test('counts the failures of a run, and begins a new one after a success', async () => {
    const run = { last_failure_at: AGO, failing_since: AGO, failed_attempts: 3 };
    const goesOn = { failing_since: AGO.getTime(), failed_attempts: 4 };
    expect(await after(run, 'retry')).toMatchObject(goesOn);
    expect(await after({ ...run, last_success_at: LONG_AGO }, 'retry')).toMatchObject(goesOn);
    const left = { ...run, failing_since: LONG_AGO, last_success_at: AGO };
    const begun = await after(left, 'retry');
    expect(begun).toMatchObject({ failed_attempts: 1 });
    expect(begun['failing_since']).toBeGreaterThan(AGO.getTime());
    expect(await after(run, 'delivered')).toMatchObject({
      failing_since: null,
      failed_attempts: 0,
      last_failure_at: AGO.getTime(),
    });
    // A failure that another process has noted since.
    const crossed = { ...run, last_failure_at: LATER };
    expect(await after(crossed, 'delivered')).toMatchObject({
      failing_since: AGO.getTime(),
      failed_attempts: 3,
    });
  });

  test('is written again for a failure, after a second, or where the last attempt failed', async () => {
    const recent = { last_success_at: LATER };
    const isWritten = async (health: Columns, outcome: Outcome): Promise<boolean> => {
      const written = await after(health, outcome);
      return outcome === 'delivered'
        ? written['last_success_at'] !== (health['last_success_at'] as Date).getTime()
        : written['last_failure_at'] !== ((health['last_failure_at'] as Date)?.getTime() ?? null);
    };
    expect(await isWritten(recent, 'delivered')).toBe(false);
    expect(await isWritten({ ...recent, last_failure_at: AGO }, 'delivered')).toBe(false);
    expect(await isWritten(recent, 'retry')).toBe(true);
    expect(await isWritten({ last_success_at: AGO }, 'delivered')).toBe(true);
    expect(await isWritten({ ...recent, last_failure_at: LATER }, 'delivered')).toBe(true);
    const failing = { ...recent, last_failure_at: minutesAgo(-90) };
    expect(await isWritten(failing, 'delivered')).toBe(true);
  });

  test('is written whatever the health of another one is', async () => {
    await stored.add('endpoint_health', {
      endpoint_id: await addEndpoint(),
      last_success_at: LATER,
    });
    expect(await after(undefined, 'delivered')).toMatchObject({ last_success_at: NOW });
  });
});

test.each([
  ['the first', 'in order', 'in order'],
  ['the first', 'in order', 'reversed'],
  ['the first', 'reversed', 'in order'],
  ['the second', 'in order', 'in order'],
  ['the second', 'in order', 'reversed'],
  ['the second', 'reversed', 'in order'],
])(
  'while %s delivery is locked, results (%s) and starts (%s) do not wait for each other',
  async (locked, resultOrder, startOrder) => {
    const endpoint_id = await addEndpoint();
    const leased = { endpoint_id, ...LEASED, scheduled_from: PAST };
    const ids = [await addQueued(leased), await addQueued(leased)];
    const inOrder = (order: string): string[] => (order === 'in order' ? ids : ids.toReversed());
    const waiting = (count: number) =>
      until(`${count} sessions to wait`, async () => {
        const { rowCount } = await stored.pool.query(
          `select from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return rowCount === count;
      });
    const holder = await stored.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select from delivery_queue where id = $1 for update', [
        ids[locked === 'the first' ? 0 : 1],
      ]);
      const results = complete(
        ...inOrder(resultOrder).map((id): [string, Outcome] => [id, 'delivered']),
      );
      await waiting(1);
      const starts = markStarted(stored.pool, inOrder(startOrder));
      await waiting(2);
      await holder.query('commit');
      await Promise.all([results, starts]);
    } finally {
      holder.release();
    }
    expect(await queuedIds()).toEqual([]);
  },
);
