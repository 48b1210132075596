import type { AgentContent } from '../../agents/agent.ts';
import type { FindEndpoint } from '../../models/model.ts';
import type { SpeechProviders } from '../speech-providers.ts';
import { createOpenAiRecognizer } from '../stt/openai-recognizer.ts';
import type { Recognizer } from '../stt/recognizer.ts';
import { createOpenAiSynthesizer } from '../tts/openai-synthesizer.ts';
import type { Synthesizer } from '../tts/synthesizer.ts';

/** The recognizer and synthesizer of an agent whose carrier neither transcribes nor speaks. */
export type Speech = {
  recognizer: Recognizer;
  synthesizer: Synthesizer;
  /** Languages (BCP 47) of the user and of the agent. */
  heardIn: string | undefined;
  spokenIn: string | undefined;
};

type Spoken = Pick<AgentContent, 'voice' | 'transcriber' | 'language'>;

/**
 * Returns whether the agent's voice and transcriber both name ModelProviders of the namespace with those abilities.
 * Other names refer to the carrier, which then transcribes and speaks.
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
export function speechOf(
  providers: SpeechProviders,
  {
    namespace,
    content: { voice = {}, transcriber = {}, language },
    sampleRate,
  }: { namespace: string; content: Spoken; sampleRate: number },
): Speech {
  const heardIn = transcriber.language ?? language;
  const hearing = { ...transcriber, language: heardIn };
  return {
    recognizer: createOpenAiRecognizer({ providers, namespace, transcriber: hearing }),
    synthesizer: createOpenAiSynthesizer({ providers, namespace, voice, sampleRate }),
    heardIn,
    spokenIn: voice.language ?? language,
  };
}
