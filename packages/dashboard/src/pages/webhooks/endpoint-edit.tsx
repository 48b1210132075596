import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCan } from '../../data/me.ts';
import { isCode, ok, parley } from '../../data/parley.ts';
import {
  endpointKey,
  patchEndpoint,
  useEndpoint,
  type TaggedEndpoint,
} from '../../data/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import {
  draftOf,
  EndpointFields,
  isSame,
  isShownAtField,
  patchOf,
  type EndpointDraft,
} from './endpoint-form.tsx';

/** Edits an endpoint. Shows concurrent changes before it overwrites them. */
export function EditEndpoint({ tagged, onClose }: { tagged: TaggedEndpoint; onClose: () => void }) {
  const [base, setBase] = useState(tagged);
  const before = draftOf(base.endpoint);
  const [draft, setDraft] = useState(before);
  const now = useEndpoint(tagged.endpoint.id).data ?? tagged;
  const mayMove = useCan('keys');
  const queryClient = useQueryClient();
  const toast = useToast();
  const saving = useMutation({
    mutationFn: () => patchEndpoint(base, patchOf(draft, before)),
    onSuccess: (saved) => {
      queryClient.setQueryData(endpointKey(tagged.endpoint.id), saved);
      toast({ text: 'Changed the endpoint' });
      onClose();
    },
    onError: (error) => {
      if (isCode(error, 'precondition_failed')) {
        void queryClient.invalidateQueries({ queryKey: endpointKey(tagged.endpoint.id) });
      }
    },
  });
  const isStale = now.etag !== base.etag;
  const take = (next: EndpointDraft): void => {
    setBase(now);
    setDraft(next);
    saving.reset();
  };
  const isShown = isShownAtField(saving.error) || isCode(saving.error, 'precondition_failed');
  return (
    <Dialog title="Edit the endpoint" isOpen onClose={onClose} isWide>
      <form
        className="stack"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          saving.mutate();
        }}
      >
        {isStale ? (
          <Meanwhile
            id={tagged.endpoint.id}
            mine={draft}
            before={before}
            theirs={draftOf(now.endpoint)}
            onTake={take}
          />
        ) : null}
        <EndpointFields
          draft={draft}
          onChange={setDraft}
          error={saving.error}
          urlHint={mayMove ? undefined : 'Changing the host needs a key with the scope keys.'}
        />
        {saving.error && !isShown ? <TroubleNote error={saving.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={saving.isPending}
            disabled={isStale || isSame(patchOf(draft, before), {})}
          >
            Save changes
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const FIELDS = {
  url: 'URL',
  description: 'Description',
  event_types: 'Events',
  headers: 'Headers',
};
type Name = keyof typeof FIELDS;

/** Shows who changed what since the form opened, and asks whose changes to keep. */
function Meanwhile({
  id,
  mine,
  before,
  theirs,
  onTake,
}: {
  id: string;
  mine: EndpointDraft;
  before: EndpointDraft;
  theirs: EndpointDraft;
  onTake: (next: EndpointDraft) => void;
}) {
  const names = Object.keys(FIELDS) as Name[];
  const changed = names.filter((name) => !isSame(before[name], theirs[name]));
  const touched = names.filter((name) => !isSame(before[name], mine[name]));
  /** This person's changes on top of the other person's. */
  const merged = { ...theirs, ...Object.fromEntries(touched.map((name) => [name, mine[name]])) };
  return (
    <div className="told told-warn stack-small" role="alert">
      <p>
        <strong>
          <WhoChanged id={id} /> changed this endpoint
        </strong>{' '}
        since you opened it
        {changed.length === 0 ? ': something that is not shown, such as the value of a header' : ''}
        .
      </p>
      <dl className="facts">
        {changed.map((name) => (
          <div key={name} className="fact">
            <dt>{FIELDS[name]}</dt>
            <dd>
              <del>{shown(before, name)}</del> → <ins>{shown(theirs, name)}</ins>
              {touched.includes(name) ? (
                <span className="muted"> · yours: {shown(mine, name)}</span>
              ) : null}
            </dd>
          </div>
        ))}
      </dl>
      <div className="row">
        <Button size="small" onClick={() => onTake(theirs)}>
          Take theirs
        </Button>
        <Button size="small" onClick={() => onTake(merged)}>
          Keep mine
        </Button>
      </div>
    </div>
  );
}

function shown(draft: EndpointDraft, name: Name): string {
  if (name === 'headers') return draft.headers.map((one) => one.name).join(', ') || 'none';
  if (name === 'event_types') return draft.event_types?.join(', ') ?? 'all';
  return draft[name] || 'none';
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
