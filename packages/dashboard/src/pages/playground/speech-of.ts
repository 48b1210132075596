import type { AgentContent } from '../../data/agents.ts';
import type { ItemOf } from '../../data/parley.ts';

export type Spoken = Pick<AgentContent, 'voice' | 'transcriber'>;
export type Provider = Pick<ItemOf<'/v1/model_providers'>, 'name' | 'speech' | 'transcription'>;

/** Says if an agent can speak on web pages. If it declares a voice that cannot work, `whyNot` is the reason. */
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
  if (!name) return `${field} names no provider`;
  const provider = providers.find((one) => one.name === name);
  if (!provider) return `model provider “${name}” of ${field} does not exist`;
  return provider[section] ? null : `model provider “${name}” of ${field} has no ${section}`;
}
