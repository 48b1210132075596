import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ModelEndpoint } from '../../../src/models/model.ts';
import { readWavHeader } from '../../../src/voice/audio/wav.ts';
import { createPcmReader } from '../../../src/voice/audio/pcm.ts';
import { createOpenAiStt, type TranscriberChoice } from '../../../src/voice/stt/openai-stt.ts';
import { STUB_KEY } from '../../models/stub-model.ts';
import { holdTime } from '../../clock.ts';
import { joined, toneOf } from '../audio/tones.ts';
import {
  failureOf,
  speechEndpoint,
  speechProviders,
  speechStub,
  stopAll,
} from '../speech-harness.ts';
import { answering, failing, type SpeechAnswer, type SpeechStub } from '../speech-stub.ts';

let stub: SpeechStub;
beforeEach(async () => {
  stub = await speechStub();
  stub.answer(answering('application/json', '{"text":" When do you open? "}'));
});
afterEach(stopAll);

const RATE = 16_000;
const SAID = toneOf({ hz: 300, rate: RATE, sec: 1 });

function stt(
  transcriber: TranscriberChoice = {},
  more: Partial<ModelEndpoint> = {},
  others: Record<string, ModelEndpoint> = {},
) {
  const providers = speechProviders({ default: speechEndpoint(stub.url, more), ...others });
  return createOpenAiStt({ providers, namespace: 'shop', transcriber });
}

function hear(...given: Parameters<typeof stt>) {
  const session = stt(...given).open({ sampleRate: RATE });
  session.push(SAID);
  return session.finish();
}

/** The parts of a form by their names. */
async function formOf({ body, headers }: SpeechStub['asked'][number]): Promise<FormData> {
  const type = headers['content-type']!;
  return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
}

async function wavOf(request: SpeechStub['asked'][number]) {
  const file = (await formOf(request)).get('file');
  if (!(file instanceof File)) throw new Error('no file');
  const bytes = Buffer.from(await file.arrayBuffer());
  const header = readWavHeader(bytes)!;
  const samples = createPcmReader().push(bytes.subarray(header.bytes));
  return { name: file.name, type: file.type, format: header.format, samples };
}

test('an utterance is sent as WAV when it is over, with key, model, language and hints', async () => {
  const endpoint = {
    headers: { 'x-tenant': 'bakery' },
    query: { 'api-version': '1' },
    organization: 'org',
  };
  const session = stt({ language: 'de-AT', keywords: ['Ströck', 'Krapfen'] }, endpoint).open({
    sampleRate: RATE,
  });
  const chunk = SAID.slice(0, 320);
  expect(session.push(chunk)).toBe(true);
  chunk.fill(0); // The memory is the caller's again.
  for (let at = 320; at < SAID.length; at += 320) session.push(SAID.subarray(at, at + 320));
  expect(stub.asked).toHaveLength(0);

  const recognized = await session.finish();
  expect(recognized).toEqual({
    text: 'When do you open?',
    ms: expect.any(Number),
    audioMs: 1_000,
  });
  const [request] = stub.asked;
  expect(request!.path).toBe('/v1/audio/transcriptions?api-version=1');
  expect(request!.headers).toMatchObject({
    authorization: `Bearer ${STUB_KEY}`,
    'x-tenant': 'bakery',
    'openai-organization': 'org',
    'user-agent': 'parley',
  });
  const form = await formOf(request!);
  expect([...form.keys()]).toEqual(['model', 'response_format', 'language', 'prompt', 'file']);
  expect(['model', 'response_format', 'language', 'prompt'].map((name) => form.get(name))).toEqual([
    'whisper-1',
    'verbose_json',
    'de',
    'Ströck, Krapfen',
  ]);
  expect(await wavOf(request!)).toEqual({
    name: 'audio.wav',
    type: 'audio/wav',
    format: { sampleRate: RATE, channels: 1, dataBytes: 32_000 },
    samples: SAID,
  });
  expect(await session.finish()).toBe(recognized);
  expect(stub.asked).toHaveLength(1);
});

