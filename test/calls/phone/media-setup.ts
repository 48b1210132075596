import { expect } from 'vitest';
import {
  callByMedia,
  connectMediaPhone,
  type MediaPhone,
  type MediaPhoneOptions,
} from './media-phone.ts';
import { startMediaSpeech, type MediaSpeech } from './media-speech.ts';
import {
  NUMBER,
  startPhoneFixture,
  type FixtureOptions,
  type PhoneFixture,
} from './phone-setup.ts';
import type { Verb } from './read-twiml.ts';

/** An API with an agent that uses a speech provider of its namespace, and phones that carry sound. */
export type MediaFixture = PhoneFixture & {
  speech: MediaSpeech;
  /** Calls the agent. */
  ring: (options?: MediaPhoneOptions) => Promise<MediaPhone>;
  /** Opens the stream that an answer requests for a call. */
  connect: (sid: string, verbs: readonly Verb[]) => Promise<MediaPhone>;
};

export const SPEECH = 'speech';

export async function startMediaFixture(
  options: Parameters<typeof startPhoneFixture>[0] = {},
  { agent = {}, ...more }: FixtureOptions = {},
): Promise<MediaFixture> {
  const speech = await startMediaSpeech();
  const spoken = { voice: { provider: SPEECH }, transcriber: { provider: SPEECH }, ...agent };
  const phones = await startPhoneFixture(options, { ...more, agent: spoken });
  const declared = await phones.api.call('POST', '/v1/model_providers', {
    json: {
      name: SPEECH,
      base_url: speech.url,
      speech: { default_model: 'tts-1', default_voice: 'alloy' },
      transcription: { default_model: 'whisper-1' },
    },
  });
  expect([declared.status, declared.text]).toEqual([201, expect.anything()]);
  await phones.api.engine.settled('ModelProvider', SPEECH);
  return {
    ...phones,
    speech,
    ring: (ringing) => callByMedia(phones.carrier, speech, NUMBER, ringing),
    connect: (sid, verbs) => connectMediaPhone(phones.carrier, speech, { sid, verbs }),
    stop: async () => {
      await phones.stop();
      await speech.stop();
    },
  };
}
