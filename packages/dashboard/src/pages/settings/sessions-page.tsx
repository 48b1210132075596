import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { ok, parley, type ItemOf } from '../../data/parley.ts';
import { useCan, useMe } from '../../data/me.ts';
import { useList } from '../../data/use-list.ts';
import { ActButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { scopesText } from './key.ts';
import { SettingsFrame } from './settings-frame.tsx';

type Session = ItemOf<'/v1/sessions'>;

export function SessionsPage() {
  return (
    <SettingsFrame title="Sessions">
      <Needing scope="keys">
        <Sessions />
      </Needing>
    </SettingsFrame>
  );
}

function Sessions() {
  const me = useMe();
  const [ending, setEnding] = useState<Session | null>(null);
  const queryClient = useQueryClient();
  const toast = useToast();
  const list = useList('sessions', '/v1/sessions', { enabled: useCan('keys') });
  const columns: Column<Session>[] = [
    {
      name: 'Name',
      width: 'minmax(8rem, 1fr)',
      cell: ({ id, name }) => (
        <span className="row">
          {name} {id === me.session?.id ? <Status tone="info">you</Status> : null}
        </span>
      ),
    },
    { name: 'Key', cell: (one) => <CopyId id={one.api_key_id} />, width: '8rem', isWide: true },
    {
      name: 'Scopes',
      cell: ({ scopes }) => scopesText(scopes),
      width: 'minmax(0, 1fr)',
      isWide: true,
    },
    {
      name: 'Signed in',
      cell: ({ created }) => <Time at={created} />,
      width: '8rem',
      isWide: true,
    },
    { name: 'Last seen', cell: (one) => <Time at={one.last_seen_at} />, width: '8rem' },
    { name: 'Expires', cell: (one) => <Time at={one.expires_at} />, width: '8rem', isWide: true },
    {
      name: 'Actions',
      width: '5.5rem',
      cell: (one) => (
        <ActButton needs="keys" size="small" onClick={() => setEnding(one)}>
          End<span className="unseen"> {one.name}’s session</span>
        </ActButton>
      ),
    },
  ];
  return (
    <>
      <Table
        label="Sessions"
        list={list}
        columns={columns}
        empty={<p>Nobody is signed in.</p>}
        narrow={({ scopes }) => scopesText(scopes)}
      />
      {ending ? (
        <Confirm
          title={`End ${ending.name}’s session`}
          isOpen
          onClose={() => setEnding(null)}
          action="End the session"
          act={async () => {
            await ok(parley.DELETE('/v1/sessions/{id}', { params: { path: { id: ending.id } } }));
            toast({ text: `${ending.name} is signed out` });
            await queryClient.invalidateQueries({ queryKey: ['sessions'] });
          }}
        >
          <p>The person has to sign in again. The API key of this session keeps working.</p>
        </Confirm>
      ) : null}
    </>
  );
}
