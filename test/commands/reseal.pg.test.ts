import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { givenPlace, insertGiven } from '../../src/kinds/given-secrets.sql.ts';
import { newUuid } from '../../src/ids.ts';
import { createSealer } from '../../src/platform/postgres/sealing.ts';
import { reseal, SEALED_COLUMNS } from '../../src/commands/reseal.ts';
import { runApi } from '../../src/roles/api/run.ts';
import { SECRET } from '../roles/engine.ts';
import { startReceiver, type Receiver } from '../webhooks/receiver.ts';
import { createCall, startApi, type Api } from '../roles/api/api-setup.ts';
import { until } from '../until.ts';

/** Another master key, while everything runs. */
const OLD = Buffer.alloc(32, 1); // The engine's.
const NEW = Buffer.alloc(32, 2);

let api: Api;
let receiver: Receiver;
beforeEach(async () => {
  api = await startApi({ delivery: true });
  receiver = await startReceiver();
});
afterEach(async () => {
  await api.stop();
  await receiver.close();
});

const deps = () => ({ ...api.engine, sealer: createSealer(NEW, OLD) });

/** One of everything that is sealed. */
async function fill(): Promise<string> {
  const { body } = await api.call('POST', '/v1/webhooks', {
    json: { url: receiver.url, headers: { authorization: 'Bearer one' } },
    headers: { 'idempotency-key': 'made' },
  });
  await api.call('POST', `/v1/webhooks/${body.id}/rotate_secret`, {
    headers: { 'idempotency-key': 'rotated' },
  });
  await api.engine.declareEndpoint('declared', {
    url: receiver.url,
    headers: { authorization: 'Bearer two' },
  });
  await api.engine.settled('WebhookEndpoint', 'declared');
  const models = { namespace: 'default', name: 'models' };
  const labels = { 'parley.dev/allow': 'true' };
  const secret = { kind: 'Secret', ...models, labels, spec: { data: { key: 'sk-1' } } };
  await api.engine.store.apply(secret, { fieldManager: 'kubectl' });
  const spec = {
    baseUrl: 'http://127.0.0.1:1/v1',
    apiKeySecretRef: { name: 'models', key: 'key' },
  };
  const provider = { kind: 'ModelProvider', ...models, spec };
  await api.engine.store.apply(provider, { fieldManager: 'kubectl' });
  await api.engine.settled('ModelProvider', 'models');
  const carrier = {
    type: 'twilio',
    accountId: 'AC1',
    authTokenSecretRef: { name: 'models', key: 'key' },
  };
  await api.engine.store.apply(
    { kind: 'TelephonyProvider', namespace: 'default', name: 'carrier', spec: carrier },
    { fieldManager: 'kubectl' },
  );
  await api.engine.settled('TelephonyProvider', 'carrier');
  // Stays until the operator finds a declaration that names it.
  const given = { id: newUuid(), key: 'key-1', namespace: 'default' };
  const sealed = createSealer(OLD).seal('sk-2', givenPlace(given));
  await insertGiven(api.engine.pool, given, sealed);
  const secretRef = { name: 'models', key: 'key' };
  const tool = { type: 'webhook', name: 'act', url: 'https://shop.example.com/', secretRef };
  await api.engine.declareAgent('declared', { prompt: 'x', tools: [tool] });
  await api.engine.settled('Agent', 'declared');
  // The operator has the old key alone: what it copies later would be sealed with that.
  await until('the copy of the rotated secret', async () => {
    const { rows } = await api.engine.pool.query(
      'select from webhook_endpoints where copied_revision < secret_revision',
    );
    return rows.length === 0;
  });
  return body.id;
}

/** How many values of each column the key with this id sealed. */
async function sealedBy(key: Buffer): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table, value, where } of SEALED_COLUMNS) {
    const { rows } = await api.engine.pool.query<{ count: number }>(
      `select count(*) as count from ${table}
        where ${where} and substring(${value} from 2 for 4) = $1`,
      [createSealer(key).keyId],
    );
    counts[`${table} ${value}`] = rows[0]!.count;
  }
  return counts;
}

