import { afterAll, beforeAll, expect, test } from 'vitest';
import { pino } from 'pino';
import { until } from '../../until.ts';
import { createDisturb, type Disturb } from '../../platform/postgres/disturb.ts';
import { startApi, type Api } from '../../roles/api/api-setup.ts';

/** parley_knowledge_syncs_total counts syncs, however often PostgreSQL has their transaction run again. */

/** Failures are what is tried here. */
const silent = pino({ level: 'silent' });

let api: Api;
let disturb: Disturb;
beforeAll(async () => {
  api = await startApi({ log: silent });
  disturb = await createDisturb(api.engine.pool, { table: 'knowledge_documents', at: 'write' });
});
afterAll(() => api?.stop());

/** As often as one transaction is run. */
const TRIES = 3;
const SOURCES = '/v1/knowledge/sources';

async function counted(): Promise<Record<string, number>> {
  const { values } = await api.engine.metrics.knowledgeSyncs.get();
  return Object.fromEntries(
    values.map(({ labels, value }) => [`${labels['type']} ${labels['result']}`, value]),
  );
}

test('a sync that had to be run again is one that is ready, one that failed for good one error', async () => {
  await disturb(1);
  const json = { type: 'text', name: 'handbook', text: '# Hours\n\nWe open at nine.' };
  const { body } = await api.call('POST', SOURCES, { json });
  // A busy machine answers 202: it is shown as soon as it is there.
  const path = `${SOURCES}/${body.id}`;
  await until('it to be ready', async () => (await api.call('GET', path)).body.ready === true);
  expect((await api.call('GET', path)).body).toMatchObject({ ready: true, chunks: 1 });
  expect(await counted()).toEqual({ 'text ready': 1 });

  await disturb(1);
  expect((await api.call('POST', `${SOURCES}/${body.id}/sync`)).status).toBe(202);
  expect(await counted()).toEqual({ 'text ready': 2 });

  await disturb(TRIES);
  expect((await api.call('POST', `${SOURCES}/${body.id}/sync`)).status).toBe(500);
  expect(await counted()).toEqual({ 'text ready': 2, 'text error': 1 });
});

test('what was refused before it was indexed is no sync', async () => {
  const json = { type: 'file', name: 'leaflet' };
  const { body } = await api.call('POST', SOURCES, { json });
  const before = await counted();
  expect((await api.call('POST', `${SOURCES}/${body.id}/sync`)).body.code).toBe('no_content');
  expect(await counted()).toEqual(before);
});
