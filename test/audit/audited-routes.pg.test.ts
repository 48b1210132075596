import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/config.ts';
import { takesIdempotencyKey, type Route } from '../../src/platform/http/route.ts';
import { ROUTES, startApi, type Api, type Reply } from '../roles/api/api-setup.ts';
import { ROWS, type Row } from '../roles/api/route-rows.ts';
import { UNENDING, type RouteFixture } from '../roles/api/route-scene.ts';
import { AUDITED, NOT_AUDITED } from './audited-routes.ts';

/** Every write by a key leaves exactly one line, or has a reason not to (contract/audit-log.md). */

let api: Api;
let fixture: RouteFixture;
beforeAll(async () => {
  api = await startApi({ fetchers: UNENDING, limits: { ...DEFAULT_LIMITS, replayJobs: null } });
  fixture = {
    call: (method, address, json) => api.call(method, address, json === undefined ? {} : { json }),
    eventually: (check) => api.engine.eventually(check),
  };
});
afterAll(() => api.stop());

const writes = ROUTES.filter(({ method }) => method !== 'get');
/** One without a row is red in test/roles/api/route-matrix.pg.test.ts. */
const cases = writes
  .filter(({ operationId }) => operationId in ROWS)
  .map((route): [string, Route] => [route.operationId, route]);

async function ask(
  route: Route,
  row: Row,
  headers: Record<string, string>,
): Promise<() => Promise<Reply>> {
  const address = await row.path(fixture);
  const json = typeof row.json === 'function' ? await row.json(fixture) : row.json;
  return () =>
    api.call(route.method.toUpperCase(), address, {
      headers: { ...headers, ...(row.raw && { 'content-type': row.raw.type }) },
      ...(json !== undefined && { json }),
      ...(row.raw && { body: row.raw.body }),
    });
}

// oxlint-disable-next-line typescript/no-explicit-any
const linesOf = async (reply: Reply): Promise<any[]> => {
  const { body } = await api.call('GET', '/v1/audit_log?limit=100');
  const requestId = reply.headers.get('request-id');
  return body.data.filter((line: { request_id: string }) => line.request_id === requestId);
};

/** Whoever signs in acts as who they then are. */
function whoIs({ scope }: Route): object {
  return scope === null
    ? { actor: 'session:Ada', session_id: expect.stringMatching(/^ses_/) }
    : { actor: expect.stringMatching(/^api:key_/), session_id: null };
}

describe.each(cases)('%s', (operationId, route) => {
  const row = ROWS[operationId]!;
  const headers = { 'user-agent': 'shop/1.0' };

  if (operationId in NOT_AUDITED) {
    test('leaves no line', async () => {
      const reply = await (await ask(route, row, headers))();
      expect(reply.status).toBe(row.status);
      expect(await linesOf(reply)).toEqual([]);
    });
    return;
  }

  test('leaves one line: who, what, to what, from where', async () => {
    const reply = await (await ask(route, row, headers))();
    expect(reply.status).toBe(row.status);
    const lines = await linesOf(reply);
    expect(lines).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        created: expect.any(Number),
        ...whoIs(route),
        action: AUDITED[operationId],
        target: expect.stringMatching(
          /^(agt|we|ks|mp|tp|key|ses|esc|gap|job|evt|dlv|conv|era|reply)_[0-9a-z]{26}$/,
        ),
        before: /(created|replayed|requested|synced|uploaded|erased)$/.test(AUDITED[operationId]!)
          ? null
          : expect.any(Object),
        after: /(deleted|erased|session\.ended)$/.test(AUDITED[operationId]!)
          ? null
          : expect.any(Object),
        detail: expect.any(Object),
        outcome: 'done',
        address: '127.0.0.1',
        user_agent: 'shop/1.0',
        request_id: reply.headers.get('request-id'),
      },
    ]);
  });

  if (!takesIdempotencyKey(route)) return;
  test('of a repeat with the same Idempotency-Key no second one', async () => {
    const send = await ask(route, row, { 'idempotency-key': `once ${operationId}` });
    const [first, second] = [await send(), await send()];
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await linesOf(first)).toHaveLength(1);
  });
});
