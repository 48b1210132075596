import { afterAll, beforeAll, expect, test } from 'vitest';
import { newTenant, type Tenant } from '../roles/api/shared-api.ts';
import { readWavHeader } from '../../src/voice/audio/wav.ts';
import { startSpeechStub, type SpeechStub } from './speech-stub.ts';

/** The author of a voice hears it before it is used. */

let tenant: Tenant;
let agentId: string;
let stub: SpeechStub;

beforeAll(async () => {
  [stub, tenant] = await Promise.all([startSpeechStub(), newTenant()]);
  const speech = { default_model: 'tts-1', default_voice: 'alloy' };
  for (const [name, more] of Object.entries({ speaker: { speech }, chats: {} })) {
    const body = { name, base_url: stub.url, ...more };
    expect((await tenant.call('POST', '/v1/model_providers', { json: body })).status).toBe(201);
    await tenant.api.engine.settled('ModelProvider', name, tenant.namespace);
  }
  const voice = { provider: 'speaker', voice_id: 'nova' };
  const made = await tenant.call('POST', '/v1/agents', { json: { prompt: 'Sell.', voice } });
  agentId = made.body.id;
});
afterAll(() => stub?.stop());

/** Half a second at 24 kHz. */
const SOUND = Buffer.alloc(24_000, 1);

function speak(json: object, { key = tenant.key, headers = {}, of = agentId } = {}) {
  return fetch(`${tenant.api.url}/v1/agents/${of}/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json),
  });
}

const asked = () => JSON.parse(stub.asked.at(-1)!.body.toString()) as object;

test('speaks with the declared voice, and answers a WAV', async () => {
  stub.answer((response) => response.writeHead(200, { 'content-type': 'audio/pcm' }).end(SOUND));
  const answer = await speak({ text: 'We open at nine.' });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/wav']);
  const wav = Buffer.from(await answer.arrayBuffer());
  const { format, bytes } = readWavHeader(wav)!;
  expect(format).toEqual({ sampleRate: 24_000, channels: 1, dataBytes: SOUND.length });
  expect(wav.subarray(bytes)).toEqual(SOUND);
  const input = 'We open at nine.';
  expect(asked()).toEqual({ model: 'tts-1', input, voice: 'nova', response_format: 'pcm' });
});

test('speaks with a voice that is not saved, and with the voice of the provider by default', async () => {
  stub.answer((response) => response.end(SOUND));
  const voice = { provider: 'speaker', model: 'tts-2', voice_id: 'echo', speed: 1.5 };
  expect((await speak({ text: 'Hi', voice })).status).toBe(200);
  expect(asked()).toMatchObject({ model: 'tts-2', voice: 'echo', speed: 1.5 });
  expect((await speak({ text: 'Hi', voice: { provider: 'speaker' } })).status).toBe(200);
  expect(asked()).toMatchObject({ model: 'tts-1', voice: 'alloy' });
});

test('reports a failure of the provider, although a fallback would speak', async () => {
  stub.answer((response) => response.writeHead(401).end());
  const before = stub.asked.length;
  const voice = { provider: 'speaker', fallback: [{ model: 'tts-2' }] };
  const answer = await speak({ text: 'Hi', voice });
  expect(answer.status).toBe(502);
  const { code, detail, errors } = (await answer.json()) as Record<string, unknown>;
  expect(code).toBe('reply_failed');
  expect(detail).toContain('The provider "speaker"');
  expect(errors).toEqual([expect.objectContaining({ code: expect.stringMatching(/^model_/) })]);
  expect(stub.asked).toHaveLength(before + 1);
});

test('speaks anew for a repeat with the same idempotency key', async () => {
  stub.answer((response) => response.end(SOUND));
  const headers = { 'idempotency-key': `speech-${agentId}` };
  for (let times = 0; times < 2; times += 1) {
    const answer = await speak({ text: 'Hi' }, { headers });
    expect((await answer.arrayBuffer()).byteLength).toBe(44 + SOUND.length);
  }
});

test.each([
  ['no provider', {}, '/voice/provider', 'required'],
  ['a provider that does not exist', { provider: 'nosuch' }, '/voice/provider', 'unknown_provider'],
  ['a provider without speech', { provider: 'chats' }, '/voice/provider', 'invalid_value'],
  ['a speed that no voice has', { provider: 'speaker', speed: 9 }, '/voice/speed', 'too_large'],
])('refuses a voice with %s', async (_, voice, pointer, code) => {
  const { status, body } = await tenant.call('POST', `/v1/agents/${agentId}/speech`, {
    json: { text: 'Hi', voice },
  });
  expect(status).toBe(422);
  expect(body.errors).toEqual([expect.objectContaining({ pointer, code })]);
});

test('refuses a long text, an agent of another namespace, and a key that may not write', async () => {
  expect((await speak({ text: 'x'.repeat(301) })).status).toBe(422);
  expect((await speak({ text: '' })).status).toBe(422);
  const other = await newTenant();
  expect((await speak({ text: 'Hi' }, { key: other.key })).status).toBe(404);
  const reader = await tenant.newKey(['read', 'publish', 'replay', 'keys']);
  expect((await speak({ text: 'Hi' }, { key: reader })).status).toBe(403);
  stub.answer((response) => response.end(SOUND));
  const writer = await tenant.newKey(['write']);
  expect((await speak({ text: 'Hi' }, { key: writer })).status).toBe(200);
});

test('stops the provider when the caller leaves', async () => {
  stub.answer((response) => response.writeHead(200, { 'content-type': 'audio/pcm' }).write(SOUND));
  const leaving = new AbortController();
  const number = stub.asked.length;
  const answer = fetch(`${tenant.api.url}/v1/agents/${agentId}/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Hi' }),
    signal: leaving.signal,
  }).catch(() => undefined);
  const { closed } = await stub.came(number);
  leaving.abort();
  await Promise.all([answer, closed]);
});
