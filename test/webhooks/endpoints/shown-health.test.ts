import { describe, expect, test } from 'vitest';
import type { Pool } from '../../../src/platform/postgres/pool.ts';
import type { ResourceStore } from '../../../src/platform/resources/resource-store.ts';
import {
  healthOf,
  listStaleEndpoints,
  readEndpointHealth,
  statusMessage,
} from '../../../src/webhooks/endpoints/read-endpoint-health.ts';

/** What is shown of the deliveries to an endpoint. The database is a stand-in that has one row. */

const AT = Date.parse('2026-01-01T00:10:00Z');
const row = (over: object = {}) => ({
  namespace: 'default',
  name: 'e',
  enabled: true,
  ready: true,
  lastSuccessAt: null as number | null,
  lastFailureAt: null as number | null,
  lastFailure: null,
  failingSince: null as number | null,
  message: 'm',
  ...over,
});
type Shown = Parameters<typeof readEndpointHealth>[2];

const poolOf = (rows: object[]): Pool => ({ query: async () => ({ rows }) }) as unknown as Pool;
const shownOf = (rows: object[], shown: Shown = { health: 'Healthy' }) =>
  readEndpointHealth({ pool: poolOf(rows) }, { id: 'i', namespace: 'default' }, shown);

const FAILED = { lastFailureAt: AT, lastFailure: { error_class: 'timeout' }, failingSince: AT };
const DELIVERED = { lastSuccessAt: AT };

describe('the health of an endpoint', () => {
  test.each([
    [{}, 'healthy'],
    [DELIVERED, 'healthy'],
    [FAILED, 'failing'],
    [{ ...FAILED, lastSuccessAt: AT - 1 }, 'failing'],
    [{ ...FAILED, lastSuccessAt: AT }, 'healthy'],
    [{ ...FAILED, lastSuccessAt: AT + 1 }, 'healthy'],
    [{ ...FAILED, ready: false }, 'not_ready'],
    [{ ...FAILED, enabled: false }, 'disabled'],
    [{ enabled: false, ready: false }, 'disabled'],
  ])('%j is %s', (over, health) => expect(healthOf(row(over))).toBe(health));

  test('is told in a sentence, after what is wrong with the endpoint itself', () => {
    const said = (over: object, whyOff: string | null = null): string =>
      statusMessage(row(over), whyOff);
    expect(said({ ...FAILED, ready: false }, 'off')).toBe('m');
    expect(said(FAILED, 'off')).toBe('no deliveries are made: off');
    expect(said(FAILED)).toBe('active, but deliveries fail: timeout');
    expect(said({})).toBe('active; no event has been sent yet');
    expect(said(DELIVERED)).toBe('active; the last attempt was acknowledged');
  });

  test.each([
    [null, 'no answer'],
    [{}, 'no answer'],
    [{ error_class: 'http_status', status_code: 503 }, 'status 503'],
    [{ error_class: 'redirect', status_code: 302 }, 'redirect, status 302'],
    [{ error_class: 'dns' }, 'dns'],
  ])('a failure %j reads %s', async (lastFailure, words) => {
    const { delivering } = await shownOf([row({ ...FAILED, lastFailure })]);
    expect(delivering.message).toContain(`the last attempt failed: ${words};`);
  });
});