test('what is not known is not sent, and what is asked for goes before what is declared', async () => {
  await hear({ model: 'own-1' });
  expect([...(await formOf(stub.asked[0]!)).keys()]).toEqual(['model', 'response_format', 'file']);
  expect((await formOf(stub.asked[0]!)).get('model')).toBe('own-1');

  const session = stt({ language: 'de', keywords: ['a'] }).open({
    sampleRate: RATE,
    language: 'fr-CA',
    hints: ['b', 'x'.repeat(700), 'c'],
  });
  session.push(SAID);
  await session.finish();
  const form = await formOf(stub.asked[1]!);
  expect([form.get('language'), form.get('prompt')]).toEqual(['fr', 'b']);
});

test('a minute is kept of an utterance, and who pushes more is told', async () => {
  const session = stt().open({ sampleRate: 8_000 });
  const second = toneOf({ hz: 200, rate: 8_000, sec: 1 });
  const taken = Array.from({ length: 62 }, () => session.push(second));
  expect(taken.filter(Boolean)).toHaveLength(60);
  expect(await session.finish()).toMatchObject({ audioMs: 60_000 });
  const { format, samples } = await wavOf(stub.asked[0]!);
  expect(format.dataBytes).toBe(60 * 8_000 * 2);
  expect(samples).toEqual(joined(...Array.from({ length: 60 }, () => second)));
});

test('less than a tenth of a second is no word, and nobody is asked', async () => {
  const session = stt().open({ sampleRate: RATE });
  session.push(SAID.slice(0, 1_599));
  expect(await session.finish()).toMatchObject({ text: '', audioMs: 100 });
  expect(stub.asked).toHaveLength(0);
});

describe('what fails is told as it is, without the words of the provider', () => {
  test.each<[string, SpeechAnswer, string, string]>([
    ['a refused key', failing(401), 'model_unauthorized', 'rejected the key'],
    ['no such model', failing(404), 'model_refused', 'does not know the model "whisper-1"'],
    ['a form that it does not take', failing(400), 'model_refused', 'rejected the request'],
    ['a fault', failing(503), 'model_failed', 'failed (503)'],
    [
      'a redirect',
      failing(307, { location: 'http://127.0.0.1:1/' }),
      'model_refused',
      'answered with a redirect',
    ],
    ['a web page', answering('text/html', '<html>'), 'model_invalid_answer', 'invalid JSON'],
    [
      'another form',
      answering('application/json', '{"txt":"a"}'),
      'model_invalid_answer',
      'without a transcript',
    ],
    [
      'no text',
      answering('application/json', '{"text":7}'),
      'model_invalid_answer',
      'without a transcript',
    ],
    [
      'one that repeats itself',
      answering('application/json', JSON.stringify({ text: 'I am here. '.repeat(30) })),
      'model_invalid_answer',
      'answered with 329 characters for 1.0 s of audio',
    ],
    ['no end', endless, 'model_invalid_answer', 'answered with more than 256 KiB'],
    [
      'half a text',
      half,
      'model_unreachable',
      'closed the connection in the middle of its response',
    ],
    [
      'a socket that closes',
      (response) => response.destroy(),
      'model_unreachable',
      'closed the connection before it responded',
    ],
  ])('%s', async (_, answer, code, message) => {
    stub.answer(answer);
    const failure = await failureOf(hear());
    expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(failure.message).not.toMatch(/secret words|sk-|Bearer/);
  });

  test('429 with the time to wait', async () => {
    stub.answer(failing(429, { 'retry-after': '7' }));
    const failure = await failureOf(hear());
    expect(failure).toMatchObject({
      code: 'model_rate_limited',
      retryAfterMs: 7_000,
      mayRetry: true,
    });
  });

  test('a provider that says nothing, before its answer or in it', async () => {
    const timeouts = { firstTokenMs: 100, betweenTokensMs: 100, totalMs: 10_000 };
    stub.answer(() => undefined);
    expect(await failureOf(hear({}, { timeouts }))).toMatchObject({
      code: 'model_timeout',
      message: 'The provider "stub" sent nothing within 100 ms. Try again, or raise its timeout.',
    });
    stub.answer((response) => response.write('{"text":'));
    expect(await failureOf(hear({}, { timeouts }))).toMatchObject({ code: 'model_timeout' });
    await Promise.all(stub.asked.map(({ closed }) => closed));
  });

  test('a key that no header takes is not quoted', async () => {
    const failure = await failureOf(hear({}, { apiKey: 'sk-broken\nkey' }));
    expect(failure).toMatchObject({ code: 'model_unauthorized' });
    expect(failure.message).not.toContain('sk-broken');
  });

  test.each<[string, TranscriberChoice, Partial<ModelEndpoint>, string]>([
    ['a provider that is not there', { provider: 'gone' }, {}, 'no ready model provider "gone"'],
    [
      'one that declares no transcription',
      {},
      { transcription: undefined },
      'has no `transcription`',
    ],
    [
      'a model that nobody may ask for',
      { model: 'big-1' },
      { transcription: { defaultModel: 'a', allowedModels: ['a'] } },
      'does not allow the model "big-1"',
    ],
  ])('%s', async (_, transcriber, more, message) => {
    const failure = await failureOf(hear(transcriber, more));
    expect(failure).toMatchObject({
      code: 'model_refused',
      message: expect.stringContaining(message),
    });
    expect(stub.asked).toHaveLength(0);
  });
});

