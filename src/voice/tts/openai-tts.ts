import { InvalidAnswer } from '../../models/model-failure.ts';
import { createResampler, type Resampler } from '../audio/resampler.ts';
import { failureOfAll, refused, SpeechFailure } from '../speech-failure.ts';
import type { Asked, Choice, SpeechProviders } from '../speech-providers.ts';
import { untilAborted } from '../until-aborted.ts';
import { createAudioAnswer } from './audio-answer.ts';
import { TTS_CHARS_MAX, type Tts, type SpeechRequest } from './tts.ts';

/**
 * An agent's declared voice (contract/agents.md#voice). A fallback that does not name a provider is another model or
 * voice of the same provider.
 */
export type VoiceChoice = Choice & {
  voiceId?: string | undefined;
  language?: string | undefined;
  speed?: number | undefined;
  fallback?: readonly (Choice & { voiceId?: string | undefined })[] | undefined;
};

export type OpenAiTtsDeps = {
  providers: SpeechProviders;
  namespace: string;
  voice: VoiceChoice;
  /** Sample rate of the output in Hz, one of `RATES`. */
  sampleRate: number;
};

/**
 * Maximum speaking time per character in seconds. Even the slowest voice takes less, including for Chinese characters.
 * Longer audio is an error.
 */
const SEC_PER_CHAR_MAX = 1;
/** Additional time in seconds that is allowed for pauses, whatever the length of the text. */
const SEC_MAX = 30;

/**
 * Creates a synthesizer that uses `POST {base_url}/audio/speech`. If a provider fails before its first audio, the next
 * provider is used. After the first audio, the request is not repeated, so that no words are spoken twice. `language`
 * is not sent, because the API has no such field and models detect the language from the text.
 */
export function createOpenAiTts(deps: OpenAiTtsDeps): Tts {
  const { providers, namespace, voice, sampleRate } = deps;
  const choices = choicesOf(voice);
  return {
    sampleRate,
    speak: async function* speak(utterance) {
      const { text, signal } = utterance;
      signal.throwIfAborted();
      if (text.trim() === '') return;
      if (text.length > TTS_CHARS_MAX) {
        throw refused(
          `The text to speak has ${text.length} characters, but the maximum is ${TTS_CHARS_MAX}. Shorten it.`,
        );
      }
      const failures: SpeechFailure[] = [];
      for (const choice of choices) {
        let isHeard = false;
        const wanted = {
          speed: voice.speed,
          ...utterance,
          voice: utterance.voice ?? choice.voiceId,
        };
        const about = { namespace, choice, use: 'speech' as const, signal };
        try {
          for await (const samples of providers.ask(about, (asked) =>
            speakOnce(asked, wanted, sampleRate),
          )) {
            isHeard = true;
            yield samples;
          }
          return;
        } catch (error) {
          if (isHeard || !(error instanceof SpeechFailure)) throw error;
          failures.push(error);
        }
      }
      throw failureOfAll(failures);
    },
  };
}

function choicesOf({ fallback = [], ...first }: VoiceChoice): readonly VoiceChoice[] {
  const { provider, voiceId } = first;
  return [
    first,
    // A voice exists only at its provider, so a fallback inherits the voice only if it uses the same provider.
    ...fallback.map((other) =>
      other.provider === undefined || other.provider === provider
        ? { voiceId, ...other, provider }
        : other,
    ),
  ];
}

async function* speakOnce(
  { client, endpoint, model, signal, patience }: Asked,
  { text, voice, speed }: SpeechRequest,
  sampleRate: number,
): AsyncGenerator<Int16Array, void, undefined> {
  const body = {
    model,
    input: text,
    voice: voice ?? endpoint.speech?.defaultVoice,
    response_format: 'pcm',
    // The default speed is omitted, because several servers reject unknown fields.
    ...(speed !== undefined && speed !== 1 && { speed }),
  };
  const sent = client.post('/audio/speech', { body, signal }).asResponse();
  const response = await untilAborted(sent, signal);
  if (response.body === null) throw new InvalidAnswer('answered without a body');
  const answer = createAudioAnswer(response.headers.get('content-type'));
  const reader = response.body.getReader();
  const secMax = SEC_MAX + text.length * SEC_PER_CHAR_MAX;
  let count = 0;
  let resampler: Resampler | undefined;
  for (;;) {
    const { value, done } = await reader.read();
    patience.rest();
    const samples = done ? answer.end() : answer.push(value);
    count += samples.length;
    if (count > secMax * answer.rate()) {
      throw new InvalidAnswer(
        `answered with more than ${secMax} s of audio for ${text.length} characters`,
      );
    }
    if (samples.length > 0) {
      resampler ??= createResampler({ from: answer.rate(), to: sampleRate });
      const out = resampler.push(samples);
      if (out.length > 0) yield out;
    }
    if (done) break;
    // The generator pauses at the `yield` above until the caller reads again, so a slow caller does not cause a
    // timeout.
    patience.wait();
  }
  if (resampler === undefined) throw new InvalidAnswer('answered without audio');
  const rest = resampler.end();
  if (rest.length > 0) yield rest;
}
