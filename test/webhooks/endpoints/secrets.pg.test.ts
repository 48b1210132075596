import { afterEach, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { fromUuid } from '../../../src/ids.ts';
import { findApiKey, insertApiKey, newKeyText } from '../../../src/access/api-keys.sql.ts';
import { SCOPES } from '../../../src/platform/http/authorize.ts';
import { createSealer } from '../../../src/platform/postgres/sealing.ts';
import { endpointSecretPlace } from '../../../src/webhooks/endpoints/endpoint-secrets.sql.ts';
import { SECRET } from '../../roles/engine.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

/** Where secrets may be found, and where not. */
let fixture: DeliveryFixture;
let receiver: Receiver;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  receiver = await startReceiver();
});

afterEach(async () => {
  await fixture.stop();
  await receiver.close();
});

/** All that the database holds of this schema, as text; bytes in hex and as they are. */
async function dump(): Promise<string> {
  const { rows: tables } = await fixture.pool.query<{ name: string }>(
    `select format('%I', relname) as name from pg_class
      where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await fixture.pool.query<{ text: string }>(
      `select t::text as text from ${name} t`,
    );
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

const hex = (text: string): string => Buffer.from(text).toString('hex');

test('the log of a delivery that goes wrong in every way holds no secret', async () => {
  const lines: string[] = [];
  const brokeOff = Promise.withResolvers<void>();
  const write = (line: string): void => {
    lines.push(line);
    if (line.includes('attempt failed because of an internal error')) brokeOff.resolve();
  };
  const log = pino({ level: 'trace' }, { write });
  const headers = { authorization: 'Bearer very-private' };
  await fixture.addEndpoint({ url: receiver.url, headers, namespace: 'a' });
  await fixture.addEndpoint({ url: 'http://10.255.0.1/', headers, namespace: 'b' });
  const foreign = await fixture.addEndpoint({ url: receiver.url, headers, namespace: 'c' });
  const sealedElsewhere = createSealer(Buffer.alloc(32, 9)).seal(
    SECRET,
    endpointSecretPlace('c', foreign),
  );
  await fixture.pool.query('update webhook_endpoints set secret = $1 where id = $2', [
    sealedElsewhere,
    foreign,
  ]);
  await fixture.startDelivery({ log });
  receiver.answer((_, response) => void response.writeHead(500).end('no'));
  const events = [];
  for (const namespace of ['a', 'b', 'c']) events.push(await fixture.emit({ namespace }));
  for (const eventId of events.slice(0, 2)) {
    await fixture.deliveryWhen(eventId, ({ attempts }) => attempts.length === 1);
  }
  await fixture.deliveryWhen(events[2]!, ({ inFlightSince }) => inFlightSince !== null);
  await fixture.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await brokeOff.promise;
  const text = lines.join('');
  expect(lines.length).toBeGreaterThan(0);
  expect(text).toContain('PARLEY_ENCRYPTION_KEY'); // The reason is there, the key is not.
  for (const secret of [
    SECRET,
    SECRET.slice(6),
    'very-private',
    Buffer.alloc(32, 1).toString('base64'),
  ]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(hex(secret));
  }
  // Neither does the receiver learn anything of the endpoint it was not meant for.
  expect(receiver.received.filter(({ headers: got }) => !got['parley-signature'])).toEqual([]);
});

test('F-55: a secret that does not open sends nothing and keeps the delivery', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  const other = await fixture.addEndpoint({ url: receiver.url, namespace: 'other' });
  // Sealed right, but of another endpoint: copied between rows it must not sign.
  await fixture.pool.query(
    'update webhook_endpoints set secret = (select secret from webhook_endpoints where id = $1) where id = $2',
    [other, endpoint],
  );
  await fixture.startDelivery({ log: pino({ level: 'silent' }) });
  const eventId = await fixture.emit();
  await fixture.deliveryWhen(eventId, ({ inFlightSince }) => inFlightSince !== null);
  await fixture.emit({ namespace: 'other' });
  const [witness] = await receiver.until(({ length }) => length >= 1);
  expect(witness!.json.id).not.toBe(fromUuid('evt', eventId));
  await fixture.changeEndpoint(endpoint, { url: receiver.url });
  await fixture.travel(30_000, 'lease_token is not null');
  const delivered = await fixture.deliveryWhen(eventId, ({ status }) => status === 'delivered');
  expect(delivered.attempts.map(({ errorClass }) => errorClass)).toEqual(['lost_lease', null]);
});

test('the database holds no endpoint secret and no API key in clear', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  await fixture.declareEndpoint('declared', { url: receiver.url });
  const key = newKeyText();
  await insertApiKey(fixture.pool, { namespace: 'default', scopes: SCOPES, text: key });
  await fixture.startDelivery();
  const eventId = await fixture.emit();
  await fixture.deliveryWhen(eventId, ({ status }) => status === 'delivered');
  const text = await dump();
  expect(text).toContain('agent.published');
  for (const secret of [SECRET, SECRET.slice(6), key, key.slice(16)]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(hex(secret));
  }
});

test('an API key is found by its whole text only, and not once revoked', async () => {
  const key = newKeyText();
  expect(key).toMatch(/^parley_[A-Za-z0-9_-]{40}$/);
  const id = await insertApiKey(fixture.pool, { namespace: 'team', scopes: ['read'], text: key });
  expect(await insertApiKey(fixture.pool, { namespace: 'team', scopes: ['read'], text: key })).toBe(
    id,
  );
  expect(await findApiKey(fixture.pool, key)).toMatchObject({ id, namespace: 'team' });
  for (const wrong of [key.slice(0, -1), `${key}x`, key.toUpperCase(), '', newKeyText()]) {
    expect(await findApiKey(fixture.pool, wrong)).toBeUndefined();
  }
  await fixture.pool.query('update api_keys set revoked_at = now() where id = $1', [id]);
  expect(await findApiKey(fixture.pool, key)).toBeUndefined();
});
