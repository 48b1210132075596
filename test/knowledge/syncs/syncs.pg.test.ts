import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { LEASE_TIMES } from '../../../src/knowledge/syncs/hold-lease.ts';
import { startApi, type Api, type Call, PATIENT_MS } from '../../roles/api/api-setup.ts';
import { newNamespace } from '../own-namespace.ts';
import { until } from '../../until.ts';
import { countStaged } from './sources.ts';
import { OFTEN, siteFetcher, startSite, type Site } from './site.ts';

/** Syncs of a source as its users see them (contract/knowledge.md#syncs). */

let api: Api;
let namespace: string;
let call: Call;
let site: Site;
beforeAll(async () => {
  // An API of its own, because its operator reads such sites and looks for syncs often.
  api = await startApi({ operator: false, projectionWaitMs: PATIENT_MS });
  await api.engine.startOperator({ fetchers: { website: siteFetcher }, syncTimes: OFTEN });
});
afterAll(() => api?.stop());
beforeEach(async () => {
  ({ namespace, call } = await newNamespace(api));
  site = await startSite({ a: '# Alpha\n\nApples are red.', b: '# Beta\n\nBananas are yellow.' });
});
afterEach(() => site?.stop());

const SOURCES = '/v1/knowledge/sources';

/** Lets the site answer once the request for a sync is answered, which so tells of it as unfinished. */
async function beforeItIsRead<T>(request: () => Promise<T>): Promise<T> {
  const { hold } = site;
  const answered = Promise.withResolvers<void>();
  site.hold = async (path, response) => {
    await answered.promise;
    await hold(path, response);
  };
  try {
    return await request();
  } finally {
    answered.resolve();
    site.hold = hold;
  }
}

const UNFINISHED = { status: expect.stringMatching(/^(queued|running)$/) };

async function create(fields: object = {}) {
  const json = { type: 'website', website: { url: site.url }, ...fields };
  const { status, body } = await beforeItIsRead(() => call('POST', SOURCES, { json }));
  expect(status).toBe(201);
  return body;
}

const read = async (id: string) => (await call('GET', `${SOURCES}/${id}`)).body;
const settled = (id: string) =>
  api.engine.eventually(
    async () => {
      const source = await read(id);
      return source.sync === null && source;
    },
    () => read(id),
  );
async function sync(id: string) {
  const asked = await beforeItIsRead(() => call('POST', `${SOURCES}/${id}/sync`));
  expect(asked.status).toBe(202);
  return { asked: asked.body, source: await settled(id) };
}
const syncs = async (id: string) => (await call('GET', `${SOURCES}/${id}/syncs`)).body.data;
const documents = async (id: string) => (await call('GET', `${SOURCES}/${id}/documents`)).body.data;
async function find(q: string): Promise<string[]> {
  const { body } = await call('GET', `/v1/knowledge/search?q=${encodeURIComponent(q)}`);
  return body.data.map(({ text }: { text: string }) => text);
}
async function events(): Promise<Record<string, unknown>[]> {
  const { body } = await call('GET', '/v1/events?type=knowledge.source.synced');
  return body.data.map(({ data }: { data: object }) => data);
}

test('a new website is read by itself, and its documents are found', async () => {
  const created = await create();
  expect(created).toMatchObject({ status: 'syncing', ready: false, sync: UNFINISHED });
  const source = await settled(created.id);
  expect(source).toMatchObject({ status: 'ready', ready: true, documents: 2, chunks: 2 });
  expect(source.last_sync).toMatchObject({ documents: 2, added: 2, updated: 0, removed: 0 });
  expect(await find('apples')).toEqual(['Apples are red.']);
  const [document] = await documents(source.id);
  expect(document).toMatchObject({ path: 'b', url: `${site.url}b` });
  const [only, ...others] = await syncs(source.id);
  expect(others).toEqual([]);
  expect(only).toMatchObject({ trigger: 'declared', status: 'succeeded', found: 2, changed: 2 });
  expect(await events()).toEqual([
    expect.objectContaining({ source_id: source.id, status: 'ready', added: 2, documents: 2 }),
  ]);
});

