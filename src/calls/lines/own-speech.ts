import type { AgentContent } from '../../agents/agent.ts';
import type { FindEndpoint } from '../../models/model.ts';
import type { SpeechProviders } from '../../speech/providers/speech-providers.ts';
import { createOpenAiRecognizer } from '../../speech/recognition/openai-recognizer.ts';
import type { Recognizer } from '../../speech/recognition/recognizer.ts';
import { createOpenAiSynthesizer } from '../../speech/synthesis/openai-synthesizer.ts';
import type { Synthesizer } from '../../speech/synthesis/synthesizer.ts';

/** What an agent hears and speaks with, where that is ours and not the carrier's. */
export type Speech = {
  recognizer: Recognizer;
  synthesizer: Synthesizer;
  /** BCP 47 of what users speak, and of what the agent does. */
  heardIn: string | undefined;
  spokenIn: string | undefined;
};

type Spoken = Pick<AgentContent, 'voice' | 'transcriber' | 'language'>;

/**
 * Whether both its voice and its transcriber name ModelProviders of the namespace that can do it. Other names
 * are those of the carrier, which then hears and speaks by itself.
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

/** `sampleRate`: Hz of the line. */
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
