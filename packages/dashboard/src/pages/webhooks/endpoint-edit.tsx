import { useQuery } from '@tanstack/react-query';
import { useCan } from '../../data/me.ts';
import { ok, parley } from '../../data/parley.ts';
import {
  endpointKey,
  patchEndpoint,
  useEndpoint,
  type TaggedEndpoint,
} from '../../data/webhooks.ts';
import { EditDialog } from '../../form/edit-dialog.tsx';
import { useEditForm } from '../../form/use-edit-form.ts';
import { EndpointFields, isShownAtField } from './endpoint-form.tsx';
import { patchOf, valuesOf, type EndpointValues } from './endpoint-values.ts';

export function EditEndpoint({ tagged, onClose }: { tagged: TaggedEndpoint; onClose: () => void }) {
  const { id } = tagged.endpoint;
  const now = useEndpoint(id).data ?? tagged;
  const edit = useEditForm(now, ({ endpoint }) => valuesOf(endpoint));
  const mayMove = useCan('keys');
  return (
    <EditDialog
      title="Edit the endpoint"
      {...{ edit, now, onClose }}
      patch={patchOf(edit.before, edit.mine)}
      save={patchEndpoint}
      queryKey={endpointKey(id)}
      done="Changed the endpoint"
      isAtField={isShownAtField}
      labels={LABELS}
      textOf={textOf}
      whoChanged={
        <>
          <WhoChanged id={id} /> changed this endpoint
        </>
      }
      unseen="the value of a header"
    >
      {(failure) => (
        <EndpointFields
          form={{ ...edit.form, failure }}
          urlHint={
            mayMove ? undefined : 'To change the host, you need an API key with the “keys” scope.'
          }
        />
      )}
    </EditDialog>
  );
}

const LABELS = {
  url: 'URL',
  description: 'Description',
  event_types: 'Events',
  headers: 'Headers',
};

function textOf(value: unknown, path: string): string {
  if (path === 'event_types') return (value as EndpointValues['event_types'])?.join(', ') ?? 'all';
  if (path !== 'headers') return String(value);
  return (value as EndpointValues['headers']).map(({ name }) => name).join(', ');
}

/** Names the author of the other change, as recorded in the audit log, if the session may read the log. */
function WhoChanged({ id }: { id: string }) {
  const mayAsk = useCan('keys');
  const line = useQuery({
    queryKey: ['audit', 'last', id],
    enabled: mayAsk,
    queryFn: async ({ signal }) => {
      const query = { target: id, limit: 1 };
      return ok(parley.GET('/v1/audit_log', { params: { query }, signal }));
    },
  });
  const last = line.data?.data[0];
  if (!last) return 'Somebody';
  return last.actor;
}