test('what changed is replaced, and nothing else is touched', async () => {
  const { id } = await create();
  await settled(id);
  const rows = async () => {
    const { rows } = await api.engine.pool.query<{ path: string; chunk: string; row: string }>(
      `select d.path, c.id as chunk, d.xmin::text || ' ' || c.xmin::text as row
         from knowledge_documents d join knowledge_chunks c on c.document_id = d.id
        where d.namespace = $1 order by d.path`,
      [namespace],
    );
    return rows;
  };
  const before = await rows();
  site.pages.set('b', '# Beta\n\nBananas are brown.');
  site.pages.set('c', '# Gamma\n\nCherries are small.');
  const { asked, source } = await sync(id);
  expect(asked).toMatchObject({ status: 'refreshing', ready: true, sync: UNFINISHED });
  expect(source.last_sync).toMatchObject({ documents: 3, added: 1, updated: 1, removed: 0 });
  expect((await rows())[0]).toEqual(before[0]);
  expect(await find('bananas')).toEqual(['Bananas are brown.']);

  site.pages.delete('b');
  site.pages.set('c', 'noindex');
  expect((await sync(id)).source.last_sync).toMatchObject({ documents: 1, removed: 2 });
  expect(await find('bananas cherries')).toEqual([]);
  expect(await rows()).toEqual([before[0]]);
});

/** Resolves once no sync has left anything staged, which is cleared away after its end is told. */
const nothingStaged = () =>
  until('nothing to be staged', async () => (await countStaged(api.engine.pool)) === 0);

/** From now on; resolves with the tables that rows were written to, but for those of the sync itself. */
async function noteWrites(): Promise<() => Promise<string[]>> {
  const { pool } = api.engine;
  await nothingStaged();
  await pool.query(`
    create table if not exists noted (name text);
    create or replace function note() returns trigger language plpgsql as $$
    begin
      insert into noted values (tg_table_name);
      return null;
    end $$`);
  const { rows: tables } = await pool.query<{ name: string }>(
    `select relname as name from pg_stat_user_tables where relname like 'knowledge_%'
        and relname not in ('knowledge_syncs', 'knowledge_sources')`,
  );
  for (const { name } of tables) {
    await pool.query(
      `create or replace trigger note after insert or update or delete on ${name}
         for each row execute function note()`,
    );
  }
  await pool.query('truncate noted');
  return async () => {
    await nothingStaged();
    const { rows } = await pool.query<{ name: string }>('select name from noted');
    return rows.map(({ name }) => name);
  };
}

test('a site that has not changed is read without a write to documents, passages and index', async () => {
  const { id } = await create();
  await settled(id);
  const written = await noteWrites();
  expect((await sync(id)).source.last_sync).toMatchObject({ added: 0, updated: 0, removed: 0 });
  expect(await written()).toEqual([]);
  const [last] = await syncs(id);
  expect(last).toMatchObject({ unchanged: 2, changed: 0, read: 2 });
  expect(await events()).toHaveLength(2);
});

test('without conditional requests a document that is the same is known by its content', async () => {
  site.hasTags = false;
  const { id } = await create();
  await settled(id);
  const written = await noteWrites();
  expect((await sync(id)).source.last_sync).toMatchObject({ added: 0, updated: 0, removed: 0 });
  expect(await written()).toEqual([]);
  expect((await syncs(id))[0]).toMatchObject({ unchanged: 2, changed: 0 });
});

test('asked again while one is unfinished, that one is answered with', async () => {
  const held = Promise.withResolvers<void>();
  site.hold = () => held.promise;
  const { id, sync: first } = await create();
  const again = await call('POST', `${SOURCES}/${id}/sync`);
  expect(again.body.sync.id).toBe(first.id);
  held.resolve();
  await settled(id);
  expect(await syncs(id)).toHaveLength(1);
});

