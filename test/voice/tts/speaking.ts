/** A synthesizer over a stub, and what it says in tests. */
import type { ModelEndpoint } from '../../../src/models/model.ts';
import { createOpenAiTts, type VoiceChoice } from '../../../src/voice/tts/openai-tts.ts';
import type { Tts, SpeechRequest } from '../../../src/voice/tts/tts.ts';
import { joined, noiseOf } from '../audio/tones.ts';
import { speechEndpoint, speechProviders } from '../speech-harness.ts';
import type { SpeechStub } from '../speech-stub.ts';

export const RATE = 24_000;
export const SOUND = noiseOf({ rate: RATE, sec: 0.5 });

export type Setup = {
  voice?: VoiceChoice;
  sampleRate?: number;
  endpoint?: Partial<ModelEndpoint>;
  others?: Record<string, ModelEndpoint>;
};

export function synthesizerOf(
  stub: SpeechStub,
  { voice = {}, sampleRate = RATE, endpoint = {}, others = {} }: Setup = {},
): Tts {
  const providers = speechProviders({ default: speechEndpoint(stub.url, endpoint), ...others });
  return createOpenAiTts({ providers, namespace: 'shop', voice, sampleRate });
}

export const saying = (more: Partial<SpeechRequest> = {}): SpeechRequest => ({
  text: 'We open at nine.',
  signal: new AbortController().signal,
  ...more,
});

export async function speakWith(
  stub: SpeechStub,
  setup: Setup,
  more: Partial<SpeechRequest>,
): Promise<Int16Array> {
  const chunks: Int16Array[] = [];
  for await (const chunk of synthesizerOf(stub, setup).speak(saying(more))) chunks.push(chunk);
  return joined(...chunks);
}
