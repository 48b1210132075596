import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEndpoints, type Endpoints } from '../../src/models/find-endpoint.ts';
import type { ModelProviderSpec } from '../../src/models/model-provider.ts';
import { secretPlace } from '../../src/kinds/kind-rows.sql.ts';
import { MODEL_PROVIDER_KIND } from '../../src/models/model-provider.kind.ts';
import { newUuid } from '../../src/ids.ts';
import { createSealer } from '../../src/platform/postgres/sealing.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { createPool, type Pool } from '../../src/platform/postgres/pool.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';

/** What turns find of a provider, and how soon a change of it is found. */

const sealer = createSealer(Buffer.alloc(32, 1));
const spec: ModelProviderSpec = { baseUrl: 'https://models.example/v1/' };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
let queries: number;
let nowMs: number;
let endpoints: Endpoints;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { log: createLogger('silent', 'test'), max: 4 });
  queries = 0;
  nowMs = 0;
  const counted = {
    query: (...given: Parameters<Pool['query']>) => {
      queries += 1;
      return pool.query(...given);
    },
  } as unknown as Pool;
  const settings = { url: 'https://default.example/v1', key: 'd', model: 'm-0' };
  endpoints = createEndpoints({ pool: counted, sealer, settings, nowMs: () => nowMs });
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

type Made = { id: string; write: (key: string | null, over?: ModelProviderSpec) => Promise<void> };

function provider(namespace: string, name: string): Made {
  const id = newUuid();
  const uid = newUuid();
  let generation = 0;
  const write: Made['write'] = async (key, over = spec) => {
    generation += 1;
    const why = { ready: true, reason: 'Answering', message: '' };
    const row = { id, namespace, name, uid, generation, managedBy: 'api', spec: over, ...why };
    const place = secretPlace(MODEL_PROVIDER_KIND, { namespace, id });
    const secret = key === null ? null : sealer.seal(key, place);
    await MODEL_PROVIDER_KIND.rows.upsert(
      pool,
      { ...row, managedBy: 'api' },
      { spec: over, secret },
    );
  };
  return { id, write };
}

test('a name leads to the provider of its own namespace, opened and with defaults', async () => {
  await provider('default', 'acme').write('k-1');
  await provider('other', 'acme').write('k-2', { baseUrl: 'https://other.example/v1' });
  expect(await endpoints.find('default', 'acme')).toEqual({
    provider: 'acme',
    baseUrl: 'https://models.example/v1',
    apiKey: 'k-1',
    apiKeyHeader: 'authorization',
    organization: undefined,
    project: undefined,
    headers: {},
    query: {},
    defaultModel: undefined,
    allowedModels: [],
    timeouts: { firstTokenMs: 15_000, betweenTokensMs: 15_000, totalMs: 120_000 },
    maxConcurrent: null,
    pricing: null,
  });
  expect(await endpoints.find('other', 'acme')).toMatchObject({
    baseUrl: 'https://other.example/v1',
    apiKey: 'k-2',
  });
  expect(await endpoints.find('third', 'acme')).toBeUndefined();
});

test('without a name it is that of the settings, and no query', async () => {
  for (const name of [undefined, 'default']) {
    expect(await endpoints.find('any', name)).toMatchObject({
      provider: 'default',
      baseUrl: 'https://default.example/v1',
      apiKey: 'd',
      defaultModel: 'm-0',
    });
  }
  expect(queries).toBe(0);
  const none = createEndpoints({ pool, sealer, settings: undefined, nowMs: () => 0 });
  expect(await none.find('any', undefined)).toBeUndefined();
});

test('what is remembered costs no query, whoever asks', async () => {
  await provider('default', 'acme').write('k-1');
  const first = await Promise.all([1, 2, 3].map(() => endpoints.find('default', 'acme')));
  expect(queries).toBe(1);
  nowMs = 499;
  expect(await endpoints.find('default', 'acme')).toBe(first[0]);
  expect(queries).toBe(1);
});

test('an unchanged provider stays the same object when it is read again', async () => {
  await provider('default', 'acme').write('k-1');
  const first = await endpoints.find('default', 'acme');
  endpoints.look(['*']);
  expect(await endpoints.find('default', 'acme')).toBe(first);
  expect(queries).toBe(2);
});

test('a new key is used at once when it was told of, and within a second when not', async () => {
  const { id, write } = provider('default', 'acme');
  await write('k-1');
  expect(await endpoints.find('default', 'acme')).toMatchObject({ apiKey: 'k-1' });
  await write('k-2');
  endpoints.look([newUuid()]);
  expect(await endpoints.find('default', 'acme')).toMatchObject({ apiKey: 'k-1' });
  endpoints.look([id]);
  expect(await endpoints.find('default', 'acme')).toMatchObject({ apiKey: 'k-2' });
  await write('k-3');
  nowMs = 1_000;
  expect(await endpoints.find('default', 'acme')).toMatchObject({ apiKey: 'k-3' });
});

test('a change while it is read is not missed', async () => {
  const { id, write } = provider('default', 'acme');
  await write('k-1');
  const early = endpoints.find('default', 'acme');
  endpoints.look([id]);
  await write('k-2');
  const late = endpoints.find('default', 'acme');
  expect(await early).toBeDefined();
  expect(await late).toMatchObject({ apiKey: 'k-2' });
  expect(await endpoints.find('default', 'acme')).toMatchObject({ apiKey: 'k-2' });
});

test('one that comes is found, one that goes is not, and its key is forgotten', async () => {
  expect(await endpoints.find('default', 'acme')).toBeUndefined();
  const { id, write } = provider('default', 'acme');
  await write('k-1');
  endpoints.look([id]);
  expect(await endpoints.find('default', 'acme')).toMatchObject({ apiKey: 'k-1' });
  await MODEL_PROVIDER_KIND.rows.markDeleted(pool, { namespace: 'default', name: 'acme' });
  endpoints.look(['*']);
  expect(await endpoints.find('default', 'acme')).toBeUndefined();
  const { rows } = await pool.query('select api_key, in_force from model_providers');
  expect(rows).toEqual([{ api_key: null, in_force: null }]);
});

test('a key that was moved into another row does not open there', async () => {
  await provider('default', 'acme').write('k-1');
  await provider('other', 'acme').write(null);
  await pool.query(`update model_providers set api_key =
    (select api_key from model_providers where namespace = 'default') where namespace = 'other'`);
  await expect(endpoints.find('other', 'acme')).rejects.toThrow();
});

test('without its Secret a new address does not get the old key', async () => {
  const { id, write } = provider('default', 'acme');
  await write('k-1');
  const row = { id, namespace: 'default', name: 'acme', uid: newUuid(), generation: 2 };
  const why = { ready: false, reason: 'SecretNotFound', message: '' };
  const moved = {
    ...row,
    ...why,
    managedBy: 'api' as const,
    spec: { baseUrl: 'https://b.example' },
  };
  await MODEL_PROVIDER_KIND.rows.upsert(pool, moved, null);
  expect(await endpoints.find('default', 'acme')).toMatchObject({
    baseUrl: 'https://models.example/v1',
    apiKey: 'k-1',
  });
});
