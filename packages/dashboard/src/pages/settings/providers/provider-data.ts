import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ok, parley, type Agent } from '../../../data/parley.ts';
import type { Provider, ProviderPatch } from './provider-values.ts';

/** A provider and its ETag. Updates send the ETag, so that they never overwrite somebody else's change. */
export type TaggedProvider = { provider: Provider; etag: string };

export function providerKey(id: string): readonly unknown[] {
  return ['providers', 'one', id];
}

export function useProvider(id: string): UseQueryResult<TaggedProvider> {
  return useQuery({
    queryKey: providerKey(id),
    queryFn: ({ signal }) =>
      tagged(parley.GET('/v1/model_providers/{id}', { params: { path: { id } }, signal })),
  });
}

/** @throws ParleyError `precondition_failed` if the provider changed after it was read */
export function patchProvider(
  { provider: { id }, etag }: TaggedProvider,
  body: ProviderPatch,
): Promise<TaggedProvider> {
  const params = { path: { id }, header: { 'If-Match': etag } };
  return tagged(parley.PATCH('/v1/model_providers/{id}', { params, body }));
}

export async function deleteProvider({ provider: { id }, etag }: TaggedProvider): Promise<void> {
  const params = { path: { id }, header: { 'If-Match': etag } };
  await ok(parley.DELETE('/v1/model_providers/{id}', { params }));
}

async function tagged(
  answer: Promise<{ data?: Provider; error?: unknown; response: Response }>,
): Promise<TaggedProvider> {
  const { response } = await answer;
  return { provider: await ok(answer), etag: response.headers.get('etag') ?? '*' };
}

/** Maximum number of agents that are listed for a provider. If there are more, only the newest are listed. */
export const USERS_MAX = 100;

/** Loads the agents that refer to a provider by name, newest first. */
export function useAgentsOf(name: string | undefined) {
  return useQuery({
    queryKey: ['agents', 'of provider', name],
    enabled: name !== undefined,
    queryFn: async ({ signal }): Promise<Agent[]> => {
      const query = { model_provider: name ?? '', limit: USERS_MAX };
      return (await ok(parley.GET('/v1/agents', { params: { query }, signal }))).data;
    },
  });
}
