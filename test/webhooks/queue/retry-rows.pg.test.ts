import { describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { DEADLINE_MS } from '../../../src/webhooks/queue/dispatch-queue.ts';
import {
  countAsked,
  countWaiting,
  hasAsked,
  lockQueued,
  makeBatchDue,
  makeDue,
  putBack,
  type RetryScope,
} from '../../../src/webhooks/queue/retry-now.sql.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** Each statement that makes deliveries due at once, with rows that differ in one part from the row that it is for. */

const stored = useRows(...QUEUE_TABLES);
const { addQueued, addEndpoint } = queueRows(stored);

const [OWN, OTHER, JOB] = [newUuid(), newUuid(), newUuid()];
const [BEFORE, FROM, EVENT, TO] = [newUuid(), newUuid(), newUuid(), newUuid()];
const LEASED = { lease_token: newUuid(), leased_at: new Date() };
const LATER = minutesAgo(-60);
const PAST = minutesAgo(1);
const SCOPE: RetryScope = {
  endpointId: OWN,
  types: ['agent.published', 'agent.rolled_back'],
  from: FROM,
  to: TO,
};

/** A delivery that failed once and waits for its next attempt. */
const WAITING = { endpoint_id: OWN, event_id: EVENT, attempt: 1, run_at: LATER, due_at: LATER };

const rowOf = async (id: string): Promise<Columns> => (await stored.rowOf('delivery_queue', id))!;

describe('one delivery', () => {
  test('is found by its namespace, with the state of its own endpoint', async () => {
    const endpoint_id = await addEndpoint();
    const disabled = await addEndpoint({ enabled: false });
    const id = await addQueued({ endpoint_id });
    const leased = await addQueued({ endpoint_id: disabled, ...LEASED });
    const old = await addQueued({
      endpoint_id: OTHER,
      scheduled_from: new Date(Date.now() - DEADLINE_MS - 1_000),
    });
    const lock = (of: string, namespace = 'default') =>
      lockQueued(stored.pool, { namespace, id: of });
    expect(await lock(id)).toEqual({ isLeased: false, isOver: false, isEnabled: true });
    expect(await lock(leased)).toEqual({ isLeased: true, isOver: false, isEnabled: false });
    expect(await lock(old)).toEqual({ isLeased: false, isOver: true, isEnabled: false });
    expect(await lock(id, 'other')).toBeUndefined();
    expect(await lock(newUuid())).toBeUndefined();
  });

  test('becomes due alone, unless somebody attempts it', async () => {
    const [id, other, leased] = [
      await addQueued(WAITING),
      await addQueued(WAITING),
      await addQueued({ ...WAITING, ...LEASED }),
    ];
    await makeDue(stored.pool, id);
    await makeDue(stored.pool, leased);
    expect(await rowOf(id)).toMatchObject({ manual: true, ahead: true, due_at: LATER.getTime() });
    expect((await rowOf(id))['run_at']).toBeLessThan(LATER.getTime());
    for (const unchanged of [other, leased]) {
      expect(await rowOf(unchanged)).toMatchObject({ manual: false, run_at: LATER.getTime() });
    }
  });
});

const SKIPPED: [name: string, columns: Columns][] = [
  ['of another endpoint', { endpoint_id: OTHER }],
  ['of another type', { event_type: 'conversation.started' }],
  ['of an event before the span', { event_id: BEFORE }],
  ['of the event that the span ends before', { event_id: TO }],
  ['that was not attempted yet', { attempt: 0 }],
  ['that somebody attempts', LEASED],
  ['whose time is over', { scheduled_from: new Date(Date.now() - DEADLINE_MS - 1_000) }],
  ['that was asked for and is due', { manual: true, run_at: PAST }],
];
const TAKEN: [name: string, columns: Columns][] = [
  ['of the first event of the span', { event_id: FROM }],
  ['of another type of the job', { event_type: 'agent.rolled_back' }],
  ['that is due by its schedule', { run_at: PAST }],
  ['that was asked for and failed since', { manual: true }],
];

describe('a job', () => {
  const batch = (over: Partial<Parameters<typeof makeBatchDue>[1]> = {}) =>
    makeBatchDue(stored.pool, {
      scope: SCOPE,
      jobId: JOB,
      after: null,
      isFirst: false,
      rows: 100,
      room: 100,
      ...over,
    });

  test.each(SKIPPED)('leaves a delivery alone %s', async (_, columns) => {
    const id = await addQueued({ ...WAITING, ...columns });
    expect(await countWaiting(stored.pool, SCOPE)).toBe(0);
    expect(await batch()).toEqual({ made: 0, cursor: id });
    expect(await rowOf(id)).toMatchObject({ retry_job_id: null });
  });

  test.each(TAKEN)('makes a delivery due %s', async (_, columns) => {
    const id = await addQueued({ ...WAITING, ...columns });
    expect(await countWaiting(stored.pool, SCOPE)).toBe(1);
    expect(await batch()).toEqual({ made: 1, cursor: id });
    expect(await rowOf(id)).toMatchObject({ retry_job_id: JOB, manual: true, ahead: false });
  });

  test('goes on after the rows that it looked at, and after the last one that had room', async () => {
    const ids = [];
    for (let i = 0; i < 4; i += 1) ids.push(await addQueued(WAITING));
    const asked = async (): Promise<unknown[]> =>
      (await stored.read('delivery_queue')).flatMap((row) =>
        row['retry_job_id'] === null ? [] : [row['id']],
      );
    expect(await batch({ rows: 1, isFirst: true })).toEqual({ made: 1, cursor: ids[0] });
    expect(await asked()).toEqual(ids.slice(0, 1));
    expect(await batch({ after: ids[0]!, room: 1 })).toEqual({ made: 1, cursor: ids[1] });
    expect(await asked()).toEqual(ids.slice(0, 2));
    expect(await batch({ after: ids[2]!, isFirst: true })).toEqual({ made: 1, cursor: ids[3] });
    expect(await batch({ after: ids[3]! })).toEqual({ made: 0, cursor: null });
    const ahead = (await stored.read('delivery_queue')).map((row) => row['ahead']);
    expect(ahead).toEqual([true, false, false, true]);
  });

  test('sends the first of its batch ahead of all', async () => {
    await addQueued(WAITING);
    await addQueued(WAITING);
    await batch({ isFirst: true });
    const ahead = (await stored.read('delivery_queue')).map((row) => row['ahead']);
    expect(ahead).toEqual([true, false]);
  });
});

describe('what was asked for', () => {
  const ASKED = { ...WAITING, manual: true, run_at: PAST, retry_job_id: JOB };

  test.each([
    ['of another endpoint', { endpoint_id: OTHER }],
    ['by the schedule', { manual: false }],
    ['and failed since', { run_at: LATER }],
  ] as [string, Columns][])('is not a delivery %s', async (_, columns) => {
    await addQueued({ ...ASKED, ...columns });
    expect(await countAsked(stored.pool, { endpointId: OWN, max: 9 })).toBe(0);
    expect(await hasAsked(stored.pool, { endpointId: OWN, id: JOB })).toBe(false);
    await addQueued(ASKED);
    await addQueued({ ...ASKED, ahead: true });
    expect(await countAsked(stored.pool, { endpointId: OWN, max: 9 })).toBe(2);
    expect(await countAsked(stored.pool, { endpointId: OWN, max: 1 })).toBe(1);
    expect(await hasAsked(stored.pool, { endpointId: OWN, id: JOB })).toBe(true);
    expect(await hasAsked(stored.pool, { endpointId: OWN, id: newUuid() })).toBe(false);
  });

  test.each([
    ['of another endpoint', { endpoint_id: OTHER }],
    ['that was not asked for', { manual: false }],
    ['of another job', { retry_job_id: newUuid() }],
    ['that somebody attempts', LEASED],
  ] as [string, Columns][])('goes back to its schedule without one %s', async (_, columns) => {
    const id = await addQueued({ ...ASKED, ahead: true });
    const kept = await addQueued({ ...ASKED, ...columns });
    await putBack(stored.pool, { endpointId: OWN, jobId: JOB });
    const onSchedule = { run_at: LATER.getTime(), manual: false, ahead: false, retry_job_id: null };
    expect(await rowOf(id)).toMatchObject(onSchedule);
    expect(await rowOf(kept)).toMatchObject({ run_at: PAST.getTime() });
  });
});
