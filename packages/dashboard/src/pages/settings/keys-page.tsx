import { useState } from 'react';
import { useList } from '../../data/use-list.ts';
import { useCan } from '../../data/me.ts';
import { ActButton } from '../../ui/button.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { DeleteKey } from './delete-key.tsx';
import { scopesText, type Key } from './key.ts';
import { NewKey } from './new-key.tsx';
import { RotateKey } from './rotate-key.tsx';
import { SettingsFrame } from './settings-frame.tsx';

type Acting = { what: 'rotate' | 'delete'; key: Key };

export function KeysPage() {
  const [isMaking, setMaking] = useState(false);
  const [acting, setActing] = useState<Acting | null>(null);
  const make = (
    <ActButton needs="keys" kind="primary" onClick={() => setMaking(true)}>
      Create key
    </ActButton>
  );
  return (
    <SettingsFrame title="API keys" actions={make}>
      <Needing scope="keys">
        <KeyList onAct={setActing} />
      </Needing>
      {isMaking ? <NewKey onClose={() => setMaking(false)} /> : null}
      {acting?.what === 'rotate' ? (
        <RotateKey apiKey={acting.key} onClose={() => setActing(null)} />
      ) : null}
      {acting?.what === 'delete' ? (
        <DeleteKey apiKey={acting.key} onClose={() => setActing(null)} />
      ) : null}
    </SettingsFrame>
  );
}

function KeyList({ onAct }: { onAct: (acting: Acting) => void }) {
  const canManage = useCan('keys');
  const list = useList('keys', '/v1/api_keys', { enabled: canManage });
  const columns: Column<Key>[] = [
    { name: 'Name', cell: ({ name }) => name || <span className="muted">unnamed</span> },
    {
      name: 'Prefix',
      cell: ({ prefix }) => <span className="mono">{prefix}…</span>,
      width: '11rem',
      isWide: true,
    },
    {
      name: 'Scopes',
      cell: ({ scopes }) => scopesText(scopes),
      width: 'minmax(0, 2fr)',
      isWide: true,
    },
    {
      name: 'Last used',
      cell: (key) => <Time at={key.last_used_at} never="never" />,
      width: '8rem',
      isWide: 'very',
    },
    {
      name: 'Expires',
      cell: (key) => <Time at={key.expires_at} never="never" />,
      width: '7rem',
      isWide: true,
    },
    {
      name: 'Actions',
      width: '10.5rem',
      cell: (key) => (
        <span className="row">
          <ActButton
            needs="keys"
            size="small"
            disabled={key.expires_at !== null}
            title={
              key.expires_at === null
                ? undefined
                : 'Keys that expire can’t be rotated. Create another key.'
            }
            onClick={() => onAct({ what: 'rotate', key })}
          >
            Rotate<span className="unseen"> {key.name}</span>
          </ActButton>
          <ActButton needs="keys" size="small" onClick={() => onAct({ what: 'delete', key })}>
            Delete<span className="unseen"> {key.name}</span>
          </ActButton>
        </span>
      ),
    },
  ];
  return (
    <Table label="API keys" list={list} columns={columns} empty={<p>No keys.</p>} narrow={moreOf} />
  );
}

/** Returns the scopes and the expiry, which phones show below the name. */
function moreOf({ scopes, expires_at: expiresAt }: Key) {
  return (
    <>
      {scopesText(scopes)}
      {expiresAt === null ? null : (
        <>
          {' '}
          · <Time at={expiresAt} />
        </>
      )}
    </>
  );
}
