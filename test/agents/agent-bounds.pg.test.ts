import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { PAGE_DOCUMENTS_BYTES } from '../../src/platform/postgres/list-filters.ts';
import { startApi, type Api } from '../roles/api/api-setup.ts';
import { awaitCondition } from './agents.ts';

/** A tool's parameters, whose size no CRD can bound, declared in a manifest or by kubectl. */

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const withParameters = (parameters: Record<string, unknown>): Record<string, unknown> => ({
  prompt: 'You sell bicycles.',
  tools: [{ type: 'end_call', name: 'bye', parameters }],
});

test.each([
  ['an enum of 200,000', { enum: Array(200_000).fill(1) }, 'TooLarge', /10000 members/],
  ['an enum of 3,000', { enum: Array(3_000).fill(1) }, 'InvalidParameters', /tool "bye".*2000 mem/],
  ['a text of 64 KiB', { title: 'x'.repeat(65_536) }, 'InvalidParameters', /tool "bye".*64 KiB/],
])('parameters of %s are refused, and what is live stays', async (_, parameters, reason, words) => {
  const name = `agent-${Object.values(parameters)[0]!.length}`;
  await api.engine.declareAgent(name, withParameters({ type: 'object' }));
  const of = { kind: 'Agent', name };
  await awaitCondition(api.engine, of, { type: 'Ready', status: 'True' });
  await api.engine.declareAgent(name, withParameters(parameters));
  await awaitCondition(api.engine, of, { type: 'Accepted', status: 'False', reason });
  const { status } = await api.engine.settled('Agent', name);
  const { conditions } = status as { conditions: { type: string; message: string }[] };
  expect(conditions.find(({ type }) => type === 'Accepted')?.message).toMatch(words);
  expect(status).toMatchObject({ activeVersion: 1, latestVersion: 1 });
  // Nothing of it is in what a list shows.
  const { text } = await api.call('GET', `/v1/agents?name=${name}`);
  expect(text.length).toBeLessThan(100_000);
});

test('by REST they are 422 at their place', async () => {
  const json = withParameters({ enum: Array(3_000).fill(1) });
  const { status, body } = await api.call('POST', '/v1/agents', { json });
  expect({ status, ...body }).toMatchObject({
    status: 422,
    errors: [
      { pointer: '/tools/0/parameters', detail: 'must have at most 2000 members and elements' },
    ],
  });
});

test('a page of large agents or versions ends within 1 MiB, and the next one goes on', async () => {
  const { body: created } = await api.call('POST', '/v1/agents', {
    json: withParameters({ type: 'object' }),
  });
  const of = { kind: 'Agent', name: created.name };
  await awaitCondition(api.engine, of, { type: 'Ready', status: 'True' });
  const from = [toUuid('agt', created.id), 'x'.repeat(100_000)];
  await api.engine.pool.query(
    `insert into agents (id, namespace, name, uid, generation, managed_by, spec)
     select gen_random_uuid(), namespace, 'large-' || n, gen_random_uuid(), 1, managed_by,
            jsonb_set(spec, '{prompt}', to_jsonb($2::text))
       from agents, generate_series(1, 50) as n where id = $1`,
    from,
  );
  await api.engine.pool.query(
    `insert into agent_versions (agent_id, version, hash_version, content_hash, content, created_by)
     select agent_id, 1 + n, hash_version, decode(lpad(n::text, 64, '0'), 'hex'),
            jsonb_set(content, '{prompt}', to_jsonb($2::text)), created_by
       from agent_versions, generate_series(1, 50) as n where agent_id = $1 and version = 1`,
    from,
  );
  for (const path of ['/v1/agents', `/v1/agents/${created.id}/versions`]) {
    const pages: number[] = [];
    let query = 'limit=100';
    do {
      const { body: page, text } = await api.call('GET', `${path}?${query}`);
      expect(text.length).toBeLessThan(PAGE_DOCUMENTS_BYTES);
      pages.push(page.data.filter((item: unknown) => JSON.stringify(item).length > 100_000).length);
      query = page.has_more ? `limit=100&cursor=${page.next_cursor}` : '';
    } while (query !== '');
    expect(pages).toEqual([10, 10, 10, 10, 10]);
  }
});
