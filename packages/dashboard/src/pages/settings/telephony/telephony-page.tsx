import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCan } from '../../../data/me.ts';
import { ok, parley } from '../../../data/parley.ts';
import { useList } from '../../../data/use-list.ts';
import { ActButton } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { Needing } from '../../../ui/needing.tsx';
import { Status } from '../../../ui/status.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { AccountDialog } from './account-dialog.tsx';
import { addressesOf, CARRIERS, type Account } from './telephony-values.ts';
import '../../agents/agents.css';

type Open = { act: 'new' } | { act: 'edit' | 'delete'; account: Account };

/** Lists the carrier accounts and their numbers. People can connect, edit and delete accounts here. */
export function TelephonyPage() {
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  return (
    <SettingsFrame
      title="Telephony"
      actions={
        <ActButton needs="write" kind="primary" onClick={() => setOpen({ act: 'new' })}>
          Connect a carrier
        </ActButton>
      }
    >
      <Needing scope="read">
        <Accounts onOpen={setOpen} />
      </Needing>
      {open?.act === 'new' ? <AccountDialog onClose={close} /> : null}
      {open?.act === 'edit' ? <AccountDialog account={open.account} onClose={close} /> : null}
      {open?.act === 'delete' ? <DeleteAccount account={open.account} onClose={close} /> : null}
    </SettingsFrame>
  );
}

function Accounts({ onOpen }: { onOpen: (open: Open) => void }) {
  const list = useList('carriers', '/v1/telephony_providers', { enabled: useCan('read') });
  const columns: Column<Account>[] = [
    { name: 'Name', cell: ({ name }) => name, width: 'minmax(6rem, 1fr)' },
    {
      name: 'State',
      width: '8rem',
      cell: ({ ready, status_message: why }) => (
        <Status tone={ready ? 'ok' : 'bad'} {...(why && { title: why })}>
          {ready ? 'ready' : 'not ready'}
        </Status>
      ),
    },
    { name: 'Details', cell: ({ status_message }) => status_message ?? '–', isWide: 'very' },
    { name: 'Carrier', cell: ({ type }) => CARRIERS[type].name, isWide: 'very' },
    {
      name: 'Numbers',
      cell: ({ numbers }) =>
        numbers.map(({ number, agent }) => `${number} → ${agent}`).join(', ') || '–',
      width: 'minmax(0, 2fr)',
      isWide: true,
    },
    {
      name: 'Actions',
      width: '10rem',
      cell: (account) =>
        account.managed_by === 'api' ? (
          <span className="row">
            <ActButton needs="write" size="small" onClick={() => onOpen({ act: 'edit', account })}>
              Edit
            </ActButton>
            <ActButton
              needs="write"
              size="small"
              onClick={() => onOpen({ act: 'delete', account })}
            >
              Delete
            </ActButton>
          </span>
        ) : (
          <span className="muted">in a manifest</span>
        ),
    },
  ];
  return (
    <>
      <Table
        label="Carriers"
        list={list}
        columns={columns}
        empty={
          <p>
            No carrier is connected. Connect an account with Twilio, Telnyx or Plivo to answer its
            numbers with your agents and to place calls.
          </p>
        }
      />
      {list.rows.map((account) => (
        <AtTheCarrier key={account.id} account={account} />
      ))}
    </>
  );
}

/** Shows the addresses at which the carrier reaches Parley. Somebody must enter them at the carrier. */
function AtTheCarrier({ account }: { account: Account }) {
  const { name, type } = account;
  return (
    <details className="card" open>
      <summary>Addresses to enter at the carrier for {name}</summary>
      <div className="stack-small details-body">
        <p>
          Enter these addresses {CARRIERS[type].where}, both with the method POST. Then call a
          number: the call appears under <Link to="/calls">Calls</Link>.
        </p>
        {addressesOf(account, window.location.origin).map(([label, url]) => (
          <div key={label} className="stack-small">
            <span className="small muted">{label}</span>
            <Code text={url} label={label} wrap />
          </div>
        ))}
      </div>
    </details>
  );
}

function DeleteAccount({ account, onClose }: { account: Account; onClose: () => void }) {
  const { id, name, numbers } = account;
  const queryClient = useQueryClient();
  return (
    <Confirm
      title={`Delete ${name}`}
      isOpen
      onClose={onClose}
      action="Delete the account"
      act={async () => {
        await ok(parley.DELETE('/v1/telephony_providers/{id}', { params: { path: { id } } }));
        await queryClient.invalidateQueries({ queryKey: ['carriers'] });
      }}
    >
      <p>
        {numbers.length > 0
          ? `Agents will no longer answer calls to ${numbers.map(({ number }) => number).join(', ')}. `
          : ''}
        Parley deletes the stored token. This can’t be undone.
      </p>
    </Confirm>
  );
}
