import { useQuery } from '@tanstack/react-query';
import { ok, parley, type ItemOf } from '../../data/parley.ts';

export type Provider = ItemOf<'/v1/model_providers'>;

/**
 * Maximum number of sources or providers that the form lists: one page of the API. All others can be selected only
 * through the API.
 */
export const CHOICES_MAX = 100;

/** Returns the model providers of the namespace, or an empty list while they load. */
export function useProviders(): readonly Provider[] {
  const { data } = useQuery({
    queryKey: ['providers', 'choices'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: CHOICES_MAX } };
      return (await ok(parley.GET('/v1/model_providers', { params, signal }))).data;
    },
  });
  return data ?? [];
}

/** Returns the names as options of a drop-down list. Adds the chosen name if it is not among them. */
export function providerOptions(
  names: readonly string[],
  chosen: string | null | undefined,
  none: string,
): Record<string, string> {
  const all = chosen && !names.includes(chosen) ? [...names, chosen] : names;
  return { '': none, ...Object.fromEntries(all.map((name) => [name, name])) };
}
