import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeKind } from '../../roles/each-store.ts';
import { startTelephony, type Telephony } from './telephony-setup.ts';

/** The fields of a TelephonyProvider that only type telnyx has (contract/telephony-providers.md#fields). */

const PUBLIC_KEY = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
/** The same key with a wrong character. */
const NO_KEY = '11qYAYKxErfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const authTokenSecretRef = { name: 'carrier', key: 'token' };
const BODY = { type: 'telnyx', account_id: 'AC1', auth_token_secret_ref: authTokenSecretRef };
const OUTBOUND = { countries: ['GB'] };

describeKind((storeName) => {
  let telephony: Telephony;
  beforeAll(async () => {
    telephony = await startTelephony(storeName);
    await telephony.secret('carrier', 'KEY-1');
  });
  afterAll(() => telephony?.stop());

  test('it has its public key and its application, shown as they are', async () => {
    const { api, create, accounts } = telephony;
    const fields = { public_key: PUBLIC_KEY, application_id: '1', outbound: OUTBOUND };
    const made = await create({ ...BODY, name: 'main', ...fields });
    expect(made).toMatchObject({ status: 201, body: { ...fields, type: 'telnyx', api_url: null } });
    const account = await api.engine.eventually(() => accounts.byName('default', 'main'));
    expect(account).toMatchObject({
      type: 'telnyx',
      own: { publicKey: PUBLIC_KEY, applicationId: '1' },
      apiUrl: 'https://api.telnyx.com',
      authToken: 'KEY-1',
    });
    const path = `/v1/telephony_providers/${made.body.id}`;
    const bare = await api.call('PATCH', path, { json: { application_id: null } });
    expect(bare.body.errors).toMatchObject([{ pointer: '/application_id' }]);
    const turned = { type: 'twilio', public_key: null, application_id: null };
    expect(await api.call('PATCH', path, { json: turned })).toMatchObject({
      status: 200,
      body: { type: 'twilio', public_key: null },
    });
  });

  describe('is 422', () => {
    test.each([
      ['without a public key', {}, '/public_key'],
      ['with a key that is too short', { public_key: PUBLIC_KEY.slice(1) }, '/public_key'],
      ['with 32 bytes that are no key', { public_key: NO_KEY }, '/public_key'],
      [
        'with calls out by nothing',
        { public_key: PUBLIC_KEY, outbound: OUTBOUND },
        '/application_id',
      ],
      [
        'when it rings for longer than it may',
        { public_key: PUBLIC_KEY, application_id: '1', outbound: { ...OUTBOUND, ring_sec: 121 } },
        '/outbound/ring_sec',
      ],
      ['of Twilio with a key', { type: 'twilio', public_key: PUBLIC_KEY }, '/public_key'],
      ['of Twilio with an application', { type: 'twilio', application_id: '1' }, '/application_id'],
    ])('%s', async (_, over, pointer) => {
      const reply = await telephony.create({ ...BODY, ...over });
      expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
      expect(reply.body.errors).toEqual([expect.objectContaining({ pointer })]);
    });
  });

  test('a manifest with 32 bytes that are no key is not accepted, and what was in force goes on', async () => {
    const { accounts, conditionOf, declare } = telephony;
    const spec = { type: 'telnyx', accountId: 'AC1', authTokenSecretRef };
    await declare('TelephonyProvider', 'typed', { ...spec, publicKey: PUBLIC_KEY });
    await conditionOf('typed', 'Ready', 'InForce');
    await declare('TelephonyProvider', 'typed', { ...spec, publicKey: NO_KEY });
    const { message } = await conditionOf('typed', 'Accepted', 'InvalidKey');
    expect(message).toContain('spec.publicKey: the key is not an Ed25519 key');
    await conditionOf('typed', 'Stalled', 'InvalidKey');
    expect(await accounts.byName('default', 'typed')).toMatchObject({
      own: { publicKey: PUBLIC_KEY },
    });
  });
});
