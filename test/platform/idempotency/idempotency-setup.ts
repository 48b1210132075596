import { expect } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { runApi } from '../../../src/roles/api/run.ts';
import { createCall, type Api, type Call, type Reply } from '../../roles/api/api-setup.ts';

/** Discards the log, because these tests cause failures on purpose. */
export const QUIET = createLogger('silent', 'test');

let count = 0;
/** Returns a key that no other request has. */
export const newKey = (): string => `key ${(count += 1)} of ${newUuid()}`;

export const postTo =
  (call: Call) =>
  (path: string, key: string, json?: unknown): Promise<Reply> =>
    call('POST', path, {
      headers: { 'idempotency-key': key },
      ...(json !== undefined && { json }),
    });

/** Checks that an answer equals the first one, except for the header that marks a repeat. */
export function expectReplay(again: Reply, first: Reply): void {
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.status).toBe(first.status);
  expect(again.text).toBe(first.text);
  for (const name of ['location', 'etag', 'content-type', 'retry-after', 'request-id']) {
    expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
  }
}

/** Prevents answers from being stored until the returned function is called, like a crash right before it. */
export async function breakMarks({ engine: { pool } }: Api): Promise<() => Promise<unknown>> {
  await pool.query(
    `alter table idempotency_marks add constraint broken check (answer is null) not valid`,
  );
  return () => pool.query('alter table idempotency_marks drop constraint broken');
}

export async function newEndpoint({ call }: Api): Promise<string> {
  const { headers } = await call('POST', '/v1/webhooks', { json: { url: 'https://example.com' } });
  return headers.get('location')!;
}

export async function anotherApi({
  engine,
  key,
}: Api): Promise<{ call: Call; stop: () => Promise<void> }> {
  const options = { host: '127.0.0.1', port: 0, fallbackToFreePort: false, serveHealth: true };
  const { url, stop } = await runApi({ ...engine, ...options, rateLimit: 0 });
  return { call: createCall(url, key), stop };
}
