import type { AgentContent } from '../../data/agents.ts';
import type { ItemOf } from '../../data/parley.ts';

export type Spoken = Pick<AgentContent, 'voice' | 'transcriber'>;
export type Provider = Pick<ItemOf<'/v1/model_providers'>, 'name' | 'speech' | 'transcription'>;

/** Whether an agent can speak on web pages. If the agent declares a voice that cannot work, `whyNot` is the reason. */
export type Speech = { canSpeak: boolean; whyNot: string | null };

export const UNKNOWN: Speech = { canSpeak: false, whyNot: null };

/** Returns whether these model providers can transcribe and speak for an agent. */
export function speechOf({ voice, transcriber }: Spoken, providers: readonly Provider[]): Speech {
  if (!voice?.provider && !transcriber?.provider) return UNKNOWN;
  const whyNot =
    whyUnfit('voice', voice?.provider, { providers, section: 'speech' }) ??
    whyUnfit('transcriber', transcriber?.provider, { providers, section: 'transcription' });
  return { canSpeak: whyNot === null, whyNot };
}

function whyUnfit(
  field: keyof Spoken,
  name: string | undefined,
  { providers, section }: { providers: readonly Provider[]; section: 'speech' | 'transcription' },
): string | null {
  if (!name) return `the ${field} does not name a provider`;
  const provider = providers.find((one) => one.name === name);
  if (!provider) return `the ${field}’s model provider “${name}” does not exist`;
  return provider[section] ? null : `the ${field}’s model provider “${name}” has no ${section}`;
}
