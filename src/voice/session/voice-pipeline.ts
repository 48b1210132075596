import type { AgentContent } from '../../agents/agent.ts';
import type { FindEndpoint } from '../../models/model.ts';
import type { SpeechProviders } from '../speech-providers.ts';
import { createOpenAiStt } from '../stt/openai-stt.ts';
import type { Stt } from '../stt/stt.ts';
import { createOpenAiTts } from '../tts/openai-tts.ts';
import type { Tts } from '../tts/tts.ts';

/** Recognizer and synthesizer of an agent whose carrier neither transcribes nor synthesizes speech. */
export type VoicePipeline = {
  stt: Stt;
  tts: Tts;
  /** Languages (BCP 47) that the user and the agent speak. */
  inputLanguage: string | undefined;
  outputLanguage: string | undefined;
  /**
   * Whether the transcriber also transcribes the agent's interrupted sentences, to find the last word that was played.
   */
  retranscribes: boolean;
};

type Spoken = Pick<AgentContent, 'voice' | 'transcriber' | 'language'>;

/**
 * Returns whether the agent's voice and transcriber both name ModelProviders in the namespace that support speech and
 * transcription. Any other names refer to services of the carrier, which then transcribes and synthesizes.
 */
export async function hasOwnSpeech(
  findEndpoint: FindEndpoint,
  namespace: string,
  { voice, transcriber }: Spoken,
): Promise<boolean> {
  if (voice?.provider === undefined || transcriber?.provider === undefined) return false;
  const [speaks, hears] = await Promise.all([
    findEndpoint(namespace, voice.provider),
    findEndpoint(namespace, transcriber.provider),
  ]);
  return speaks?.speech !== undefined && hears?.transcription !== undefined;
}

/** Returns the recognizer and synthesizer of an agent. `sampleRate` is the sample rate of the line in Hz. */
export function createVoicePipeline(
  providers: SpeechProviders,
  {
    namespace,
    content: { voice = {}, transcriber = {}, language },
    sampleRate,
  }: { namespace: string; content: Spoken; sampleRate: number },
): VoicePipeline {
  const inputLanguage = transcriber.language ?? language;
  const hearing = { ...transcriber, language: inputLanguage };
  return {
    stt: createOpenAiStt({ providers, namespace, transcriber: hearing }),
    tts: createOpenAiTts({ providers, namespace, voice, sampleRate }),
    inputLanguage,
    outputLanguage: voice.language ?? language,
    retranscribes: transcriber.retranscribeInterrupted === true,
  };
}