describe('the status of an endpoint', () => {
  test('is of nothing where there is no endpoint', async () => {
    expect(await shownOf([])).toMatchObject({
      status: { health: 'NotReady' },
      delivering: { status: 'Unknown', reason: 'NothingSent' },
      events: [],
    });
  });

  test('has the times that there are', async () => {
    const { status } = await shownOf([row({ ...FAILED, ...DELIVERED, lastFailureAt: AT + 1 })]);
    expect(status).toEqual({
      health: 'Failing',
      lastSuccessTime: '2026-01-01T00:10:00Z',
      lastFailureTime: '2026-01-01T00:10:00Z',
      failingSince: '2026-01-01T00:10:00Z',
    });
  });

  test.each([
    [{}, 'Unknown'],
    [{ lastSuccessAt: AT }, 'Healthy'],
    [{ lastFailureAt: AT }, 'Failing'],
    [{ lastFailureAt: AT - 1, lastSuccessAt: AT }, 'Healthy'],
    [{ enabled: false }, 'Disabled'],
    [{ ready: false }, 'NotReady'],
  ])('of %j claims no success before the first delivery: %s', async (over, health) => {
    expect((await shownOf([row(over)])).status.health).toBe(health);
  });

  test('keeps a time for five minutes while its health is the same', async () => {
    const timeShown = async (lastSuccessTime: string, health: Shown['health'] = 'Healthy') =>
      (await shownOf([row(DELIVERED)], { health, lastSuccessTime })).status.lastSuccessTime;
    expect(await timeShown('2026-01-01T00:05:01Z')).toBe('2026-01-01T00:05:01Z');
    expect(await timeShown('2026-01-01T00:05:00Z')).toBe('2026-01-01T00:10:00Z');
    expect(await timeShown('2026-01-01T00:05:01Z', 'Failing')).toBe('2026-01-01T00:10:00Z');
  });

  test.each([
    [{ enabled: false, ...FAILED }, 'Suspended'],
    [FAILED, 'Failing'],
    [DELIVERED, 'Acknowledged'],
    [{}, 'NothingSent'],
  ])('of %j says that it is %s', async (over, reason) => {
    expect((await shownOf([row(over)])).delivering.reason).toBe(reason);
  });

  test('is told as an event when deliveries begin to fail, and when they recover', async () => {
    const events = async (over: object, reason?: string): Promise<string[]> => {
      const condition = { type: 'Delivering', reason };
      const other = { type: 'Accepted', reason: 'Failing' };
      const conditions = reason === undefined ? [other] : [other, condition];
      const shown = { health: 'Healthy', conditions } as unknown as Shown;
      return (await shownOf([row(over)], shown)).events.map((one) => one.reason);
    };
    expect(await events(FAILED)).toEqual(['DeliveryFailing']);
    expect(await events(FAILED, 'Acknowledged')).toEqual(['DeliveryFailing']);
    expect(await events(FAILED, 'Failing')).toEqual([]);
    expect(await events(DELIVERED, 'Failing')).toEqual(['DeliveryRecovered']);
    expect(await events(DELIVERED, 'Acknowledged')).toEqual([]);
    expect(await events(DELIVERED)).toEqual([]);
    expect(await events({}, 'Failing')).toEqual([]);
  });
});

test('a status is stale when one part of it is another by now', async () => {
  const now = row({ ...FAILED, lastSuccessAt: AT - 1 });
  const { status, delivering } = await shownOf([now]);
  const shown = { ...status, conditions: [{ ...delivering }] };
  const isStale = async (over: object): Promise<boolean> => {
    const get = async () => ({ status: { ...shown, ...over } });
    const store = { get } as unknown as Pick<ResourceStore, 'get'>;
    return (await listStaleEndpoints({ pool: poolOf([now]), store })).length > 0;
  };
  expect(await isStale({})).toBe(false);
  const long = '2025-01-01T00:00:00Z';
  for (const over of [
    { health: 'Healthy' },
    { lastSuccessTime: long },
    { lastFailureTime: long },
    { failingSince: long },
    { conditions: [] },
    { conditions: [{ ...delivering, reason: 'Other' }] },
    { conditions: [{ ...delivering, message: 'other' }] },
  ]) {
    expect([over, await isStale(over)]).toEqual([over, true]);
  }
  const store = { get: async () => undefined } as unknown as Pick<ResourceStore, 'get'>;
  expect(await listStaleEndpoints({ pool: poolOf([now]), store })).toEqual([]);
});