describe('fallbacks', () => {
  test('stand in for what fails, in their order, with a model of their own', async () => {
    const other = await speechStub();
    other.answer(answering('application/json', '{"text":"Nine."}'));
    stub.answer(failing(503));
    const transcriber = { fallback: [{ model: 'own-2' }, { provider: 'other' }] };
    const text = await hear(transcriber, {}, { other: speechEndpoint(other.url) });
    expect(text).toMatchObject({ text: 'Nine.' });
    const models = await Promise.all(
      [...stub.asked, ...other.asked].map(async (one) => (await formOf(one)).get('model')),
    );
    expect(models).toEqual(['whisper-1', 'own-2', 'whisper-1']);
    expect(await wavOf(other.asked[0]!)).toMatchObject({ samples: SAID });
  });

  test('that fail as well leave the first failure', async () => {
    stub.answer(failing(401));
    const failure = await failureOf(hear({ fallback: [{ provider: 'gone' }] }));
    expect(failure.code).toBe('model_unauthorized');
    expect(failure.message).toMatch(/ Its fallbacks also failed\.$/);
  });
});

describe('cancel', () => {
  test('closes what is open, and asks nobody else', async () => {
    // Held time does not pass, so no timer ends what waits.
    holdTime();
    stub.answer(() => undefined);
    const session = stt({ fallback: [{ model: 'own-2' }] }).open({ sampleRate: RATE });
    session.push(SAID);
    const finished = session.finish();
    const request = await stub.came(0);
    session.cancel();
    await expect(finished).rejects.toThrow('aborted');
    await request.closed;
    expect(stub.asked).toHaveLength(1);
  });

  test('before the end leaves nothing to send', async () => {
    const session = stt().open({ sampleRate: RATE });
    session.push(SAID);
    session.cancel();
    session.push(SAID);
    await expect(session.finish()).rejects.toThrow('aborted');
    expect(stub.asked).toHaveLength(0);
  });
});

test('no more requests at once than the provider may have, and none left behind', async () => {
  const open: (() => void)[] = [];
  stub.answer((response) => open.push(() => response.end('{"text":"a"}')));
  const one = stt({}, { maxConcurrent: 1 });
  const sessions = [0, 1].map(() => {
    const session = one.open({ sampleRate: RATE });
    session.push(SAID);
    return session.finish();
  });
  await stub.came(0);
  expect(stub.asked).toHaveLength(1);
  open[0]!();
  await sessions[0];
  await stub.came(1);
  open[1]!();
  await sessions[1];
});

function endless(response: Parameters<SpeechAnswer>[0]): void {
  const part = Buffer.alloc(64 * 1024, 32);
  const go = (): void => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', go);
  go();
}

function half(response: Parameters<SpeechAnswer>[0]): void {
  response.write('{"text":"Wh', () => response.destroy());
}
