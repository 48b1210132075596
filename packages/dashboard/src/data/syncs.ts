import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import {
  createSource,
  readSource,
  SYNC_LOOK_MS,
  sourceKey,
  tagged,
  type NewSource,
  type Source,
  type TaggedSource,
} from './knowledge.ts';
import { isCode, ok, parley, type BodyOf, type ItemOf } from './parley.ts';

/** A sync as lists return it, without its list of failures. */
export type Sync = ItemOf<'/v1/knowledge/sources/{id}/syncs'>;

export function useSync(sourceId: string, id: string): UseQueryResult<Sync> {
  return useQuery({
    queryKey: ['sources', 'sync', sourceId, id],
    queryFn: ({ signal }) => {
      const params = { path: { id: sourceId, sync_id: id } };
      return ok(parley.GET('/v1/knowledge/sources/{id}/syncs/{sync_id}', { params, signal }));
    },
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : SYNC_LOOK_MS),
  });
}

export function isOver({ status }: Sync): boolean {
  return status !== 'queued' && status !== 'running';
}

/** Stops a sync. If the sync has ended in the meantime, its result is shown without an error. */
export function useStopSync(sourceId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => {
      const params = { path: { id: sourceId, sync_id: id } };
      return ok(parley.POST('/v1/knowledge/sources/{id}/syncs/{sync_id}/cancel', { params }));
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['sources'] }),
  });
}

/** Creates a website or feed source, which then syncs. */
export function useMakeSource(onMade: (source: Source) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: NewSource) => createSource(body),
    onSuccess: (source) => {
      void queryClient.invalidateQueries({ queryKey: ['sources'] });
      onMade(source);
    },
  });
}

export type FetchedPatch = BodyOf<'/v1/knowledge/sources/{id}', 'patch'>;

/** Changes a source. If the source changed after it was read, reads it again and writes nothing. */
export function useChangeSource(onChanged: (written: TaggedSource) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ base, patch }: { base: TaggedSource; patch: FetchedPatch }) => {
      const params = { path: { id: base.source.id }, header: { 'If-Match': base.etag } };
      return tagged(parley.PATCH('/v1/knowledge/sources/{id}', { params, body: patch }));
    },
    onSuccess: (written) => {
      queryClient.setQueryData(sourceKey(written.source.id), written);
      void queryClient.invalidateQueries({ queryKey: ['sources'] });
      onChanged(written);
    },
    onError: async (error, { base: { source } }) => {
      if (!isCode(error, 'precondition_failed')) return;
      queryClient.setQueryData(sourceKey(source.id), await readSource(source.id));
    },
  });
}
