import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SCOPES } from '../../../src/platform/http/authorize.ts';
import { createHmac } from 'node:crypto';
import {
  createEndpoint,
  deleteEndpoint,
  patchEndpoint,
} from '../../../src/webhooks/endpoints/write-endpoint.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { apiDeps, awaitCondition, refusal, type ReportedCondition } from '../../agents/agents.ts';
import { SECRET, startEngine, type Engine } from '../../roles/engine.ts';
import { startReceiver, type Received, type Receiver } from '../receiver.ts';
import { describeKind } from '../../roles/each-store.ts';

const BY = { namespace: 'default', actor: 'api:key_test', scopes: SCOPES };

describeKind((storeName) => {
  let engine: Engine;
  let receiver: Receiver;
  beforeEach(async () => {
    engine = await startEngine(storeName);
    receiver = await startReceiver();
    await engine.startOperator();
  });
  afterEach(async () => {
    await engine.stop();
    await receiver.close();
  });

  const KEY = { namespace: 'default', name: 'all' };
  const OTHER_SECRET = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
  const declare = (spec: Record<string, unknown>, annotations: Record<string, string> = {}) =>
    engine.store.apply(
      { kind: 'WebhookEndpoint', ...KEY, spec, annotations },
      { fieldManager: 'kubectl' },
    );
  const settled = (): Promise<Resource> => engine.settled('WebhookEndpoint', 'all');
  const secretOf = async (name: string): Promise<Resource | undefined> =>
    engine.store.get('Secret', { namespace: 'default', name });
  const declareSecret = (name: string, value: string, allow = 'true') =>
    engine.store.apply(
      {
        kind: 'Secret',
        namespace: 'default',
        name,
        labels: { 'parley.dev/allow': allow },
        spec: { data: { key: value } },
      },
      { fieldManager: 'kubectl' },
    );
  type Row = { id: string; url: string; ready: boolean; reason: string; uid: string };
  const rowOf = async (): Promise<Row | undefined> => {
    const { rows } = await engine.pool.query<Row>(
      "select id, url, ready, reason, uid from webhook_endpoints where name = 'all' and deleted_at is null",
    );
    return rows[0];
  };
  const condition = (type: string, expected: Partial<ReportedCondition>) =>
    awaitCondition(engine, { kind: 'WebhookEndpoint', name: 'all' }, { type, ...expected });
  let events = 0;
  /** One more event for everybody. */
  const cause = async (): Promise<void> => {
    events += 1;
    await engine.declareAgent(`agent-${events}`, { prompt: 'p' });
    await engine.settled('Agent', `agent-${events}`);
  };
  const signedWith = (secret: string) => (received: Received) =>
    received.headers['parley-signature'] ===
    createHmac('sha256', secret).update(received.body).digest('hex');
  const queued = async (): Promise<number> => {
    const { rows } = await engine.pool.query<{ n: number }>(
      'select count(*) as n from delivery_queue',
    );
    return rows[0]!.n;
  };

  describe('an address that may not be called', () => {
    test('Accepted=False, and nothing is set up', async () => {
      for (const url of [
        'http://10.0.0.1/hook',
        'http://192.168.1.9/hook',
        'http://[fd00::1]/hook',
        'http://shop.example/hook',
        'https://169.254.169.254/latest',
        'https://metadata.google.internal.:99999/',
      ]) {
        await declare({ url });
        await settled();
        await condition('Accepted', { status: 'False', reason: 'InvalidUrl' });
        await condition('Ready', { status: 'False', reason: 'InvalidUrl' });
        expect({ url, row: await rowOf() }).toEqual({ url, row: undefined });
      }
    });

    test('in a later declaration: the last good one goes on, as the status says, until it is mended', async () => {
      await engine.startDelivery();
      await engine.declareEndpoint('all', { url: receiver.url });
      await settled();
      await declare({ url: 'http://10.0.0.1/' });
      await condition('Accepted', { status: 'False' });
      expect(await rowOf()).toMatchObject({
        url: receiver.url,
        ready: false,
        reason: 'InvalidUrl',
      });
      await cause();
      await receiver.until((received) => received.length >= 1);
      await declare({ url: `${receiver.url}/2` });
      await condition('Ready', { status: 'True' });
      expect(await rowOf()).toMatchObject({ url: `${receiver.url}/2`, ready: true });
    });
  });

  describe('the signing secret', () => {
    test('is made when none is named, once, and signs', async () => {
      await engine.startDelivery();
      await declare({ url: receiver.url });
      const { status } = await settled();
      expect(status['secretName']).toBe('all-signing');
      const secret = await secretOf('all-signing');
      const { secret: value } = secret!.spec['data'] as { secret: string };
      expect(value).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      await declare({ url: receiver.url, description: 'again' });
      await settled();
      expect(await secretOf('all-signing')).toEqual(secret);
      await cause();
      const [received] = await receiver.until((all) => all.length >= 1);
      expect(signedWith(value)(received!)).toBe(true);
    });

    test('F-55: that is named counts, so does its change, and another name', async () => {
      await engine.startDelivery();
      await declareSecret('mine', SECRET);
      await declare({ url: receiver.url, secretRef: { name: 'mine', key: 'key' } });
      await settled();
      expect(await secretOf('all-signing')).toBeUndefined();
      await cause();
      await receiver.until((all) => all.length >= 1 && all.every(signedWith(SECRET)));
      await declareSecret('mine', OTHER_SECRET);
      await sealedAnew();
      await cause();
      await receiver.until((all) => all.length >= 2 && signedWith(OTHER_SECRET)(all[1]!));
      await declareSecret('next', SECRET);
      await declare({ url: receiver.url, secretRef: { name: 'next', key: 'key' } });
      await settled();
      await cause();
      await receiver.until((all) => all.length >= 3 && signedWith(SECRET)(all[2]!));
    });

    test.each([
      ['missing', async () => undefined, 'SecretNotFound'],
      ['without the label', async () => declareSecret('mine', SECRET, 'false'), 'SecretNotAllowed'],
      ['not a secret of ours', async () => declareSecret('mine', 'hunter2'), 'InvalidSecret'],
    ])('F-55: %s: ResolvedRefs=False, and it heals by itself', async (_, prepare, reason) => {
      await prepare();
      await declare({ url: receiver.url, secretRef: { name: 'mine', key: 'key' } });
      const found = await condition('ResolvedRefs', { status: 'False', reason });
      expect(JSON.stringify(found)).not.toContain('hunter2');
      await condition('Ready', { status: 'False', reason });
      await declareSecret('mine', SECRET);
      await condition('Ready', { status: 'True' });
    });

    test('F-55: that goes away leaves the last one signing', async () => {
      await engine.startDelivery();
      await declareSecret('mine', SECRET);
      await declare({ url: receiver.url, secretRef: { name: 'mine', key: 'key' } });
      await settled();
      await engine.store.delete('Secret', { namespace: 'default', name: 'mine' });
      await condition('ResolvedRefs', { status: 'False', reason: 'SecretNotFound' });
      await cause();
      await receiver.until((all) => all.length >= 1 && all.every(signedWith(SECRET)));
    });

    test('in no table is it readable', async () => {
      await declareSecret('mine', SECRET);
      await declare({ url: receiver.url, secretRef: { name: 'mine', key: 'key' } });
      await settled();
      // Elsewhere it is the cluster that keeps the Secret; what we hold is the same.
      const tables = ['webhook_endpoints', ...(engine.cluster ? [] : ['resources'])];
      for (const table of tables) {
        const { rows } = await engine.pool.query(`select t::text as text from ${table} t`);
        expect(rows.length).toBeGreaterThan(0);
        const bytes = Buffer.from(SECRET).toString('hex');
        for (const { text } of rows) {
          expect(text).not.toContain(SECRET);
          expect(text).not.toContain(bytes);
        }
      }
    });
  });

  /** Waits until the row holds another secret than now; the Secret's change moves no generation. */
  async function sealedAnew(): Promise<void> {
    await engine.eventually(async () => {
      const { rows } = await engine.pool.query<{ id: string; secret: Buffer }>(
        'select id, secret from webhook_endpoints',
      );
      const place = `endpoint:default/${rows[0]!.id}`;
      return engine.sealer.open(rows[0]!.secret, place) === OTHER_SECRET;
    });
  }

  test('an id does not change: another one is refused and the endpoint goes on', async () => {
    await declare({ url: receiver.url });
    const { status } = await settled();
    const before = await rowOf();
    // Not by a manifest, to which the API server would say that the operator owns it.
    const annotations = { 'parley.dev/id': 'we_01jd0000000000000000000000' };
    await engine.store.annotate('WebhookEndpoint', KEY, annotations);
    await condition('Accepted', { status: 'False', reason: 'InvalidId' });
    expect((await settled()).status).toMatchObject({
      endpointId: status['endpointId'],
      health: 'NotReady',
    });
    expect(await rowOf()).toEqual(before);
  });

  describe('deletion', () => {
    test('cancels what is on its way and removes the secret that was made', async () => {
      await declare({ url: receiver.url });
      await settled();
      await cause();
      expect(await queued()).toBe(1);
      await engine.store.delete('WebhookEndpoint', KEY);
      await engine.eventually(async () => (await rowOf()) === undefined);
      expect([await secretOf('all-signing'), await queued()]).toEqual([undefined, 0]);
      const { rows } = await engine.pool.query('select status from deliveries');
      expect(rows).toEqual([{ status: 'canceled' }]);
    });

    test('leaves a Secret of that name which somebody else declares', async () => {
      await engine.declareEndpoint('all', { url: receiver.url });
      await settled();
      await engine.store.delete('WebhookEndpoint', KEY);
      await engine.eventually(async () => (await rowOf()) === undefined);
      // The Secret would go after the row: once the namesake is in force, that has been decided.
      await declare({ url: receiver.url });
      await settled();
      expect((await secretOf('all-signing'))?.owners).toEqual({ data: ['kubectl'] });
    });

    test('and a namesake at once: by its name it goes on, under an id of its own it is new', async () => {
      await declare({ url: receiver.url });
      const { metadata } = await settled();
      const first = await rowOf();
      await cause();
      await engine.store.delete('WebhookEndpoint', KEY);
      await declare({ url: `${receiver.url}/2` });
      const again = await settled();
      expect(again.metadata.uid).not.toBe(metadata.uid);
      expect(await rowOf()).toMatchObject({
        id: first!.id,
        url: `${receiver.url}/2`,
        uid: again.metadata.uid,
      });
      expect(await secretOf('all-signing')).toBeDefined();

      await engine.store.delete('WebhookEndpoint', KEY);
      const id = 'we_01jd0000000000000000000000';
      await declare({ url: receiver.url }, { 'parley.dev/id': id });
      expect((await settled()).status['endpointId']).toBe(id);
      await engine.eventually(async () => (await queued()) === 0); // Those of the first are canceled.
      expect((await rowOf())?.id).not.toBe(first!.id);
    });
  });

  describe('through the API', () => {
    test('an endpoint is made with its secret, patched in part, and gone with all that was its', async () => {
      const api = apiDeps(engine);
      const {
        row: endpoint,
        secret,
        shown,
      } = await createEndpoint(api, BY, {
        url: receiver.url,
      });
      const { id, name } = endpoint;
      expect({ ...endpoint, shown }).toMatchObject({ shown: true, ready: true, managedBy: 'api' });
      expect((await secretOf(`${name}-signing`))?.spec['data']).toEqual({ secret });
      const key = { namespace: 'default', id };
      await Promise.all([
        patchEndpoint(api, BY, { id: key.id, patch: { enabled: false } }),
        patchEndpoint(api, BY, { id: key.id, patch: { description: 'd' } }),
      ]);
      const after = await patchEndpoint(api, BY, {
        id: key.id,
        patch: { event_types: ['agent.*'] },
      });
      expect(after.row).toMatchObject({
        enabled: false,
        description: 'd',
        eventTypes: ['agent.*'],
        ready: true,
      });
      const { annotations } = (await engine.store.get('WebhookEndpoint', endpoint))!.metadata;
      expect(annotations['parley.dev/id']?.replace('_', '-')).toBe(name);
      await deleteEndpoint(api, BY, key);
      await engine.eventually(async () => (await secretOf(`${name}-signing`)) === undefined);
      expect(await refusal(deleteEndpoint(api, BY, key))).toMatchObject({ code: 'not_found' });
    });

    test('what a manifest declares is not its to change or delete', async () => {
      await engine.declareEndpoint('all', { url: receiver.url });
      await settled();
      const key = { namespace: 'default', id: (await rowOf())!.id };
      const change = patchEndpoint(apiDeps(engine), BY, {
        id: key.id,
        patch: { url: `${receiver.url}/mine` },
      });
      expect(await refusal(change)).toMatchObject({
        code: 'managed_elsewhere',
        pointers: ['/url'],
      });
      expect(await refusal(deleteEndpoint(apiDeps(engine), BY, key))).toMatchObject({
        code: 'managed_elsewhere',
      });
      const { row: endpoint } = await patchEndpoint(apiDeps(engine), BY, {
        id: key.id,
        patch: { description: 'mine' },
      });
      expect(endpoint.description).toBe('mine');
    });

    test('an address that may not be called is 422 and leaves nothing, its secret included', async () => {
      const call = createEndpoint(apiDeps(engine), BY, { url: 'http://10.0.0.1/' });
      expect(await refusal(call)).toMatchObject({ status: 422, pointers: ['/url'] });
      const odd = createEndpoint(apiDeps(engine), BY, {
        url: receiver.url,
        description: 'x'.repeat(2000),
      });
      expect(await refusal(odd)).toMatchObject({ status: 422, pointers: ['/description'] });
      expect(await engine.store.list('Secret')).toEqual([]);
    });
  });
});