test('a sync that is canceled applies nothing, and ends when its lease is checked next', async () => {
  const { id } = await create();
  await settled(id);
  site.pages.set('a', '# Alpha\n\nApples are green.');
  const arrived = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  site.hold = (path, response) => {
    if (path !== 'b') return Promise.resolve();
    response.once('close', () => closed.resolve());
    arrived.resolve();
    return new Promise(() => undefined);
  };
  const { body: asked } = await call('POST', `${SOURCES}/${id}/sync`);
  await arrived.promise;
  const cancel = `${SOURCES}/${id}/syncs/${asked.sync.id}/cancel`;
  const canceled = await call('POST', cancel);
  expect(canceled).toMatchObject({ status: 200, body: { status: 'canceled' } });
  expect(await read(id)).toMatchObject({ status: 'ready', ready: true, sync: null });
  await closed.promise;
  expect(LEASE_TIMES.checkMs).toBe(1_000); // What the operator uses.
  expect(await find('apples')).toEqual(['Apples are red.']);
  expect(await call('POST', cancel)).toMatchObject({
    status: 409,
    body: { code: 'sync_finished' },
  });
  expect(await events()).toHaveLength(1);
  await nothingStaged();
});

test('a sync that fails keeps what is indexed, says why, and is tried again later', async () => {
  const { id } = await create();
  await settled(id);
  const list = Promise.withResolvers<void>();
  site.hold = (_, response) => {
    response.destroy();
    return list.promise;
  };
  const { source } = await sync(id);
  expect(source).toMatchObject({ status: 'error', ready: true, documents: 2 });
  expect(source.status_message).toContain('the last sync failed');
  expect(source.next_sync_at).toEqual(expect.any(Number));
  const [failed] = await syncs(id);
  expect(failed).toMatchObject({ status: 'failed', reason: 'NotReachable' });
  expect(await find('apples')).toEqual(['Apples are red.']);
  expect(await events()).toEqual([
    expect.objectContaining({ status: 'error', documents: 2, added: 0 }),
    expect.objectContaining({ status: 'ready' }),
  ]);
  site.hold = () => Promise.resolve();
  await api.engine.pool.query('update knowledge_sources set next_sync_at = now() where id = $1', [
    toUuid('ks', id),
  ]);
  await api.engine.eventually(async () => (await syncs(id)).length === 3);
  expect(await settled(id)).toMatchObject({ status: 'ready', next_sync_at: null });
  expect((await syncs(id))[0]).toMatchObject({ trigger: 'retry', status: 'succeeded' });
});

test('a document that cannot be read stays as it was, and is told of', async () => {
  const { id } = await create();
  await settled(id);
  site.pages.set('b', '# Beta\n\nBananas are brown.');
  site.hold = async (path, response) => {
    if (path === 'b') response.writeHead(500).end();
    if (path === 'b') await new Promise(() => undefined);
  };
  const { source } = await sync(id);
  expect(source.last_sync).toMatchObject({ documents: 2, failed: 1, updated: 0 });
  const [{ id: syncId, ...listed }] = await syncs(id);
  expect(listed.problems).toBeUndefined();
  const { body } = await call('GET', `${SOURCES}/${id}/syncs/${syncId}`);
  expect(body.problems).toEqual([{ path: 'b', kind: 'failed', reason: 'answered 500' }]);
  expect(await find('bananas')).toEqual(['Bananas are yellow.']);
});

