import { expect, test } from 'vitest';
import { eventually, statusMessageOf, type Api } from '../../packages/drill/src/api.ts';
import { declare } from '../../packages/drill/src/declare.ts';
import { holdTime } from '../clock.ts';

/** Output of a drill whose objects Parley cannot make ready. */

/** Everything is ready except objects of one kind, which report a reason. */
function apiWhere(refused: string, message: string | null): Api & { deleted: string[] } {
  const deleted: string[] = [];
  return {
    deleted,
    call: async (method, path) => {
      if (method === 'POST') return { id: 'x1', secret: 'whsec_' };
      if (method === 'DELETE') return void deleted.push(path);
      const isReady = !path.startsWith(refused);
      return { ready: isReady, status_message: isReady ? null : message };
    },
  };
}

const OPTIONS = {
  name: 'drill',
  here: 'http://drill:1',
  voiceUrl: 'http://drill:2',
  tokenFrom: { name: 's', key: 'k' },
  account: 'AC1',
  number: '+442071838750',
  retranscribes: false,
};
/** Longer than the drill waits for one object. */
const LONG_MS = 61_000;

test.each([
  ['/v1/model_providers', 'the address 198.18.0.7 is private: add its range to egressAllow'],
  ['/v1/agents', 'there is no version yet'],
  ['/v1/telephony_providers', 'Secret s needs the label parley.dev/allow: "true"'],
])('says why %s is not ready, and takes away what it declared', async (path, message) => {
  const time = holdTime();
  const api = apiWhere(path, message);
  const declared = declare(api, OPTIONS).catch((error: unknown) => error);
  await time.armed(250);
  await time.advance(LONG_MS);
  expect(await declared).toEqual(
    new Error(`timed out after 60000 ms waiting for ${path}/x1 to be ready: ${message}`),
  );
  expect(api.deleted).toContain(`${path}/x1`);
});

test('names what it waited for where Parley says nothing of it', async () => {
  const time = holdTime();
  const declared = declare(apiWhere('/v1/agents', null), OPTIONS).catch(String);
  await time.armed(250);
  await time.advance(LONG_MS);
  expect(await declared).toBe(
    'Error: timed out after 60000 ms waiting for /v1/agents/x1 to be ready',
  );
});

test('says that nobody answers where the reason cannot be read either', async () => {
  const time = holdTime();
  const api: Api = { call: () => Promise.reject(new Error('GET /v1/webhooks/x1: 503')) };
  const why = () => statusMessageOf(api, '/v1/webhooks/x1');
  const waited = eventually('its events', () => undefined, { timeoutMs: 500, why }).catch(String);
  await time.armed(250);
  await time.advance(1_000);
  expect(await waited).toBe(
    'Error: timed out after 500 ms waiting for its events: Error: GET /v1/webhooks/x1: 503',
  );
});

test.each([
  [false, { provider: 'drill', language: 'en' }],
  [true, { provider: 'drill', language: 'en', retranscribe_interrupted: true }],
])('with retranscribes %s the agent has the transcriber %j', async (retranscribes, transcriber) => {
  const made: [string, unknown][] = [];
  const api: Api = {
    call: async (method, path, body) => {
      if (method === 'POST') made.push([path, body]);
      return { id: 'x1', secret: 'whsec_', ready: true };
    },
  };
  await declare(api, { ...OPTIONS, retranscribes });
  expect(made).toContainEqual(['/v1/agents', expect.objectContaining({ transcriber })]);
});
