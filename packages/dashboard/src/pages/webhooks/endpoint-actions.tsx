import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { troubleOf } from '../../data/parley.ts';
import {
  deleteEndpoint,
  endpointKey,
  patchEndpoint,
  type Endpoint,
  type TaggedEndpoint,
} from '../../data/webhooks.ts';
import { ActButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { count } from '../../ui/figure.tsx';
import { lastFilters } from '../../data/last-filters.ts';
import { useToast } from '../../ui/toast.tsx';
import { EditEndpoint } from './endpoint-edit.tsx';
import { hostOf } from './states.tsx';

/** Buttons for the actions on an endpoint that is managed by the API. */
export function EndpointActions({ tagged }: { tagged: TaggedEndpoint }) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const close = (): void => setOpen(null);
  if (tagged.endpoint.managed_by !== 'api') return null;
  return (
    <>
      <ActButton needs="write" onClick={() => setOpen('edit')}>
        Edit
      </ActButton>
      <Switch tagged={tagged} />
      <ActButton needs="write" onClick={() => setOpen('delete')}>
        Delete
      </ActButton>
      {open === 'edit' ? <EditEndpoint tagged={tagged} onClose={close} /> : null}
      <Delete tagged={tagged} isOpen={open === 'delete'} onClose={close} />
    </>
  );
}

/** Disables or enables an endpoint. A replay can send the events that it missed while it was disabled. */
function Switch({ tagged }: { tagged: TaggedEndpoint }) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const { endpoint } = tagged;
  const switching = useMutation({
    mutationFn: (at: TaggedEndpoint) => patchEndpoint(at, { enabled: !at.endpoint.enabled }),
    onSuccess: (changed) => {
      queryClient.setQueryData(endpointKey(endpoint.id), changed);
      toast({
        text: `${changed.endpoint.enabled ? 'Enabled' : 'Disabled'} ${hostOf(endpoint.url)}`,
        undo: () => switching.mutate(changed),
      });
    },
    onError: (error) => {
      toast({ text: troubleOf(error).detail, tone: 'bad' });
      void queryClient.invalidateQueries({ queryKey: endpointKey(endpoint.id) });
    },
  });
  return (
    <ActButton needs="write" isBusy={switching.isPending} onClick={() => switching.mutate(tagged)}>
      {endpoint.enabled ? 'Disable' : 'Enable'}
    </ActButton>
  );
}

function Delete({
  tagged,
  isOpen,
  onClose,
}: {
  tagged: TaggedEndpoint;
  isOpen: boolean;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const { endpoint } = tagged;
  const host = hostOf(endpoint.url);
  const unfinished = endpoint.unfinished_deliveries ?? 0;
  return (
    <Confirm
      title={`Delete ${host}?`}
      isOpen={isOpen}
      onClose={onClose}
      action="Delete endpoint"
      typed={host}
      act={async () => {
        await deleteEndpoint(tagged);
        toast({ text: `Deleted ${host}` });
        await navigate({ to: '/webhooks', search: lastFilters('/webhooks') });
        void queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      }}
    >
      <p>
        Parley stops sending events to this endpoint and deletes its secret. Its deliveries stay
        readable. This can’t be undone.
      </p>
      {unfinished > 0 ? (
        <p>
          Pending deliveries that will be canceled: <strong>{count(unfinished)}</strong>
        </p>
      ) : null}
    </Confirm>
  );
}

/** Explains where an endpoint that is managed elsewhere can be changed. */
export function ManagedNote({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.managed_by === 'api') return null;
  return (
    <p className="told told-info">
      {endpoint.managed_by === 'kubernetes' ? (
        <>
          Declared in Kubernetes. Change its manifest, or run{' '}
          <code>kubectl edit webhookendpoint {endpoint.name}</code>.
        </>
      ) : (
        <>
          Declared as <code>{endpoint.name}</code> by a file in the manifests folder (
          <code>PARLEY_MANIFESTS</code>). Change that file.
        </>
      )}{' '}
      You can view and test it here, and replay events to it.
    </p>
  );
}