test('what either key sealed is opened, one key seals, and a third opens nothing', () => {
  const sealed = createSealer(OLD).seal('plain', 'place');
  const both = createSealer(NEW, OLD);
  expect(both.open(sealed, 'place')).toBe('plain');
  const again = both.seal('plain', 'place');
  expect(createSealer(NEW).open(again, 'place')).toBe('plain');
  expect(() => createSealer(OLD).open(again, 'place')).toThrow('different PARLEY_ENCRYPTION_KEY');
  expect(() => createSealer(Buffer.alloc(32, 3), NEW).open(sealed, 'place')).toThrow();
  expect(() => both.open(sealed, 'elsewhere')).toThrow();
});

test('everything sealed gets the new key, and all of it says the same as before', async () => {
  const id = await fill();
  const before = await sealedBy(OLD);
  expect(before).toEqual({
    'given_secrets sealed': 1,
    'model_providers api_key': 1,
    'telephony_providers auth_token': 1,
    'tool_secrets value': 1,
    'webhook_endpoints secret': 2,
    'webhook_endpoints next_secret': 1,
    'webhook_endpoints declared_headers': 1,
    'webhook_endpoints rest_headers': 1,
    "resources decode(spec->>'sealed', 'base64')": 3,
    'idempotency_marks request': 2,
    'idempotency_marks decision': expect.any(Number),
    'idempotency_marks answer': 2,
  });
  const total = Object.values(before).reduce((sum, count) => sum + count, 0);
  const { rows: versions } = await api.engine.pool.query('select value from resource_version');
  expect(await reseal(deps())).toEqual({ resealed: total, left: 0 });
  expect(await sealedBy(NEW)).toEqual(before);
  expect(Object.values(await sealedBy(OLD)).every((count) => count === 0)).toBe(true);
  expect(await reseal(deps())).toEqual({ resealed: 0, left: 0 });
  // Nothing was declared by it.
  expect((await api.engine.pool.query('select value from resource_version')).rows).toEqual(
    versions,
  );

  // A process that has only the new key signs, reads Secrets and repeats kept answers.
  const sealer = createSealer(NEW);
  const engine = { ...api.engine, sealer };
  const own = await runApi({
    ...engine,
    host: '127.0.0.1',
    port: 0,
    fallbackToFreePort: false,
    serveHealth: true,
    rateLimit: 0,
  });
  const again = await createCall(own.url, api.key)('POST', `/v1/webhooks/${id}/rotate_secret`, {
    headers: { 'idempotency-key': 'rotated' },
  });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.body.secret).toMatch(/^whsec_/);
  await own.stop();
  const { rows } = await api.engine.pool.query<{ action: string }>('select action from audit_log');
  expect(rows.map(({ action }) => action)).toContain('encryption_key.resealed');
});

test('while it runs, deliveries are signed and secrets change; one that nothing opens is reported', async () => {
  await fill();
  await api.engine.pool.query(
    `update idempotency_marks set answer = set_byte(answer, 1, (get_byte(answer, 1) + 1) % 256)
      where ctid = (select ctid from idempotency_marks limit 1)`,
  );
  expect((await reseal(deps())).left).toBe(1);
  await api.engine.pool.query('delete from idempotency_marks');
  expect(await reseal(deps())).toEqual({ resealed: 0, left: 0 });
});

test('the command says how many are left and fails while there are any', async () => {
  await fill();
  const run = (env: Record<string, string>) =>
    promisify(execFile)(
      process.execPath,
      [path.resolve(import.meta.dirname, '../../src/main.ts'), 'reseal'],
      { env: { DATABASE_URL: api.engine.databaseUrl, PATH: process.env['PATH'], ...env } },
    );
  const key = { PARLEY_ENCRYPTION_KEY: NEW.toString('base64') };
  await expect(run(key)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^0 values re-encrypted, [1-9]\d* still encrypted with another key\n$/,
    ),
  });
  const { stdout } = await run({ ...key, PARLEY_ENCRYPTION_KEY_PREVIOUS: OLD.toString('base64') });
  expect(stdout).toMatch(/^[1-9]\d* values re-encrypted, 0 still encrypted with another key\n$/);
  expect(stdout).not.toContain(SECRET);
});
