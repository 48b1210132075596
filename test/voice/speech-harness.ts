/** Providers of speech over stubs on loopback. */
import type { ModelEndpoint } from '../../src/models/model.ts';
import { createAddressGuard } from '../../src/platform/egress/address-guard.ts';
import { createEgressFetch } from '../../src/platform/egress/fetch.ts';
import { SpeechFailure } from '../../src/voice/speech-failure.ts';
import { createSpeechProviders, type SpeechProviders } from '../../src/voice/speech-providers.ts';
import { endpointOf } from '../models/model-harness.ts';
import { startSpeechStub, type SpeechStub } from './speech-stub.ts';

const stops: (() => Promise<void>)[] = [];

/** Call after each test. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).toReversed()) await stop();
}

export async function speechStub(): Promise<SpeechStub> {
  const stub = await startSpeechStub();
  stops.push(stub.stop);
  return stub;
}

/** That speaks and hears. */
export function speechEndpoint(url: string, more: Partial<ModelEndpoint> = {}): ModelEndpoint {
  return endpointOf(url, {
    speech: { defaultModel: 'tts-1', defaultVoice: 'alloy', allowedModels: [] },
    transcription: { defaultModel: 'whisper-1', allowedModels: [] },
    ...more,
  });
}

/** `endpoints`: by the name of the provider; `default` is that of the settings. */
export function speechProviders(endpoints: Record<string, ModelEndpoint>): SpeechProviders {
  const egress = createEgressFetch({ guard: createAddressGuard({ allow: ['127.0.0.0/8'] }) });
  stops.push(egress.stop);
  return createSpeechProviders({
    findEndpoint: async (_namespace, name) => endpoints[name ?? 'default'],
    fetch: egress.fetch,
  });
}

/** The failure of what has to fail. */
export async function failureOf(work: Promise<unknown>): Promise<SpeechFailure['failure']> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof SpeechFailure) return outcome.failure;
  throw new Error(`no SpeechFailure: ${String(outcome)}`, { cause: outcome });
}
