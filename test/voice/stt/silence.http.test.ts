import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOpenAiStt } from '../../../src/voice/stt/openai-stt.ts';
import { toneOf } from '../audio/tones.ts';
import {
  failureOf,
  speechEndpoint,
  speechProviders,
  speechStub,
  stopAll,
} from '../speech-harness.ts';
import type { SpeechAnswer, SpeechStub } from '../speech-stub.ts';

/** Transcribers that report silence, and servers that do not. */

let stub: SpeechStub;
beforeEach(async () => {
  stub = await speechStub();
});
afterEach(stopAll);

const RATE = 16_000;
const SAID = toneOf({ hz: 300, rate: RATE, sec: 1 });
const SILENT = { no_speech_prob: 0.93, avg_logprob: -1.2 };
const SURE = { no_speech_prob: 0.02, avg_logprob: -0.2 };

function speaker(model = 'whisper-1') {
  const endpoint = speechEndpoint(stub.url, {
    transcription: { defaultModel: model, allowedModels: [] },
  });
  const providers = speechProviders({ default: endpoint });
  return (choice: { model?: string } = {}): Promise<{ text: string }> => {
    const session = createOpenAiStt({
      providers,
      namespace: 'shop',
      transcriber: choice,
    }).open({ sampleRate: RATE });
    session.push(SAID);
    return session.finish();
  };
}

const json =
  (body: unknown, status = 200): SpeechAnswer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const formatOf = (at: number): string | undefined =>
  /name="response_format"\r\n\r\n(\w+)/.exec(stub.asked[at]!.body.toString('latin1'))?.[1];

test.each([
  ['of the whole', { text: 'Thank you for watching!', ...SILENT }],
  ['of its segment', { text: 'You!', segments: [{ text: ' You!', ...SILENT }] }],
  [
    'of all',
    {
      text: 'A. B.',
      segments: [
        { text: ' A.', ...SILENT },
        { text: ' B.', ...SILENT },
      ],
    },
  ],
])('what Whisper takes for silence is no text: %s', async (_, answer) => {
  stub.answer(json(answer));
  expect((await speaker()()).text).toBe('');
  expect(formatOf(0)).toBe('verbose_json');
});

test('a silent segment beside spoken ones is left out', async () => {
  const segments = [
    { text: ' Where is', ...SURE },
    { text: ' my order?', no_speech_prob: 0.7, avg_logprob: -0.4 },
    { text: ' Thank you.', ...SILENT },
  ];
  stub.answer(json({ text: ' Where is my order? Thank you.', segments }));
  expect((await speaker()()).text).toBe('Where is my order?');
});

test.each([
  ['sure', [{ text: 'Hello?', ...SURE }]],
  ['without numbers', [{ text: 'Hello?' }]],
  ['with odd numbers', [{ text: 5, no_speech_prob: 'x', avg_logprob: [] }]],
  ['empty', []],
  ['null', null],
  ['odd', 'x'],
])('the text stays where segments are %s', async (_, segments) => {
  stub.answer(json({ text: ' Hello? ', segments }));
  expect((await speaker()()).text).toBe('Hello?');
});

test('a phrase that Whisper makes of noise is no text, and "Thank you" is', async () => {
  const ask = speaker();
  stub.answer(json({ text: 'ご視聴ありがとうございました' }));
  expect((await ask()).text).toBe('');
  stub.answer(json({ text: 'Thank you.' }));
  expect((await ask()).text).toBe('Thank you.');
});

test.each([
  [
    400,
    {
      error: {
        message: "response_format 'verbose_json' is not compatible with model",
        param: 'response_format',
      },
    },
  ],
  [
    422,
    { detail: [{ loc: ['body', 'response_format'], msg: "Input should be 'json' or 'text'" }] },
  ],
  [400, { error: 'Unknown value verbose_json' }],
])(
  'a server that refuses segments with %i is asked once more without them, and remembered',
  async (status, refusal) => {
    const ask = speaker();
    const refuse = json(refusal, status);
    stub.answer((response, request) =>
      request.body.includes('verbose_json')
        ? refuse(response, request)
        : json({ text: 'Hello?' })(response, request),
    );
    expect((await ask()).text).toBe('Hello?');
    expect((await ask()).text).toBe('Hello?');
    expect([0, 1, 2].map(formatOf)).toEqual(['verbose_json', 'json', 'json']);
    // Another model of the provider may take them.
    expect((await ask({ model: 'other' })).text).toBe('Hello?');
    expect([3, 4].map(formatOf)).toEqual(['verbose_json', 'json']);
  },
);

test.each([
  [400, { error: { message: 'Invalid file format.' } }],
  [500, { error: { message: 'response_format' } }],
])('another refusal (%i) is not asked again', async (status, refusal) => {
  stub.answer(json(refusal, status));
  await failureOf(speaker()());
  expect(stub.asked).toHaveLength(1);
});

test('a server that refuses either form is asked twice, no more', async () => {
  stub.answer(json({ error: { message: 'response_format' } }, 400));
  await failureOf(speaker()());
  expect([0, 1].map(formatOf)).toEqual(['verbose_json', 'json']);
  expect(stub.asked).toHaveLength(2);
});

test("OpenAI's own transcribers, which have no segments, are not asked for them", async () => {
  stub.answer(json({ text: 'Hello?' }));
  expect((await speaker('gpt-4o-mini-transcribe')()).text).toBe('Hello?');
  expect(formatOf(0)).toBe('json');
});
