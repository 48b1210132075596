import { useQuery } from '@tanstack/react-query';
import { ok, parley } from './parley.ts';

export type Names = ReadonlyMap<string, string>;
type Pairs = readonly (readonly [string, string])[];

/** Query parameters for loading names. One request loads the newest 100. Older objects are shown by their ID. */
const query = { limit: 100 };
const none: Names = new Map();
// Defined outside of the hooks, because React Query reuses the result of `select` only for the same function.
const asMap = (pairs: Pairs): Names => new Map(pairs);

/**
 * Returns the names of agents, or undefined until they are loaded. Returns an empty map if the session may not read
 * agents.
 */
export function useAgentNamesOnceRead(): Names | undefined {
  const { data, isPending } = useQuery({
    queryKey: ['agents', 'names'],
    select: asMap,
    queryFn: async ({ signal }) => {
      const { data: agents } = await ok(parley.GET('/v1/agents', { params: { query }, signal }));
      return agents.map(({ id, name, display_name }) => [id, display_name ?? name] as const);
    },
  });
  return data ?? (isPending ? undefined : none);
}

export function useAgentNames(): Names {
  return useAgentNamesOnceRead() ?? none;
}

const EVERY_MAX = 2_000;

/** Loads up to 2,000 agent names to choose from, once `isWanted` is true. Returns undefined until they are loaded. */
export function useEveryAgentName(isWanted: boolean): Names | undefined {
  const { data } = useQuery({
    queryKey: ['every-agent-name'],
    enabled: isWanted,
    select: asMap,
    queryFn: async () => {
      const pairs: [string, string][] = [];
      for await (const { id, name, display_name } of parley.list('/v1/agents')) {
        pairs.push([id, display_name ?? name]);
        if (pairs.length === EVERY_MAX) break;
      }
      return pairs;
    },
  });
  return data;
}

export function useSourceNames(): Names {
  const { data } = useQuery({
    queryKey: ['sources', 'names'],
    select: asMap,
    queryFn: async ({ signal }) => {
      const { data: sources } = await ok(
        parley.GET('/v1/knowledge/sources', { params: { query }, signal }),
      );
      return sources.map(({ id, name }) => [id, name] as const);
    },
  });
  return data ?? none;
}
