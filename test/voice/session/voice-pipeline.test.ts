import { expect, test } from 'vitest';
import { hasOwnSpeech, createVoicePipeline } from '../../../src/voice/session/voice-pipeline.ts';

/** An agent uses our speech if both its voice and its transcriber name a capable provider. */

type Find = Parameters<typeof hasOwnSpeech>[0];

const ENDPOINTS: Record<string, object> = {
  speaks: { speech: {} },
  hears: { transcription: {} },
  both: { speech: {}, transcription: {} },
  neither: {},
};
const find = (async (_: string, name: string) => ENDPOINTS[name]) as unknown as Find;

test.each([
  ['speaks', 'hears', true],
  ['both', 'both', true],
  ['speaks', 'speaks', false],
  ['hears', 'hears', false],
  ['neither', 'hears', false],
  ['speaks', 'unknown', false],
  ['unknown', 'hears', false],
  [undefined, 'hears', false],
  ['speaks', undefined, false],
])('a voice of %s and a transcriber of %s: %s', async (voice, transcriber, isOwn) => {
  const content = { voice: { provider: voice }, transcriber: { provider: transcriber } };
  const asked = content as Parameters<typeof hasOwnSpeech>[2];
  expect(await hasOwnSpeech(find, 'acme', asked)).toBe(isOwn);
});

test('an agent without a voice or a transcriber has no speech of ours', async () => {
  const hears = { transcriber: { provider: 'hears' } } as Parameters<typeof hasOwnSpeech>[2];
  const speaks = { voice: { provider: 'speaks' } } as Parameters<typeof hasOwnSpeech>[2];
  expect(await hasOwnSpeech(find, 'acme', hears)).toBe(false);
  expect(await hasOwnSpeech(find, 'acme', speaks)).toBe(false);
});

test.each([
  [true, true],
  [false, false],
  [undefined, false],
])('with retranscribeInterrupted %s interrupted sentences are transcribed: %s', (option, isOn) => {
  const transcriber = option === undefined ? {} : { retranscribeInterrupted: option };
  const providers = {} as Parameters<typeof createVoicePipeline>[0];
  const about = { namespace: 'acme', content: { transcriber }, sampleRate: 8_000 };
  const made = createVoicePipeline(providers, about);
  expect(made.retranscribes).toBe(isOn);
});

test('each side has its own language, else that of the agent', () => {
  const languages = (voice: object, transcriber: object): (string | undefined)[] => {
    const content = { voice, transcriber, language: 'en' } as Parameters<
      typeof createVoicePipeline
    >[1]['content'];
    const providers = {} as Parameters<typeof createVoicePipeline>[0];
    const made = createVoicePipeline(providers, { namespace: 'acme', content, sampleRate: 8_000 });
    return [made.inputLanguage, made.outputLanguage];
  };
  expect(languages({ language: 'de' }, { language: 'fr' })).toEqual(['fr', 'de']);
  expect(languages({}, {})).toEqual(['en', 'en']);
});
