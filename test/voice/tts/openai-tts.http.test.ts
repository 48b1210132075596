import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bytesOf } from '../../../src/voice/audio/pcm.ts';
import { wavHeader } from '../../../src/voice/audio/wav.ts';
import type { SpeechRequest } from '../../../src/voice/tts/tts.ts';
import { holdTime } from '../../clock.ts';
import { STUB_KEY } from '../../models/stub-model.ts';
import { joined, levelDb, middleOf, toneOf } from '../audio/tones.ts';
import { failureOf, speechEndpoint, speechStub, stopAll } from '../speech-harness.ts';
import { answering, failing, type SpeechAnswer, type SpeechStub } from '../speech-stub.ts';
import { RATE, saying, SOUND, speakWith, synthesizerOf, type Setup } from './speaking.ts';

let stub: SpeechStub;
beforeEach(async () => {
  stub = await speechStub();
  stub.answer(answering('audio/pcm', bytesOf(SOUND)));
});
afterEach(stopAll);

const speak = (setup: Setup = {}, more: Partial<SpeechRequest> = {}): Promise<Int16Array> =>
  speakWith(stub, setup, more);
const tts = (setup: Setup = {}) => synthesizerOf(stub, setup);

const bodyOf = ({ body }: SpeechStub['asked'][number]): unknown =>
  JSON.parse(body.toString('utf8'));

test('a text is spoken by the provider, with its key and defaults', async () => {
  const sound = await speak({
    endpoint: { apiKeyHeader: 'api-key', headers: { 'x-tenant': 'b' }, query: { v: '2' } },
  });
  expect(sound).toEqual(SOUND);
  const [request] = stub.asked;
  expect(request!.path).toBe('/v1/audio/speech?v=2');
  expect(request!.headers).toMatchObject({
    'api-key': STUB_KEY,
    'x-tenant': 'b',
    'content-type': 'application/json',
    accept: '*/*',
  });
  expect(request!.headers.authorization).toBeUndefined();
  expect(bodyOf(request!)).toEqual({
    model: 'tts-1',
    input: 'We open at nine.',
    voice: 'alloy',
    response_format: 'pcm',
  });
});

test('voice, model and speed are as the agent declares them, or as they are asked for', async () => {
  const voice = { model: 'tts-2', voiceId: 'nova', speed: 1.2 };
  await speak({ voice });
  await speak({ voice }, { voice: 'echo', speed: 0.8, language: 'en' });
  await speak({ voice }, { speed: 1 });
  expect(stub.asked.map(bodyOf)).toMatchObject([
    { model: 'tts-2', voice: 'nova', speed: 1.2 },
    { model: 'tts-2', voice: 'echo', speed: 0.8 },
    { model: 'tts-2', voice: 'nova' },
  ]);
  expect(bodyOf(stub.asked[2]!)).not.toHaveProperty('speed');
});

test('nobody is asked to say nothing', async () => {
  expect(await speak({}, { text: ' \n' })).toHaveLength(0);
  expect(await failureOf(speak({}, { text: 'a'.repeat(4_097) }))).toMatchObject({
    code: 'model_refused',
    message: expect.stringContaining('4097 characters, but the maximum is 4096.'),
  });
  expect(stub.asked).toHaveLength(0);
  expect(await speak({}, { text: 'a'.repeat(4_096) })).toEqual(SOUND);
});

/** Sends bytes in pieces, each in a packet of its own. */
const inPieces =
  (type: string, bytes: Buffer, ends: readonly number[]): SpeechAnswer =>
  async (response) => {
    response.writeHead(200, { 'content-type': type });
    let at = 0;
    for (const end of [...ends, bytes.length]) {
      await new Promise<void>((sent) =>
        response.write(bytes.subarray(at, end), () => setImmediate(sent)),
      );
      at = end;
    }
    response.end();
  };

