import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { verifyBody } from '../../../src/platform/egress/signature.ts';
import { signingSecretName } from '../../../src/platform/reconcile/references.ts';
import { endpointSecretPlace } from '../../../src/webhooks/endpoints/endpoint-secrets.sql.ts';
import { SECRET } from '../../roles/engine.ts';
import { describeEachStore } from '../../roles/each-store.ts';
import { startReceiver, type Received, type Receiver } from '../receiver.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';
import { startDeliveryFixture } from '../delivery-setup.ts';

/** Two secrets for a while, and which of them signs what. */
describeEachStore((storeName) => {
  let api: Api;
  let receiver: Receiver;

  beforeAll(async () => {
    api = await startApi({ storeName, delivery: true });
    receiver = await startReceiver();
  });

  afterAll(async () => {
    await api.stop();
    await receiver.close();
  });

  async function endpoint(): Promise<{ id: string; path: string; name: string; secret: string }> {
    const { body } = await api.call('POST', '/v1/webhooks', { json: { url: receiver.url } });
    return { id: body.id, path: `/v1/webhooks/${body.id}`, name: body.name, secret: body.secret };
  }

  const rotate = (path: string, json?: object, headers = {}): Promise<Reply> =>
    api.call('POST', `${path}/rotate_secret`, { ...(json && { json }), headers });

  async function deliver(path: string): Promise<Received> {
    const { body } = await api.call('POST', `${path}/test`);
    const is = ({ json }: Received): boolean => json.id === body.event_id;
    return (await receiver.until((received) => received.some(is))).find(is)!;
  }

  /** Which of the secrets each header is good for, by our check and by the standard's library. */
  function verdicts({ headers, body }: Received, secrets: Record<string, string>) {
    const good = (check: (secret: string) => boolean): string[] =>
      Object.keys(secrets).filter((name) => check(secrets[name]!));
    const by = (header: string): string[] =>
      good((secret) => verifyBody(secret, body, String(headers[header] ?? '')));
    return {
      signature: by('parley-signature'),
      next: by('parley-signature-next'),
      standard: good((secret) => {
        try {
          new Webhook(secret).verify(body, headers as Record<string, string>);
          return true;
        } catch {
          return false;
        }
      }),
    };
  }

  const secretOf = async (name: string): Promise<Record<string, string>> => {
    const key = { namespace: 'default', name: signingSecretName(name) };
    const found = await api.engine.store.get('Secret', key);
    expect(found!.metadata.labels['parley.dev/allow']).toBe('true');
    return found!.spec['data'] as Record<string, string>;
  };

  /** As if so much time had gone by for the endpoint's rotation, in the row and in the Secret. */
  async function travel({ name }: { name: string }, ms: number): Promise<void> {
    await api.engine.pool.query(
      `update webhook_endpoints
          set next_secret_at = next_secret_at - $2 * interval '1 ms',
              old_secret_until = old_secret_until - $2 * interval '1 ms',
              secret_revision = secret_revision + 1
        where name = $1`,
      [name, ms],
    );
    await api.engine.eventually(async () => {
      const { rows } = await api.engine.pool.query<{ copied: boolean }>(
        'select copied_revision = secret_revision as copied from webhook_endpoints where name = $1',
        [name],
      );
      return rows[0]!.copied;
    });
  }

  test('without a rotation there is one signature, by the one secret', async () => {
    const { path, secret } = await endpoint();
    const delivered = await deliver(path);
    expect(delivered.headers).not.toHaveProperty('parley-signature-next');
    expect(verdicts(delivered, { secret })).toEqual({
      signature: ['secret'],
      next: [],
      standard: ['secret'],
    });
  });

  test('the new secret is shown once and signs as well; activated, the two swap; then the old one goes', async () => {
    const one = await endpoint();
    const { path, name, secret: old } = one;
    const { status, body } = await rotate(path);
    expect(status).toBe(200);
    const fresh: string = body.secret;
    expect(fresh).toMatch(/^whsec_/);
    expect(fresh).not.toBe(old);
    const day = 86_400;
    const inSec = body.secret_rotation.activates_at - Date.now() / 1_000;
    expect(Math.round(inSec / 3_600)).toBe(24);
    expect(body.secret_rotation.ends_at - body.secret_rotation.activates_at).toBe(day);
    expect((await api.call('GET', path)).text).not.toContain('whsec_');

    const both = { old, fresh };
    expect(verdicts(await deliver(path), both)).toEqual({
      signature: ['old'],
      next: ['fresh'],
      standard: ['old', 'fresh'],
    });
    expect((await rotate(path)).body.code).toBe('rotation_in_progress');

    const activated = await rotate(path, { activate: true });
    expect(activated.status).toBe(200);
    expect(activated.text).not.toContain('whsec_');
    expect(verdicts(await deliver(path), both)).toEqual({
      signature: ['fresh'],
      next: ['old'],
      standard: ['old', 'fresh'],
    });
    expect((await rotate(path, { activate: true })).body.code).toBe('no_rotation');

    await travel(one, day * 1_000 + 60_000);
    await api.engine.eventually(async () =>
      Object.keys(await secretOf(name)).length === 1 ? true : undefined,
    );
    expect(await secretOf(name)).toEqual({ secret: fresh });
    expect(verdicts(await deliver(path), both)).toEqual({
      signature: ['fresh'],
      next: [],
      standard: ['fresh'],
    });
    expect((await api.call('GET', path)).body.secret_rotation).toBeNull();
  });

  test('when the overlap ends they swap by themselves, and a new database has them right', async () => {
    const one = await endpoint();
    const { path, id, secret: old } = one;
    const fresh = (await rotate(path, { overlap_sec: 3_600 })).body.secret;
    await travel(one, 3_600_000 + 60_000);
    const swapped = { signature: ['fresh'], next: ['old'], standard: ['old', 'fresh'] };
    expect(verdicts(await deliver(path), { old, fresh })).toEqual(swapped);
    // What the row knew is gone; the Secret has it.
    await api.engine.pool.query(
      `update webhook_endpoints set secret = null, next_secret = null, next_secret_at = null,
              old_secret_until = null where name = $1`,
      [one.name],
    );
    await api.call('PATCH', path, { json: { description: 'look again' } });
    expect(verdicts(await deliver(path), { old, fresh })).toEqual(swapped);
    // After a swap another rotation may begin; the old secret gives way to it.
    const third = (await rotate(path, { overlap_sec: 60 })).body.secret;
    expect(verdicts(await deliver(path), { old, fresh, third })).toEqual({
      signature: ['fresh'],
      next: ['third'],
      standard: ['fresh', 'third'],
    });
    expect(id).toMatch(/^we_/);
  });

  test('with no overlap the new one replaces the old one at once; canceled, all is as before', async () => {
    const { path, name, secret: old } = await endpoint();
    const fresh = (await rotate(path, { overlap_sec: 0 })).body.secret;
    expect(verdicts(await deliver(path), { old, fresh })).toEqual({
      signature: ['fresh'],
      next: [],
      standard: ['fresh'],
    });
    await api.engine.eventually(async () => (await secretOf(name))['secret'] === fresh);
    expect((await rotate(path, { cancel: true })).body.code).toBe('no_rotation');
    const dropped = (await rotate(path)).body.secret;
    expect((await rotate(path, { cancel: true })).body.secret_rotation).toBeNull();
    expect(verdicts(await deliver(path), { old, fresh, dropped })).toEqual({
      signature: ['fresh'],
      next: [],
      standard: ['fresh'],
    });
    const now = (await rotate(path)).body.secret;
    await rotate(path, { activate: true, overlap_sec: 0 });
    expect(verdicts(await deliver(path), { fresh, now }).standard).toEqual(['now']);
    await api.engine.eventually(async () => (await secretOf(name))['secret'] === now);
  });

  test('two callers cannot both begin, and a repeat under its key is answered the same secret', async () => {
    const { path } = await endpoint();
    const replies = await Promise.all([1, 2, 3, 4].map(() => rotate(path)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 409, 409, 409,
    ]);
    const other = await endpoint();
    const key = { 'idempotency-key': 'again' };
    const first = await rotate(other.path, undefined, key);
    const again = await rotate(other.path, undefined, key);
    expect(again.status).toBe(200);
    expect(again.body.secret).toBe(first.body.secret);
  });

  // The PostgreSQL store declares a Secret as a whole, by one author.
  const inKubernetes = test.runIf(storeName === 'kubernetes');
  inKubernetes('the Secret of a declared endpoint rotates by three keys', async () => {
    const [name, namespace, fieldManager] = ['by-hand', 'default', 'kubectl-patch'];
    const declared = { kind: 'WebhookEndpoint', namespace, name, spec: { url: receiver.url } };
    await api.engine.store.apply(declared, { fieldManager: 'kubectl' });
    const { status } = await api.engine.settled('WebhookEndpoint', name);
    const path = `/v1/webhooks/${String(status['endpointId'])}`;
    const { secret: old } = await secretOf(name);
    const next = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const secrets = { old: old!, next };
    const inHours = (hours: number): string =>
      new Date(Date.now() + hours * 3_600_000).toISOString();
    const rotateFor = async (swap: string, over: string): Promise<void> => {
      const data = { 'next-secret': next, 'next-secret-at': swap, 'old-secret-until': over };
      const patch = { kind: 'Secret', namespace, name: signingSecretName(name), spec: { data } };
      await api.engine.store.apply(patch, { fieldManager });
    };
    const signs = (wanted: object): Promise<unknown> =>
      api.engine.eventually(async () => {
        const seen = verdicts(await deliver(path), secrets);
        return JSON.stringify(seen) === JSON.stringify(wanted);
      });

    await rotateFor(inHours(1), inHours(2));
    await signs({ signature: ['old'], next: ['next'], standard: ['old', 'next'] });
    await rotateFor(inHours(-1), inHours(1));
    await signs({ signature: ['next'], next: ['old'], standard: ['old', 'next'] });
    await rotateFor(inHours(-2), inHours(-1));
    await signs({ signature: ['next'], next: [], standard: ['next'] });
    await api.engine.eventually(async () => (await secretOf(name))['secret'] === next);

    // The last step: the three keys go, and the new secret stays.
    const emptied = { kind: 'Secret', namespace, name: signingSecretName(name), spec: {} };
    await api.engine.store.apply(emptied, { fieldManager });
    expect(await secretOf(name)).toEqual({ secret: next });
    await signs({ signature: ['next'], next: [], standard: ['next'] });
  });

  test('a secret that is kept elsewhere is rotated there, and a wrong body is 422', async () => {
    await api.engine.declareEndpoint('declared', { url: receiver.url });
    await api.engine.settled('WebhookEndpoint', 'declared');
    const { body } = await api.call('GET', '/v1/webhooks?limit=100');
    const { id } = body.data.find(({ name }: { name: string }) => name === 'declared');
    expect((await rotate(`/v1/webhooks/${id}`)).body.code).toBe('managed_secret');
    const { path } = await endpoint();
    expect((await rotate(path, undefined, { 'if-match': '"7-0"' })).status).toBe(412);
    for (const json of [
      { overlap_sec: -1 },
      { overlap_sec: 604_801 },
      { overlap_sec: 1.5 },
      { activate: true, cancel: true },
      { secret: 'x' },
    ]) {
      expect((await rotate(path, json)).status).toBe(422);
    }
    const key = await api.newKey('elsewhere');
    expect((await api.call('POST', `${path}/rotate_secret`, { key })).status).toBe(404);
  });
});

test('the moments hold by the database’s clock, though nobody acts', async () => {
  const fixture = await startDeliveryFixture();
  try {
    const id = await fixture.addEndpoint();
    const place = endpointSecretPlace('default', id);
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    await fixture.pool.query('update webhook_endpoints set next_secret = $1', [
      fixture.sealer.seal(other, place),
    ]);
    const signers = async (swapped: string, over: string): Promise<(string | null)[]> => {
      await fixture.pool.query(
        `update webhook_endpoints set next_secret_at = now() + $1::interval,
                old_secret_until = now() + $2::interval`,
        [swapped, over],
      );
      await fixture.emit();
      const [claimed] = await fixture.claim(id);
      return [claimed!.secret, claimed!.otherSecret].map(
        (sealed) => sealed && fixture.sealer.open(sealed, place),
      );
    };
    expect(await signers('1 minute', '2 minutes')).toEqual([SECRET, other]);
    expect(await signers('-1 second', '1 minute')).toEqual([other, SECRET]);
    expect(await signers('-1 minute', '-1 second')).toEqual([other, null]);
  } finally {
    await fixture.stop();
  }
});
