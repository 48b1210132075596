import { useQuery } from '@tanstack/react-query';
import { parley } from '../../data/parley.ts';
import { speechOf, UNKNOWN, type Provider, type Speech, type Spoken } from './speech-of.ts';

/** Returns whether the model providers of the namespace can transcribe and speak for a version. */
export function useSpeech(content: Spoken | undefined): Speech {
  const isNamed = Boolean(content?.voice?.provider && content.transcriber?.provider);
  const { data: providers } = useQuery({
    queryKey: ['providers', 'speech'],
    enabled: isNamed,
    queryFn: async () => {
      const found: Provider[] = [];
      for await (const provider of parley.list('/v1/model_providers')) found.push(provider);
      return found;
    },
  });
  if (!content || (isNamed && !providers)) return UNKNOWN;
  return speechOf(content, providers ?? []);
}
