import { z } from 'zod';
import { toVoice, VoiceWrite } from '../agents/rest-agent.ts';
import { requireAgent } from '../agents/write-agent.ts';
import { ApiError } from '../errors.ts';
import type { FindEndpoint } from '../models/model.ts';
import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { bytesOf } from './audio/pcm.ts';
import { wavHeader } from './audio/wav.ts';
import { SpeechFailure } from './speech-failure.ts';
import type { SpeechProviders } from './speech-providers.ts';
import { createOpenAiTts, type VoiceChoice } from './tts/openai-tts.ts';

export type SpeechRouteDeps = {
  pool: Pool;
  speech: SpeechProviders;
  findEndpoint: FindEndpoint;
};

/**
 * Maximum length of the text. One or two sentences are enough to judge a voice, and their audio is small enough to keep
 * in memory.
 */
const CHARS_MAX = 300;
const SAMPLE_RATE = 24_000;
const WAV_TYPE = 'audio/wav';

const SpeakBody = z
  .strictObject({
    text: z.string().min(1).max(CHARS_MAX).describe('Text to speak.'),
    voice: VoiceWrite.optional().describe(
      'Voice to use, with the fields of an agent’s `voice`. It need not be saved. Default: the agent’s declared voice.',
    ),
  })
  .describe('Text to speak and the voice to use.');

/** Serves a sample of a voice, so that the agent's author can hear it before using it (contract/agents.md#voice). */
export function speechRoute(deps: SpeechRouteDeps): Route {
  return route({
    method: 'post',
    path: '/v1/agents/{id}/speech',
    operationId: 'speak',
    tag: 'Agents',
    scope: 'write',
    summary: 'Hear a voice',
    description:
      'Speaks a short text with a model provider’s voice. `fallback` is ignored, so that a provider failure is ' +
      'returned as an error. Voices that the carrier synthesizes are not available here.',
    params: { id: idParam('agt', 'agent') },
    body: { schema: SpeakBody },
    answers: {
      200: {
        description: `The speech: WAV, one channel, 16 bits, ${SAMPLE_RATE} Hz.`,
        forms: { [WAV_TYPE]: z.string().meta({ format: 'binary' }) },
      },
    },
    errors: ['reply_failed'],
    handle: async ({ caller: { namespace }, params: { id }, body, untilGone }) => {
      const { spec } = await requireAgent(deps, { namespace, id });
      const { fallback: _, ...voice } = body.voice ? toVoice(body.voice) : (spec.voice ?? {});
      await requireSpeech(deps, namespace, voice);
      const asked = { namespace, voice, text: body.text, signal: untilGone() };
      return { status: 200, bytes: await speak(deps, asked), mediaType: WAV_TYPE };
    },
  });
}

/** @throws ApiError invalid_body if no model provider in the namespace has this voice */
async function requireSpeech(
  { findEndpoint }: SpeechRouteDeps,
  namespace: string,
  { provider }: VoiceChoice,
): Promise<void> {
  if (provider === undefined) {
    const detail = 'The `provider` of the voice must be a model provider that has `speech`.';
    throw invalid('required', detail);
  }
  const endpoint = await findEndpoint(namespace, provider);
  if (endpoint?.speech) return;
  const why = endpoint ? 'has no `speech`' : 'does not exist in this namespace';
  const detail = `ModelProvider "${provider}" ${why}.`;
  throw invalid(endpoint ? 'invalid_value' : 'unknown_provider', detail);
}

function invalid(code: string, detail: string): ApiError {
  const pointer = '/voice/provider';
  return new ApiError('invalid_body', detail, { errors: [{ pointer, code, detail }] });
}

type Asked = { namespace: string; voice: VoiceChoice; text: string; signal: AbortSignal };

/** @throws ApiError reply_failed if the provider fails */
async function speak(
  { speech }: SpeechRouteDeps,
  { namespace, voice, text, signal }: Asked,
): Promise<Buffer> {
  const tts = createOpenAiTts({ providers: speech, namespace, voice, sampleRate: SAMPLE_RATE });
  const chunks: Buffer[] = [];
  try {
    for await (const samples of tts.speak({ text, signal })) chunks.push(bytesOf(samples));
  } catch (error) {
    // The client has disconnected.
    if (signal.aborted) return Buffer.alloc(0);
    if (!(error instanceof SpeechFailure)) throw error;
    const { code, message: detail } = error;
    throw new ApiError('reply_failed', detail, { errors: [{ pointer: '', code, detail }] });
  }
  const audio = Buffer.concat(chunks);
  return Buffer.concat([wavHeader({ sampleRate: SAMPLE_RATE, dataBytes: audio.length }), audio]);
}