describe('sound comes as samples', () => {
  test('when a chunk ends in the middle of one', async () => {
    stub.answer(inPieces('audio/pcm', bytesOf(SOUND), [1, 2, 5, 11, 1_001, 1_002, 9_999]));
    expect(await speak()).toEqual(SOUND);
  });

  test('before all of it is there', async () => {
    let more = (): void => undefined;
    stub.answer((response) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' });
      response.write(bytesOf(SOUND.slice(0, 6_000)));
      more = () => response.end(bytesOf(SOUND.slice(6_000)));
    });
    const chunks: Int16Array[] = [];
    for await (const chunk of tts().speak(saying())) {
      chunks.push(chunk);
      if (joined(...chunks).length === 6_000) more();
    }
    expect(joined(...chunks)).toEqual(SOUND);
  });

  test.each([8_000, 16_000, 48_000])('at the rate that is wanted: %d Hz', async (sampleRate) => {
    stub.answer(
      inPieces('audio/pcm', bytesOf(toneOf({ hz: 440, rate: RATE, sec: 0.5 })), [777, 5_001]),
    );
    const sound = await speak({ sampleRate });
    expect(sound).toHaveLength(sampleRate / 2);
    expect(levelDb(middleOf(sound, sampleRate))).toBeCloseTo(-6.02, 1);
  });

  test('of WAV, by its header, whatever it is called and wherever it is cut', async () => {
    const tone = toneOf({ hz: 440, rate: 16_000, sec: 0.5 });
    const wav = Buffer.concat([wavHeader({ sampleRate: 16_000 }), bytesOf(tone)]);
    stub.answer(inPieces('audio/mpeg', wav, [3, 13, 40, 45, 1_000]));
    expect(await speak({ sampleRate: 16_000 })).toEqual(tone);
  });

  test('of WAV up to where it says that it ends', async () => {
    const bytes = bytesOf(SOUND);
    const header = wavHeader({ sampleRate: RATE, dataBytes: bytes.length });
    stub.answer(
      answering('audio/wav', Buffer.concat([header, bytes, Buffer.from('LIST\x04\0\0\0abcd')])),
    );
    expect(await speak()).toEqual(SOUND);
  });

  test('of PCM at the rate that the answer tells', async () => {
    const tone = toneOf({ hz: 440, rate: 16_000, sec: 0.5 });
    stub.answer(answering('audio/pcm;rate=16000', bytesOf(tone)));
    expect(await speak({ sampleRate: 16_000 })).toEqual(tone);
  });

  test('that begins as a frame of MP3 does, where it is said to be PCM', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), bytesOf(SOUND)]);
    stub.answer(answering('audio/pcm', bytes));
    expect(await speak()).toHaveLength(SOUND.length + 2);
  });
});

test.each([
  ['another first byte', [0xfe, 0xfb, 0x90]],
  ['no sign of a frame', [0xff, 0x0b, 0x90]],
  ['layer I', [0xff, 0xff, 0x90]],
  ['no bit rate', [0xff, 0xfb, 0x00]],
  ['a bit rate that none has', [0xff, 0xfb, 0xf0]],
  ['a rate that none has', [0xff, 0xfb, 0x9c]],
])('sound is no MP3 for %s', async (_, start) => {
  const bytes = Buffer.concat([Buffer.from(start), bytesOf(SOUND)]);
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  stub.answer(answering('application/octet-stream', even));
  expect(await speak()).toHaveLength(even.length / 2);
});

const cut: SpeechAnswer = (response) => {
  response.writeHead(200, { 'content-type': 'audio/pcm', 'content-length': 96_000 });
  response.write(bytesOf(SOUND), () => response.destroy());
};
const endless: SpeechAnswer = (response) => {
  const part = bytesOf(SOUND);
  const go = (): void => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', go);
  go();
};

