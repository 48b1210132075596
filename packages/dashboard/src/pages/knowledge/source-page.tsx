import { useState } from 'react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSource, type Source, type TaggedSource } from '../../data/knowledge.ts';
import { ok, parley, troubleOf } from '../../data/parley.ts';
import { ActButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { count, counted } from '../../ui/figure.tsx';
import { lastFilters } from '../../data/last-filters.ts';
import { Page, ReadPage, UnreadPage } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { msText, Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { FetchedSettings } from './fetched/fetched-settings.tsx';
import { SCHEDULES } from './fetched/fetched-values.ts';
import { PastSyncs } from './fetched/past-syncs.tsx';
import { RunningSync } from './fetched/running-sync.tsx';
import { ReplaceFile } from './replace-file.tsx';
import { SourceDocuments } from './source-documents.tsx';
import { SourceText } from './source-text.tsx';
import { SourceUsers } from './source-users.tsx';
import { isFetched, remedyOf, stateOf } from './source-words.ts';
import './knowledge.css';

const BACK = { to: '/knowledge', name: 'Sources' };

/** Shows one source: its state, a remedy if it is not ready, its documents and its text. */
export function SourcePage() {
  const { sourceId } = useParams({ strict: false }) as { sourceId: string };
  return (
    <ReadPage title="Source" back={BACK}>
      <ReadSource key={sourceId} id={sourceId} />
    </ReadPage>
  );
}

function ReadSource({ id }: { id: string }) {
  const query = useSource(id);
  const { data } = query;
  if (!data) return <UnreadPage title="Source" back={BACK} query={query} />;
  const { source } = data;
  return (
    <Page title={source.name} back={BACK} actions={<Acts tagged={data} />}>
      <Remedy source={source} />
      <div className="columns">
        <Facts source={source} />
        <SourceUsers source={source} />
      </div>
      {source.type === 'text' ? <SourceText tagged={data} /> : null}
      {isFetched(source.type) ? <FetchedSettings type={source.type} tagged={data} /> : null}
      {source.sync ? <RunningSync sourceId={id} id={source.sync.id} /> : null}
      <SourceDocuments id={id} />
      {isFetched(source.type) ? <PastSyncs sourceId={id} /> : null}
    </Page>
  );
}

function Acts({ tagged: { source, etag } }: { tagged: TaggedSource }) {
  const [asks, setAsks] = useState<'upload' | 'delete' | null>(null);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const close = (): void => setAsks(null);
  const params = { path: { id: source.id } };
  const syncing = useMutation({
    mutationFn: () => ok(parley.POST('/v1/knowledge/sources/{id}/sync', { params })),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ['sources'] });
      toast({ text: isFetched(source.type) ? 'Sync started' : 'Indexed again' });
    },
    onError: (error) => toast({ text: troubleOf(error).detail, tone: 'bad' }),
  });
  const remove = async (): Promise<void> => {
    const given = { params: { ...params, header: { 'If-Match': etag } } };
    await ok(parley.DELETE('/v1/knowledge/sources/{id}', given));
    toast({ text: `Deleted ${source.name}` });
    await navigate({ to: '/knowledge', search: lastFilters('/knowledge') });
    void queryClient.invalidateQueries({ queryKey: ['sources'] });
  };
  const isOurs = source.managed_by === 'api';
  const canSync = isFetched(source.type) ? source.sync === null : source.status !== 'pending';
  return (
    <>
      {source.type === 'file' ? (
        <ActButton needs="write" kind="primary" onClick={() => setAsks('upload')}>
          {source.documents === 0 ? 'Upload a file' : 'Upload another file'}
        </ActButton>
      ) : null}
      {canSync ? (
        <ActButton needs="write" isBusy={syncing.isPending} onClick={() => syncing.mutate()}>
          {isFetched(source.type) ? 'Sync now' : 'Index again'}
        </ActButton>
      ) : null}
      {isOurs ? (
        <ActButton needs="write" onClick={() => setAsks('delete')}>
          Delete…
        </ActButton>
      ) : null}
      <ReplaceFile source={source} isOpen={asks === 'upload'} onClose={close} />
      <Confirm
        title={`Delete ${source.name}?`}
        isOpen={asks === 'delete'}
        onClose={close}
        action="Delete the source"
        act={remove}
      >
        <p>
          Search no longer finds its {counted(source.chunks, 'passage')}. Agents that use it
          continue without it. This can’t be undone.
        </p>
      </Confirm>
    </>
  );
}

function Remedy({ source }: { source: Source }) {
  const remedy = remedyOf(source);
  if (remedy === null) return null;
  return (
    <div className="trouble" role="status">
      <p>
        <strong>{source.status_message ?? 'The source is not ready.'}</strong>
      </p>
      <p>{remedy}</p>
    </div>
  );
}

function Facts({ source }: { source: Source }) {
  const { name, tone } = stateOf(source);
  const { last_sync: sync, managed_by: owner } = source;
  return (
    <dl className="facts card">
      <dt>Status</dt>
      <dd>
        <Status tone={tone}>{name}</Status>
      </dd>
      <dt>Type</dt>
      <dd>
        {source.type}
        {owner === 'api' ? '' : `, declared by ${owner === 'file' ? 'a file' : 'Kubernetes'}`}
      </dd>
      <dt>Content</dt>
      <dd className="numeric">
        {counted(source.chunks, 'passage')} of {counted(source.documents, 'document')}
      </dd>
      <dt>Last indexed</dt>
      <dd>
        <Time at={source.last_synced_at} never="never" />
        {sync ? (
          <span className="muted numeric">
            {' '}
            in {msText(sync.duration_sec * 1_000)}: {count(sync.added)} added, {count(sync.updated)}{' '}
            updated, {count(sync.removed)} removed, {count(sync.failed)} failed
          </span>
        ) : null}
      </dd>
      <Next source={source} />
      <dt>ID</dt>
      <dd>
        <CopyId id={source.id} />
      </dd>
    </dl>
  );
}

/** Shows when a website or feed source will be read next. */
function Next({ source: { type, schedule, next_sync_at: next } }: { source: Source }) {
  if (!isFetched(type)) return null;
  return (
    <>
      <dt>Next sync</dt>
      <dd>
        <Time at={next} never="on request" />
        {schedule ? <span className="muted"> · {SCHEDULES[schedule] ?? schedule}</span> : null}
      </dd>
    </>
  );
}
