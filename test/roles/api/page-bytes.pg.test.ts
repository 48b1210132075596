import { beforeAll, expect, test } from 'vitest';
import { newUuid, toUuid } from '../../../src/ids.ts';
import {
  PAGE_DOCUMENTS_BYTES,
  PAGE_VARIABLES_BYTES,
} from '../../../src/platform/postgres/list-filters.ts';
import { newTenant, type Tenant } from './shared-api.ts';

/** Lists with rows so large that only three fit on a page. Each row must be on one page, and no page too large. */

const ROWS = 5;
const aThirdOf = (bytes: number): number => Math.floor(bytes / 3.5);
const USER = 'someone with much data';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
  const { call, namespace, api } = tenant;
  const { pool } = api.engine;
  const agent = (await call('POST', '/v1/agents', { json: { prompt: 'Sell.' } })).body.id;
  for (let i = 0; i < ROWS; i += 1) {
    await call('POST', '/v1/conversations', { json: { agent_id: agent, user_id: USER } });
    await pool.query(
      `insert into calls (id, namespace, agent_id, direction, status, provider, user_id, ended_at, ended_reason)
       values ($1, $2, $3, 'inbound', 'canceled', 'simulated', $4, now(), 'canceled')`,
      [newUuid(), namespace, toUuid('agt', agent), USER],
    );
  }
  const large = `jsonb_build_object('note', repeat('x', $2))`;
  await pool.query(
    `update conversations set variables = ${large}, summary = 'needle' where namespace = $1`,
    [namespace, aThirdOf(PAGE_VARIABLES_BYTES)],
  );
  await pool.query(`update calls set variables = ${large} where namespace = $1`, [
    namespace,
    aThirdOf(PAGE_VARIABLES_BYTES),
  ]);
  await pool.query(
    `update events set body = convert_to(jsonb_set(convert_from(body, 'utf8')::jsonb, '{data,note}', ${large})::text, 'utf8')
      where namespace = $1 and type = 'conversation.started'`,
    [namespace, aThirdOf(PAGE_DOCUMENTS_BYTES)],
  );
});

test.each([
  ['/v1/conversations?', [3, 2], PAGE_VARIABLES_BYTES],
  ['/v1/conversations?order=oldest&', [3, 2], PAGE_VARIABLES_BYTES],
  ['/v1/conversations?q=needle&', [3, 2], PAGE_VARIABLES_BYTES],
  ['/v1/calls?', [3, 2], PAGE_VARIABLES_BYTES],
  ['/v1/events?type=conversation.started&', [3, 2], PAGE_DOCUMENTS_BYTES],
  // Conversations and calls of the customer have separate size limits on a page.
  [`/v1/customers/${encodeURIComponent(USER)}/activity?`, undefined, 2 * PAGE_VARIABLES_BYTES],
])('%s', async (path, expected, bytesMax) => {
  const pages: string[][] = [];
  let more = true;
  for (let cursor = ''; more;) {
    const { status, text, body } = await tenant.call('GET', `${path}limit=100${cursor}`);
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(bytesMax);
    pages.push(
      body.data.map((one: { id?: string }) => one.id ?? JSON.stringify(one).slice(0, 200)),
    );
    more = body.has_more;
    cursor = `&cursor=${body.next_cursor}`;
  }
  if (expected) expect(pages.map(({ length }) => length)).toEqual(expected);
  expect(new Set(pages.flat()).size).toBe(pages.flat().length);
  expect(pages.flat()).toHaveLength(expected ? ROWS : 2 * ROWS);
  expect(pages.length).toBeGreaterThan(1);
});

test('an export reads the same pages, and has each conversation once', async () => {
  const headers = { accept: 'application/x-ndjson' };
  const { text } = await tenant.call('GET', '/v1/conversations', { headers });
  const ids = text
    .trimEnd()
    .split('\n')
    .map((line) => String(JSON.parse(line).id));
  expect([ids.length, new Set(ids).size]).toEqual([ROWS, ROWS]);
});