describe('what fails is told as it is, without the words of the provider', () => {
  const wrong = (what: string): [string, string] => [
    'model_invalid_answer',
    `answered with ${what} instead of PCM16 audio`,
  ];
  const mp3 = Buffer.from([0xff, 0xfb, 0x90, 0x64, ...Array<number>(64).fill(0)]);
  const floats = wavHeader({ sampleRate: RATE });
  floats.writeUInt16LE(3, 20);

  test.each<[string, SpeechAnswer, string, string]>([
    ['a refused key', failing(403), 'model_unauthorized', 'rejected the key'],
    ['no such model', failing(404), 'model_refused', 'does not know the model "tts-1"'],
    ['a fault', failing(500), 'model_failed', 'failed (500)'],
    ['MP3 that is named', answering('audio/mpeg', mp3), ...wrong('MP3')],
    ['MP3 that is not', answering('application/octet-stream', mp3), ...wrong('MP3')],
    ['MP3 with a tag', answering('audio/pcm', 'ID3\x04\0\0\0\0\0\0\0\0'), ...wrong('MP3')],
    ['Ogg', answering('application/octet-stream', 'OggS\0\0\0\0\0\0\0\0'), ...wrong('Ogg')],
    ['Opus', answering('audio/opus', 'whatever it is'), ...wrong('Opus')],
    ['JSON', answering('application/json', '{"audio":"…"}'), ...wrong('JSON')],
    ['JSON that is not named', answering('', '{"audio": "aaaa"}'), ...wrong('JSON')],
    ['a web page', answering('text/html; charset=utf-8', '<html>'), ...wrong('a web page')],
    ['events', answering('text/event-stream', 'data: 1\n\n'), ...wrong('events')],
    [
      'WAV of another kind',
      answering('audio/wav', Buffer.concat([floats, bytesOf(SOUND)])),
      'model_invalid_answer',
      'answered with audio that is a WAV with floating point instead of PCM16',
    ],
    [
      'WAV of a rate that nobody has',
      answering('audio/wav', Buffer.concat([wavHeader({ sampleRate: 13_000 }), bytesOf(SOUND)])),
      ...wrong('a WAV at the unsupported rate of 13000 Hz'),
    ],
    [
      'less WAV than it says',
      answering(
        'audio/wav',
        Buffer.concat([wavHeader({ sampleRate: RATE, dataBytes: 50_000 }), bytesOf(SOUND)]),
      ),
      'model_invalid_answer',
      'ended its audio too early',
    ],
    ['no sound', answering('audio/pcm', ''), 'model_invalid_answer', 'answered without audio'],
    [
      'half a sound',
      cut,
      'model_unreachable',
      'closed the connection in the middle of its response',
    ],
    ['no end', endless, 'model_invalid_answer', 'more than 46 s of audio for 16 characters'],
    [
      'a socket that closes',
      (response) => response.destroy(),
      'model_unreachable',
      'closed the connection before it responded',
    ],
  ])('%s', async (_, answer, code, message) => {
    stub.answer(answer);
    const failure = await failureOf(speak());
    expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(failure.message).not.toMatch(/secret words|sk-|Bearer/);
    // Whatever it still sends, nobody reads it.
    await stub.asked[0]!.closed;
  });

  test('429 with the time to wait', async () => {
    stub.answer(failing(429, { 'retry-after': '3' }));
    expect(await failureOf(speak())).toMatchObject({
      code: 'model_rate_limited',
      retryAfterMs: 3_000,
    });
  });

  const timeouts = { firstTokenMs: 800, betweenTokensMs: 600, totalMs: 60_000 };
  test.each<[string, SpeechAnswer, number, string]>([
    ['no answer', () => undefined, 800, 'sent nothing within 800 ms'],
    [
      'no sound',
      (response) => response.writeHead(200, { 'content-type': 'audio/pcm' }).flushHeaders(),
      800,
      'sent nothing within 800 ms',
    ],
    [
      'sound that dries up',
      (response) => response.write(bytesOf(SOUND)),
      600,
      'it sent nothing for 600 ms',
    ],
  ])('%s in time', async (_, answer, lateMs, message) => {
    const time = holdTime();
    stub.answer(answer);
    const spoken = failureOf(speak({ endpoint: { timeouts } }));
    const { closed } = await stub.came(0);
    await time.armed(lateMs);
    // No signal says that headers have arrived, and without them the answer is the same.
    for (let turns = 0; turns < 10; turns += 1) await turnOfLoop();
    await time.advance(lateMs);
    expect(await spoken).toMatchObject({
      code: 'model_timeout',
      message: expect.stringContaining(message),
    });
    await closed;
  });

  test('drops for ever, in all the time there is', async () => {
    stub.answer((response) => {
      const drip = setInterval(() => response.write(Buffer.alloc(32)), 20);
      response.on('close', () => clearInterval(drip));
    });
    const time = holdTime();
    const spoken = failureOf(
      speak({ endpoint: { timeouts: { ...timeouts, totalMs: 500, betweenTokensMs: 5_000 } } }),
    );
    await stub.came(0);
    await time.advance(400);
    await time.armed(100); // After one more drop.
    await time.advance(100);
    expect(await spoken).toMatchObject({
      code: 'model_timeout',
      message: expect.stringContaining('within the total timeout of 500 ms'),
    });
  });

  test('a reader that is slow is nobody else’s fault', async () => {
    const time = holdTime();
    stub.answer(inPieces('audio/pcm', bytesOf(SOUND), [4_000]));
    const chunks: Int16Array[] = [];
    for await (const chunk of tts({ endpoint: { timeouts } }).speak(saying())) {
      chunks.push(chunk);
      await time.advance(700);
    }
    expect(joined(...chunks)).toEqual(SOUND);
  });

  test('a provider that does not speak', async () => {
    const failure = await failureOf(speak({ endpoint: { speech: undefined } }));
    expect(failure.message).toBe(
      'The provider "stub" has no `speech`: add `speech` with a default model.',
    );
  });
});

describe('fallbacks', () => {
  test('speak when the first says nothing, each with its own voice', async () => {
    const other = await speechStub();
    other.answer(answering('audio/pcm', bytesOf(SOUND)));
    stub.answer(failing(503));
    const voice = {
      voiceId: 'nova',
      fallback: [{ model: 'tts-2' }, { model: 'tts-3', voiceId: 'echo' }, { provider: 'other' }],
    };
    const others = { other: speechEndpoint(other.url) };
    expect(await speak({ voice, others })).toEqual(SOUND);
    expect([...stub.asked, ...other.asked].map(bodyOf)).toMatchObject([
      { model: 'tts-1', voice: 'nova' },
      { model: 'tts-2', voice: 'nova' },
      { model: 'tts-3', voice: 'echo' },
      { model: 'tts-1', voice: 'alloy' },
    ]);
  });

  test('do not say again what was heard', async () => {
    stub.answer(cut);
    const failure = await failureOf(speak({ voice: { fallback: [{ model: 'tts-2' }] } }));
    expect(failure.code).toBe('model_unreachable');
    expect(stub.asked).toHaveLength(1);
  });
});
