import { Fragment, useState, type ReactNode } from 'react';
import type { Source, TaggedSource } from '../../../data/knowledge.ts';
import { ActButton } from '../../../ui/button.tsx';
import { EditFetched } from './edit-fetched.tsx';
import type { FetchedType } from './fetched-values.ts';

/** Shows what a source reads and when. If the source is managed by the API, it can be edited here. */
export function FetchedSettings({ type, tagged }: { type: FetchedType; tagged: TaggedSource }) {
  const [isEditing, setEditing] = useState(false);
  const { source } = tagged;
  const isOurs = source.managed_by === 'api';
  return (
    <section className="stack-small">
      <header className="spread">
        <h2>Sync settings</h2>
        {isOurs ? (
          <ActButton needs="write" onClick={() => setEditing(true)}>
            Edit sync settings
          </ActButton>
        ) : null}
      </header>
      {isOurs ? null : <p className="muted">{ownerOf(source)}</p>}
      <dl className="facts">
        {settingsOf(source).map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
      {isEditing ? (
        <EditFetched type={type} tagged={tagged} onClose={() => setEditing(false)} />
      ) : null}
    </section>
  );
}

/** Explains where a source that is managed elsewhere can be changed. */
function ownerOf({ managed_by: owner, name }: Source): ReactNode {
  return owner === 'kubernetes' ? (
    <>
      Declared in Kubernetes. Change its manifest, or run <code>kubectl edit ks {name}</code>.
    </>
  ) : (
    <>
      Declared as <code>{name}</code> by a file in the manifests folder (
      <code>PARLEY_MANIFESTS</code>). Change that file.
    </>
  );
}

function settingsOf({ website, integration }: Source): [name: string, value: string][] {
  const secret = integration?.secret_ref;
  const signing = integration?.signing_secret_ref;
  const all: [string, string | number | undefined][] = [
    ['Address', (website ?? integration)?.url],
    ['Include paths', website?.include?.join(', ')],
    ['Exclude paths', website?.exclude?.join(', ')],
    ['Maximum link depth', website?.max_depth],
    ['Maximum pages', website?.max_pages],
    ['Delay', website?.delay_ms === undefined ? undefined : `${website.delay_ms} ms`],
    ['Bearer token', secret && `${secret.key} in ${secret.name}`],
    ['Signed with', signing && `${signing.key} in ${signing.name}`],
    ['Headers', integration?.headers && Object.keys(integration.headers).join(', ')],
  ];
  return all.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
}
