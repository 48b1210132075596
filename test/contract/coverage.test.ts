import { expect, test } from 'vitest';
import { coverageOf } from './coverage.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';

const DOCUMENT = { paths: { '/v1/things': { get: {}, post: {} }, '/v1/things/{id}': { get: {} } } };

test('what was never answered 2xx, and what failed, is found in the metrics that the API has', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const answered = (http_request_method: string, http_route: string, status: number): void =>
    metrics.httpRequestDuration.observe(
      { http_request_method, http_route, http_response_status_code: status, url_scheme: 'http' },
      0.1,
    );
  answered('GET', '/v1/things', 200);
  answered('GET', '/v1/things', 400);
  answered('GET', '/v1/things', 400);
  answered('POST', '/v1/things', 500);
  answered('POST', '/v1/things', 201);
  answered('DELETE', '/v1/things/{id}', 200);
  answered('GET', '/v1/things/{id}', 404);
  const rows = coverageOf(DOCUMENT, await metrics.render());
  expect(rows.map(({ name, answers }) => [name, ...answers])).toEqual([
    ['GET /v1/things', '200×1', '400×2'],
    ['POST /v1/things', '201×1', '500×1'],
    ['GET /v1/things/{id}', '404×1'],
  ]);
  expect(rows.map(({ isTried }) => isTried)).toEqual([true, true, false]);
  expect(rows.map(({ hasServerError }) => hasServerError)).toEqual([false, true, false]);
});
