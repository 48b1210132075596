import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { describeKind } from '../../roles/each-store.ts';
import { startTelephony, type Telephony } from './telephony-setup.ts';

/** TelephonyProviders by REST and by manifest: their tokens, numbers and agents (contract/telephony-providers.md). */

describeKind((storeName) => {
  let telephony: Telephony;
  let n = 0;
  beforeAll(async () => {
    telephony = await startTelephony(storeName);
    await telephony.secret('carrier', 'token-1\n');
    await telephony.api.call('POST', '/v1/agents', { json: { name: 'desk', prompt: 'Be kind.' } });
  });
  afterAll(() => telephony?.stop());

  const newName = (): string => `p${(n += 1)}`;
  const newNumber = (): string => `+4930${100_000 + (n += 1)}`;
  const authTokenSecretRef = { name: 'carrier', key: 'token' };
  const manifest = (over: object = {}) => ({
    type: 'twilio',
    accountId: 'AC1',
    authTokenSecretRef,
    ...over,
  });
  const body = (over: object = {}) => ({
    type: 'twilio',
    account_id: 'AC1',
    auth_token_secret_ref: authTokenSecretRef,
    ...over,
  });
  const declare = (name: string, over: object = {}) =>
    telephony.declare('TelephonyProvider', name, manifest(over));
  const bound = (...numbers: string[]) => ({
    numbers: numbers.map((number) => ({ number, agent: 'desk' })),
  });
  const namesOf = async (number: string): Promise<string[]> =>
    (await telephony.accounts.ofNumber('AC1', number)).map(({ account }) => account.name);
  const eventually = <T>(check: () => Promise<T | undefined | false>) =>
    telephony.api.engine.eventually(check);
  const inForce = (name: string) => telephony.conditionOf(name, 'Ready', 'InForce');

  describe('by REST', () => {
    test('is made, in force at once, read, listed, changed and deleted', async () => {
      const { api, create, accounts } = telephony;
      const name = newName();
      const number = newNumber();
      const fields = body({
        numbers: [{ number, agent: 'desk', version: 1 }],
        outbound: { countries: ['DE', 'GB'], ring_sec: 20 },
        inbound: { busy_message: 'All lines are busy.' },
        metadata: { a: 'b' },
      });
      const made = await create({ name, ...fields });
      expect(made).toMatchObject({
        status: 201,
        body: {
          ...fields,
          id: expect.stringMatching(/^tp_/),
          name,
          api_url: null,
          managed_by: 'api',
          ready: true,
          status_message: '1 number is active',
        },
      });
      const path = `/v1/telephony_providers/${made.body.id}`;
      expect(made.headers.get('location')).toBe(path);
      expect((await api.call('GET', path)).body).toEqual(made.body);
      const filters = `name=${name}&ready=true&managed_by=api&number=${encodeURIComponent(number)}`;
      const listed = await api.call('GET', `/v1/telephony_providers?${filters}`);
      expect(listed.body.data).toEqual([made.body]);
      for (const other of ['ready=false', `number=${encodeURIComponent(newNumber())}`]) {
        const none = await api.call('GET', `/v1/telephony_providers?name=${name}&${other}`);
        expect(none.body.data).toEqual([]);
      }
      const etag = made.headers.get('etag')!;
      const patched = await api.call('PATCH', path, {
        json: { outbound: { ring_sec: null, max_concurrent_calls: 3 }, metadata: null },
        headers: { 'if-match': etag },
      });
      expect(patched).toMatchObject({
        status: 200,
        body: { outbound: { countries: ['DE', 'GB'], max_concurrent_calls: 3 }, metadata: {} },
      });
      expect(patched.body.outbound).not.toHaveProperty('ring_sec');
      const stale = { json: {}, headers: { 'if-match': etag } };
      expect((await api.call('PATCH', path, stale)).status).toBe(412);
      await eventually(async () => {
        const { outbound } = (await accounts.byName('default', name)) ?? {};
        return outbound?.maxConcurrentCalls === 3;
      });
      expect((await api.call('DELETE', path)).status).toBe(204);
      expect((await api.call('GET', path)).status).toBe(404);
      await eventually(async () => (await namesOf(number)).length === 0);
      const { body: lines } = await api.call('GET', `/v1/audit_log?target=${made.body.id}`);
      expect(lines.data.map(({ action }: { action: string }) => action).toSorted()).toEqual(
        ['created', 'deleted', 'updated'].map((verb) => `telephony_provider.${verb}`),
      );
    });

    test.each([
      [{ api_url: 'http://10.0.0.1' }, '/api_url', 'invalid_url'],
      [{ api_url: 'http://169.254.169.254/x' }, '/api_url', 'invalid_url'],
      [{ name: 'simulated' }, '/name', 'reserved_name'],
      [{ outbound: { countries: ['DE', 'UK'] } }, '/outbound/countries/1', 'unknown_country'],
      [
        { numbers: [{ number: '+493055555', agent: 'nobody' }] },
        '/numbers/0/agent',
        'unknown_agent',
      ],
    ])('%j is 422 at %s', async (over, pointer, code) => {
      const reply = await telephony.create(body(over));
      expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
      expect(reply.body.errors).toEqual([expect.objectContaining({ pointer, code })]);
    });

    test.each([
      [{ api_url: 'https://api.example/?a=b' }, '/api_url'],
      [{ type: 'carrier-pigeon' }, '/type'],
      [{ account_id: 'AC 1' }, '/account_id'],
      [{ auth_token_secret_ref: null }, '/auth_token_secret_ref'],
      [{ auth_token: 'secret' }, '/auth_token'],
      [{ numbers: [{ number: '030 123456', agent: 'desk' }] }, '/numbers/0/number'],
      [{ outbound: {} }, '/outbound/countries'],
      [{ outbound: { countries: [] } }, '/outbound/countries'],
    ])('%j is 422 at %s by its form', async (over, pointer) => {
      const reply = await telephony.create(body(over));
      expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
      expect(reply.body.errors).toEqual([expect.objectContaining({ pointer })]);
    });

    test('what is refused at a create is no change either, and neither is another name', async () => {
      const { api, create } = telephony;
      const { body: made } = await create(body());
      const path = `/v1/telephony_providers/${made.id}`;
      for (const json of [
        { api_url: 'http://10.0.0.1' },
        { name: 'other' },
        { outbound: { countries: ['ZZ'] } },
        { numbers: [{ number: newNumber(), agent: 'nobody' }] },
        { account_id: null },
      ]) {
        expect((await api.call('PATCH', path, { json })).status).toBe(422);
      }
      expect((await api.call('GET', path)).body).toEqual(made);
    });

    test('a number that another one has is 422 at its place and names that one', async () => {
      const { api, create } = telephony;
      const [name, number] = [newName(), newNumber()];
      await create(body({ name, ...bound(number) }));
      const second = body(bound(newNumber(), number));
      const refused = await create(second);
      expect(refused.body.errors).toEqual([
        {
          pointer: '/numbers/1/number',
          code: 'number_taken',
          detail: expect.stringContaining(`already belongs to TelephonyProvider "${name}"`),
        },
      ]);
      const { body: other } = await create(body());
      const path = `/v1/telephony_providers/${other.id}`;
      expect((await api.call('PATCH', path, { json: bound(number) })).status).toBe(422);
      // Another namespace has its own numbers and its own agent.
      const key = await api.newKey('tenant');
      await api.call('POST', '/v1/agents', { key, json: { name: 'desk', prompt: 'x' } });
      expect((await create(body(bound(number)), key)).status).toBe(201);
    });

    test("of another namespace is nobody's", async () => {
      const { api, create } = telephony;
      const key = await api.newKey('tenant2');
      const { body: made } = await create(body(), key);
      const path = `/v1/telephony_providers/${made.id}`;
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const json = method === 'PATCH' ? { json: {} } : {};
        expect((await api.call(method, path, json)).status).toBe(404);
      }
    });

    test('of a manifest is changed and deleted there', async () => {
      const { api } = telephony;
      const name = newName();
      await declare(name);
      await inForce(name);
      const { body: listed } = await api.call('GET', `/v1/telephony_providers?name=${name}`);
      expect(listed.data).toMatchObject([{ managed_by: 'kubernetes' }]);
      const path = `/v1/telephony_providers/${listed.data[0].id}`;
      const patch = { json: { account_id: 'AC2' } };
      for (const reply of [await api.call('PATCH', path, patch), await api.call('DELETE', path)]) {
        expect(reply).toMatchObject({ status: 409, body: { code: 'managed_elsewhere' } });
      }
    });
  });

  describe('the token', () => {
    test('comes from a labelled Secret, is used when it changes, and is shown nowhere', async () => {
      const { api, secret, conditionOf, accounts, create } = telephony;
      const name = newName();
      const ref = { name, key: 'token' };
      const { body: made } = await create(body({ name, auth_token_secret_ref: ref }));
      expect(made).toMatchObject({ ready: false, auth_token_secret_ref: ref });
      await conditionOf(name, 'Reconciling', 'SecretNotFound');
      expect(await accounts.byName('default', name)).toBeUndefined();
      const uses = async (token: string) =>
        (await accounts.byName('default', name))?.authToken === token;
      for (const token of ['sk-first', 'sk-second']) {
        await secret(name, `${token}\n`);
        await eventually(() => uses(token));
      }
      await inForce(name);
      const object = await api.engine.store.get('TelephonyProvider', {
        namespace: 'default',
        name,
      });
      const { rows } = await api.engine.pool.query(
        `select t.*, encode(t.auth_token, 'escape') as bytes from telephony_providers t where name = $1`,
        [name],
      );
      expect(rows).toHaveLength(1);
      const shown = await api.call('GET', `/v1/telephony_providers/${made.id}`);
      const { body: lines } = await api.call('GET', `/v1/audit_log?target=${made.id}`);
      for (const one of [object, rows, lines, shown.body]) {
        expect(JSON.stringify(one)).not.toContain('sk-');
      }
    });

    test('of a Secret without the label is not read, and says so', async () => {
      const name = newName();
      await telephony.secret(name, 'sk-1', {});
      await declare(name, { authTokenSecretRef: { name, key: 'token' } });
      await telephony.conditionOf(name, 'ResolvedRefs', 'SecretNotAllowed');
      expect(await telephony.accounts.byName('default', name)).toBeUndefined();
    });

    test.each(['two\nlines', 'x'.repeat(257)])('%j is refused', async (token) => {
      const name = newName();
      await telephony.secret(name, token);
      await declare(name, { authTokenSecretRef: { name, key: 'token' } });
      await telephony.conditionOf(name, 'ResolvedRefs', 'InvalidSecret');
    });

    test('never goes to an address that is refused, and what was in force stays', async () => {
      const [name, number] = [newName(), newNumber()];
      await declare(name, bound(number));
      await inForce(name);
      await declare(name, { ...bound(number), apiUrl: 'http://10.0.0.1' });
      await telephony.conditionOf(name, 'Accepted', 'InvalidUrl');
      expect(await telephony.accounts.byName('default', name)).toMatchObject({
        apiUrl: 'https://api.twilio.com',
        authToken: 'token-1',
      });
      expect(await namesOf(number)).toEqual([name]);
      expect(await telephony.statusOf(name)).toMatchObject({ numbers: 1 });
    });
  });

  test.each([
    ['ReservedName', 'simulated', {}],
    ['InvalidCountry', 'far', { outbound: { countries: ['DE', 'UK'] } }],
    [
      'InvalidTimeZone',
      'sunken',
      {
        numbers: [
          {
            number: '+442079460009',
            agent: 'nobody',
            hours: {
              timeZone: 'Europe/Atlantis',
              open: [{ days: ['mon'], from: '09:00', to: '17:00' }],
            },
          },
        ],
      },
    ],
  ])('a manifest is refused for %s', async (reason, name, over) => {
    await declare(name, over);
    await telephony.conditionOf(name, 'Accepted', reason);
    await telephony.conditionOf(name, 'Stalled', reason);
    expect(await telephony.accounts.byName('default', name)).toBeUndefined();
  });

  describe('a number', () => {
    test('of an agent that is missing waits for it, and the others are in force', async () => {
      const { declare: declareKind, remove, conditionOf, statusOf, accounts } = telephony;
      const name = newName();
      const agent = newName();
      const [there, waiting] = [newNumber(), newNumber()];
      const numbers = [
        { number: there, agent: 'desk' },
        { number: waiting, agent, version: 2 },
      ];
      await declare(name, { numbers });
      const missing = await conditionOf(name, 'ResolvedRefs', 'AgentNotFound');
      expect(missing.message).toContain(`number ${waiting}: agent "${agent}" does not exist`);
      await conditionOf(name, 'Reconciling', 'AgentNotFound');
      expect(await statusOf(name)).toMatchObject({ numbers: 1 });
      const boundTo = async (number: string) =>
        (await accounts.ofNumber('AC1', number)).map((one) => one.bound);
      expect(await boundTo(there)).toEqual([
        { number: there, agentId: expect.any(String), agentVersion: undefined },
      ]);
      expect(await boundTo(waiting)).toEqual([{ number: waiting, agentId: null, agentVersion: 2 }]);

      await declareKind('Agent', agent, { prompt: 'x' });
      await inForce(name);
      expect(await statusOf(name)).toMatchObject({ numbers: 2 });
      await eventually(async () => typeof (await boundTo(waiting))[0]?.agentId === 'string');
      await remove('Agent', agent);
      await conditionOf(name, 'Reconciling', 'AgentNotFound');
      await eventually(async () => (await boundTo(waiting))[0]?.agentId === null);
    });

    test('stands in one provider of a namespace; the second comes in force when it is let go', async () => {
      const { conditionOf, statusOf, remove } = telephony;
      const [first, second, third] = [newName(), newName(), newName()];
      const [wanted, own] = [newNumber(), newNumber()];
      await declare(first, bound(wanted));
      await inForce(first);
      await declare(second, bound(wanted, own));
      const taken = await conditionOf(second, 'Accepted', 'NumberTaken');
      expect(taken.message).toContain(`${wanted} already belongs to TelephonyProvider "${first}"`);
      expect(await statusOf(second)).toMatchObject({ numbers: 0 });
      expect(await namesOf(wanted)).toEqual([first]);
      expect(await namesOf(own)).toEqual([]);
      // A change frees the number.
      await declare(first, bound());
      await inForce(second);
      await eventually(async () => (await namesOf(wanted))[0] === second);
      // Deleting the provider frees the number too.
      await declare(third, bound(own));
      await conditionOf(third, 'Accepted', 'NumberTaken');
      await remove('TelephonyProvider', second);
      await inForce(third);
      await eventually(async () => (await namesOf(own))[0] === third);
    });

    test('is exchanged for another one by two providers at once', async () => {
      const [first, second] = [newName(), newName()];
      const [one, two] = [newNumber(), newNumber()];
      await declare(first, bound(one));
      await declare(second, bound(two));
      await Promise.all([first, second].map(inForce));
      await Promise.all([declare(first, bound(two)), declare(second, bound(one))]);
      await eventually(async () => {
        const found = [await namesOf(two), await namesOf(one)];
        return found[0]?.[0] === first && found[1]?.[0] === second;
      });
      await Promise.all([first, second].map(inForce));
    });

    test('of a refused change is as it was until the change is accepted', async () => {
      const name = newName();
      const [before, after] = [newNumber(), newNumber()];
      await declare(name, bound(before));
      await inForce(name);
      await declare(name, { ...bound(after), outbound: { countries: ['UK'] } });
      await telephony.conditionOf(name, 'Accepted', 'InvalidCountry');
      expect([await namesOf(before), await namesOf(after)]).toEqual([[name], []]);
      await declare(name, bound(after));
      await inForce(name);
      await eventually(async () => (await namesOf(after))[0] === name);
      expect(await namesOf(before)).toEqual([]);
    });
  });

  test('its numbers are those of its last declaration, in the order of their digits', async () => {
    const { accounts, create, api } = telephony;
    const [high, low] = [newNumber(), newNumber()].toSorted().toReversed() as [string, string];
    const { body: made } = await create(body({ ...bound(high, low) }));
    const { body: desk } = await api.call('GET', '/v1/agents?name=desk');
    const account = await eventually(() => accounts.byId(toUuid('tp', made.id)!));
    const agentId = toUuid('agt', desk.data[0].id)!;
    const all = [low, high].map((number) => ({ number, agentId, agentVersion: undefined }));
    expect(await accounts.numbersOf(account)).toEqual(all);
    expect(await accounts.numbersOf(account, agentId)).toEqual(all);
    expect(await accounts.numbersOf(account, account.id)).toEqual([]);
  });
});
