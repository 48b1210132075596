import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCan } from '../../data/me.ts';
import { isCode, ok, parley } from '../../data/parley.ts';
import {
  endpointKey,
  patchEndpoint,
  useEndpoint,
  type TaggedEndpoint,
} from '../../data/webhooks.ts';
import { Meanwhile } from '../../form/meanwhile.tsx';
import { sendBy, useEditForm } from '../../form/use-edit-form.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { EndpointFields, isShownAtField } from './endpoint-form.tsx';
import { patchOf, valuesOf, type EndpointValues } from './endpoint-values.ts';

/** Edits an endpoint. Shows concurrent changes before it overwrites them. */
export function EditEndpoint({ tagged, onClose }: { tagged: TaggedEndpoint; onClose: () => void }) {
  const { id } = tagged.endpoint;
  const now = useEndpoint(id).data ?? tagged;
  const edit = useEditForm(now, ({ endpoint }) => valuesOf(endpoint));
  const { base, before, mine, theirs } = edit;
  const patch = patchOf(before, mine);
  const mayMove = useCan('keys');
  const queryClient = useQueryClient();
  const toast = useToast();
  const saving = useMutation({
    mutationFn: () => patchEndpoint(base, patch ?? {}),
    onSuccess: (saved) => {
      queryClient.setQueryData(endpointKey(id), saved);
      toast({ text: 'Changed the endpoint' });
      onClose();
    },
    onError: (error) => {
      if (isCode(error, 'precondition_failed')) {
        void queryClient.invalidateQueries({ queryKey: endpointKey(id) });
      }
    },
  });
  const isStale = now.etag !== base.etag;
  const isShown = isShownAtField(saving.error) || isCode(saving.error, 'precondition_failed');
  return (
    <Dialog title="Edit the endpoint" isOpen onClose={onClose} isWide>
      <form className="stack" onSubmit={sendBy(edit.form, () => saving.mutate())}>
        {isStale ? (
          <Meanwhile
            labels={LABELS}
            textOf={textOf}
            before={before}
            mine={mine}
            theirs={theirs}
            onTake={(merged) => {
              edit.rebase(merged);
              saving.reset();
            }}
          >
            {(isNamed) => (
              <>
                <strong>
                  <WhoChanged id={id} /> changed this endpoint
                </strong>{' '}
                since you opened it
                {isNamed ? '' : '. The change is not shown here, for example the value of a header'}
                .
              </>
            )}
          </Meanwhile>
        ) : null}
        <EndpointFields
          form={{ ...edit.form, failure: saving.error }}
          urlHint={mayMove ? undefined : 'Changing the host needs a key with the scope keys.'}
        />
        {saving.error && !isShown ? <TroubleNote error={saving.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={saving.isPending}
            disabled={isStale || patch === undefined}
          >
            Save changes
          </Button>
        </DialogActions>
      </form>
    </Dialog>
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

/** Names the author from the audit log, if the session may read it. */
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
