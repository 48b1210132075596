import { expect } from 'vitest';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';
import { addPools, meanwhile, until } from '../passing-time.ts';
import { ACCOUNT, TOKEN } from './account.ts';
import { startStandIn, type Manner, type StandIn } from './stand-in-carrier.ts';

/** An API with an agent, and a stand-in carrier with a number that rings it. */
export type PhoneFixture = {
  api: Api;
  carrier: StandIn;
  agentId: string;
  read: (path: string) => Promise<Reply['body']>;
  /** Returns the call with this carrier id once it has the wanted fields. */
  callWhen: (sid: string, wanted?: object) => Promise<Reply['body']>;
  /** Returns role and text of each turn of a call, with ` (interrupted)` for interrupted turns. */
  transcript: (call: { conversation_id: string }) => Promise<string[]>;
  /** Returns the types of the conversation's events, oldest first. */
  events: (call: { conversation_id: string }) => Promise<string[]>;
  stop: () => Promise<void>;
};

export const NUMBER = '+442071838750';
export const OTHER_NUMBER = '+442071838751';
export const GREETING = 'Hello, this is the shop.';

export const PROVIDER = {
  name: 'carrier',
  type: 'twilio',
  account_id: ACCOUNT,
  auth_token_secret_ref: { name: 'carrier', key: 'token' },
  outbound: { countries: ['GB'], ring_sec: 5 },
};

/** `manner` imitates a carrier, by default Twilio. `token` belongs to its account. */
export type FixtureOptions = {
  agent?: object;
  provider?: object;
  manner?: Manner;
  token?: string;
};

export async function startPhoneFixture(
  options: Parameters<typeof startApi>[0] = {},
  { agent = {}, provider = {}, manner, token = TOKEN }: FixtureOptions = {},
): Promise<PhoneFixture> {
  const api = await startApi(options);
  const removePools = addPools(...api.pools);
  const carrier = await startStandIn(api.url, manner);
  const read = async (path: string): Promise<Reply['body']> => {
    const reply = await api.call('GET', path);
    expect(reply.status).toBe(200);
    return reply.body;
  };
  await declareToken(api, 'carrier', token);
  const json = { name: 'shop', prompt: 'Sell.', first_message: GREETING, ...agent };
  const made = await api.call('POST', '/v1/agents', { json });
  expect(made.status).toBe(201);
  const numbers = [{ number: NUMBER, agent: 'shop' }];
  const declared = await api.call('POST', '/v1/telephony_providers', {
    json: { ...PROVIDER, api_url: carrier.apiUrl, numbers, ...provider },
  });
  expect([declared.status, declared.text]).toEqual([201, expect.anything()]);
  return {
    api,
    carrier,
    agentId: made.body.id,
    read,
    callWhen: (sid, wanted = {}) => {
      const seen = async (): Promise<Reply['body']> => {
        const { data } = await read('/v1/calls?limit=100');
        return data.find((call: { provider_call_id: string }) => call.provider_call_id === sid);
      };
      return until(
        async () =>
          `a call like ${JSON.stringify(wanted)}, but it is ${JSON.stringify(await seen())}`,
        async () => {
          const call = await seen();
          const isWanted = Object.entries(wanted).every(([name, value]) => call?.[name] === value);
          return call && isWanted && call;
        },
        { everyMs: 100 },
      );
    },
    transcript: async ({ conversation_id }) => {
      const { turns } = await read(`/v1/conversations/${conversation_id}/transcript`);
      return turns.map(
        ({ role, text, interrupted }: { role: string; text: string; interrupted: boolean }) =>
          `${role}: ${text}${interrupted ? ' (interrupted)' : ''}`,
      );
    },
    events: async ({ conversation_id }) => {
      const { data } = await read(`/v1/events?conversation_id=${conversation_id}`);
      return data.map(({ type }: { type: string }) => type).toReversed();
    },
    stop: async () => {
      removePools();
      await meanwhile(api.stop());
      await carrier.stop();
    },
  };
}

export async function declareToken({ engine }: Api, name: string, token: string): Promise<void> {
  const labels = { 'parley.dev/allow': 'true' };
  const secret = { kind: 'Secret', namespace: 'default', name, labels, spec: { data: { token } } };
  await engine.store.apply(secret, { fieldManager: 'kubectl' });
}