test('what is to be read is read anew when it changes, in place of a sync of what was', async () => {
  const held = Promise.withResolvers<void>();
  site.hold = () => held.promise;
  const { id } = await create();
  const other = await startSite({ z: '# Omega\n\nZebras are striped.' });
  try {
    const json = { website: { url: other.url } };
    expect((await call('PATCH', `${SOURCES}/${id}`, { json })).status).toBe(200);
    expect(await settled(id)).toMatchObject({ ready: true, documents: 1 });
    expect((await syncs(id)).map(({ status }: { status: string }) => status)).toEqual([
      'succeeded',
      'canceled',
    ]);
    expect(await find('apples zebras')).toEqual(['Zebras are striped.']);
    const metadata = { metadata: { team: 'docs' } };
    await call('PATCH', `${SOURCES}/${id}`, { json: metadata });
    expect(await syncs(id)).toHaveLength(2);
  } finally {
    held.resolve();
    await other.stop();
  }
});

test('a source that is deleted stops its sync, and nothing of it is left', async () => {
  const arrived = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  site.hold = (path, response) => {
    if (path !== 'b') return Promise.resolve();
    response.once('close', () => closed.resolve());
    arrived.resolve();
    return new Promise(() => undefined);
  };
  const { id } = await create();
  await arrived.promise;
  expect((await call('DELETE', `${SOURCES}/${id}`)).status).toBe(204);
  await closed.promise;
  await nothingStaged();
  const { rows } = await api.engine.pool.query(
    'select status from knowledge_syncs where source_id = $1',
    [toUuid('ks', id)],
  );
  expect(rows).toEqual([{ status: 'canceled' }]);
});

test('a schedule is kept in UTC, a missed time made up once; one that never comes is refused', async () => {
  const { id } = await create({ schedule: '0 3 * * *' });
  const source = await settled(id);
  const next = new Date(source.next_sync_at * 1_000);
  expect([next.getUTCHours(), next.getUTCMinutes()]).toEqual([3, 0]);
  await api.engine.pool.query(
    `update knowledge_sources set next_sync_at = now() - interval '9 days' where id = $1`,
    [toUuid('ks', id)],
  );
  await api.engine.eventually(async () => (await syncs(id)).length === 2);
  expect((await settled(id)).next_sync_at).toBe(source.next_sync_at);
  expect((await syncs(id))[0]).toMatchObject({ trigger: 'schedule', status: 'succeeded' });
  for (const schedule of ['99 * * * *', '0 0 30 2 *']) {
    const json = { type: 'website', website: { url: site.url }, schedule };
    const refused = await call('POST', SOURCES, { json });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/schedule' }] } });
  }
});

test('a sync that is canceled while it is applied applies nothing', async () => {
  const { id } = await create();
  await settled(id);
  site.pages.set('a', '# Alpha\n\nApples are green.');
  // Held at its last write but one, with all documents written.
  const { pool } = api.engine;
  await pool.query(`
    create or replace function hold() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(4711);
      return null;
    end $$;
    create trigger hold after update of synced_key on knowledge_sources
      for each row execute function hold()`);
  const holder = await pool.connect();
  try {
    await holder.query('select pg_advisory_lock(4711)');
    const { body: asked } = await call('POST', `${SOURCES}/${id}/sync`);
    await api.engine.eventually(async () => {
      const { rows } = await pool.query(
        `select 1 from pg_locks where locktype = 'advisory' and not granted`,
      );
      return rows.length > 0;
    });
    const cancel = `${SOURCES}/${id}/syncs/${asked.sync.id}/cancel`;
    expect(await call('POST', cancel)).toMatchObject({ status: 200 });
    expect(await read(id)).toMatchObject({ status: 'ready', sync: null });
  } finally {
    await holder.query('select pg_advisory_unlock(4711)');
    holder.release();
  }
  site.pages.set('b', '# Beta\n\nBananas are brown.');
  await pool.query('drop trigger hold on knowledge_sources');
  expect(await find('apples')).toEqual(['Apples are red.']);
  expect(await events()).toHaveLength(1);
  expect((await sync(id)).source.last_sync).toMatchObject({ updated: 2 });
});
