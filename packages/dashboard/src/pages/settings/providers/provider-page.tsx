import { useState } from 'react';
import { useParams } from '@tanstack/react-router';
import { ok, parley } from '../../../data/parley.ts';
import { ActButton } from '../../../ui/button.tsx';
import { CopyId } from '../../../ui/copy-id.tsx';
import { Page, ReadPage, UnreadPage } from '../../../ui/page.tsx';
import { Status } from '../../../ui/status.tsx';
import { Time } from '../../../ui/time.tsx';
import { DeleteProvider } from './delete-provider.tsx';
import { EditProvider } from './edit-provider.tsx';
import { useProvider, type TaggedProvider } from './provider-data.ts';
import { TestButton, TestResult, useProviderTest } from './provider-test.tsx';
import { ProviderUsers } from './provider-users.tsx';
import type { Provider } from './provider-values.ts';
import { ReplaceKey } from './replace-key.tsx';
import './providers.css';

const BACK = { to: '/settings/providers', name: 'Model providers' };

export function ProviderPage() {
  const { providerId } = useParams({ strict: false });
  return (
    <ReadPage title="Model provider" back={BACK}>
      <Loaded id={String(providerId)} />
    </ReadPage>
  );
}

function Loaded({ id }: { id: string }) {
  const query = useProvider(id);
  if (query.data) return <Shown key={id} tagged={query.data} />;
  return <UnreadPage title="Model provider" back={BACK} query={query} />;
}

type Acting = 'edit' | 'key' | 'delete';

function Shown({ tagged }: { tagged: TaggedProvider }) {
  const { provider, etag } = tagged;
  const [acting, setActing] = useState<Acting | null>(null);
  const isOurs = provider.managed_by === 'api';
  const params = { path: { id: provider.id } };
  const test = useProviderTest(etag, () =>
    ok(parley.POST('/v1/model_providers/{id}/test', { params, body: {} })),
  );
  const close = (): void => setActing(null);
  return (
    <Page
      title={provider.name}
      heading={
        <>
          {provider.name}{' '}
          <Status tone={provider.ready ? 'ok' : 'bad'}>
            {provider.ready ? 'ready' : 'not ready'}
          </Status>
        </>
      }
      back={BACK}
      actions={
        <>
          <TestButton test={test} />
          {isOurs ? <Actions onAct={setActing} /> : null}
        </>
      }
    >
      <TestResult test={test} />
      {provider.ready ? null : <NotReady provider={provider} />}
      {isOurs ? null : (
        <p className="muted">
          Managed by {provider.managed_by === 'file' ? 'a manifest file' : 'Kubernetes'}. Edit it in
          its manifest.
        </p>
      )}
      <div className="columns">
        <Facts provider={provider} />
        <ProviderUsers name={provider.name} />
      </div>
      {acting === 'edit' ? <EditProvider tagged={tagged} onClose={close} /> : null}
      {acting === 'key' ? <ReplaceKey tagged={tagged} onClose={close} /> : null}
      {acting === 'delete' ? <DeleteProvider tagged={tagged} onClose={close} /> : null}
    </Page>
  );
}

function Actions({ onAct }: { onAct: (acting: Acting) => void }) {
  return (
    <>
      <ActButton needs="write" onClick={() => onAct('edit')}>
        Edit
      </ActButton>
      <ActButton needs="write" onClick={() => onAct('key')}>
        Replace key
      </ActButton>
      <ActButton needs="write" onClick={() => onAct('delete')}>
        Delete…
      </ActButton>
    </>
  );
}

function NotReady({ provider: { status_message: why } }: { provider: Provider }) {
  return (
    <div className="provider-result provider-result-bad" role="status">
      <p>
        <strong>Not ready.</strong> {why ?? 'The provider has not been checked yet'}. Select{' '}
        <em>Test</em> to find the cause.
      </p>
    </div>
  );
}

function Facts({ provider }: { provider: Provider }) {
  const { chat, speech, transcription, embeddings, api_key_secret_ref: ref } = provider;
  return (
    <section className="card stack-small" aria-labelledby="provider-settings">
      <h2 id="provider-settings">Settings</h2>
      <dl className="facts">
        <dt>Base URL</dt>
        <dd>{provider.base_url}</dd>
        <dt>API key</dt>
        <dd>{keyText(provider)}</dd>
        {ref === null ? null : (
          <>
            <dt>Secret</dt>
            <dd className="mono small">{ref.name}</dd>
          </>
        )}
        <dt>Default model</dt>
        <dd>{chat?.default_model ?? 'none, so each agent must name a model'}</dd>
        {speech ? (
          <>
            <dt>Speech</dt>
            <dd>
              {speech.default_model}, voice {speech.default_voice}
            </dd>
          </>
        ) : null}
        {transcription ? (
          <>
            <dt>Transcription</dt>
            <dd>{transcription.default_model}</dd>
          </>
        ) : null}
        {embeddings ? (
          <>
            <dt>Embeddings</dt>
            <dd>{embeddings.default_model}</dd>
          </>
        ) : null}
        <dt>Changed</dt>
        <dd>
          <Time at={provider.updated} />
        </dd>
        <dt>ID</dt>
        <dd>
          <CopyId id={provider.id} />
        </dd>
      </dl>
      {chat?.default_model === undefined && !speech && !transcription && !embeddings ? (
        <p className="muted small">Set a default model so that agents need not name one.</p>
      ) : null}
    </section>
  );
}

function keyText({ api_key_secret_ref: ref, id }: Provider): string {
  if (ref === null) return 'none';
  return ref.name === `${id.replace('_', '-')}-key`
    ? 'stored by Parley, never shown'
    : 'in a Secret';
}
