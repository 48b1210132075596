import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parley } from '../../data/parley.ts';
import {
  endpointKey,
  tagged as withTag,
  withoutSecret,
  type TaggedEndpoint,
} from '../../data/webhooks.ts';
import { ActButton, Button, ButtonLink } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Time, Until, useNowSec } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { SecretOnce } from './secret-once.tsx';

type Rotation = NonNullable<TaggedEndpoint['endpoint']['secret_rotation']>;
type Step = { overlap_sec?: number; activate?: true; cancel?: true };

/** Rotates the signing secret in two steps. Between them, somebody adds the new secret to the receiver. */
export function SecretRotation({ tagged }: { tagged: TaggedEndpoint }) {
  const [isAsking, setIsAsking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const step = useStep(tagged);
  const rotation = tagged.endpoint.secret_rotation;
  return (
    <section className="card stack-small" aria-labelledby="rotation">
      <header className="spread">
        <h2 id="rotation">Secret</h2>
        {rotation ? null : (
          <ActButton needs="write" onClick={() => setIsAsking(true)}>
            Rotate the secret
          </ActButton>
        )}
      </header>
      {secret === null ? null : <SecretOnce secret={secret} />}
      {rotation ? (
        <Running rotation={rotation} step={step} onCanceled={() => setSecret(null)} />
      ) : (
        <p className="muted">
          One secret signs every request, in <code>parley-signature</code>.
        </p>
      )}
      <div>
        <ButtonLink to={`/webhooks/${tagged.endpoint.id}/signature`} size="small">
          Check a signature
        </ButtonLink>
      </div>
      {step.error && !isAsking ? <TroubleNote error={step.error} /> : null}
      {isAsking ? (
        <Begin
          step={step}
          onClose={() => setIsAsking(false)}
          onMade={(made) => {
            setSecret(made);
            setIsAsking(false);
          }}
        />
      ) : null}
    </section>
  );
}

function useStep({ endpoint: { id }, etag }: TaggedEndpoint) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Step) => {
      const params = { path: { id }, header: { 'If-Match': etag } };
      return withTag(parley.POST('/v1/webhooks/{id}/rotate_secret', { params, body }));
    },
    onSuccess: (made) => queryClient.setQueryData(endpointKey(id), withoutSecret(made)),
    onError: () => void queryClient.invalidateQueries({ queryKey: endpointKey(id) }),
  });
}

type Stepping = ReturnType<typeof useStep>;

const OVERLAPS = [
  { value: 3_600, name: '1 hour' },
  { value: 86_400, name: '1 day' },
  { value: 604_800, name: '7 days' },
  { value: 0, name: 'none (the old secret leaked)' },
];

/** The first step: creates a new secret and shows it. */
function Begin({
  step,
  onClose,
  onMade,
}: {
  step: Stepping;
  onClose: () => void;
  onMade: (secret: string) => void;
}) {
  const [overlap, setOverlap] = useState(86_400);
  const begin = (): void =>
    step.mutate(
      { overlap_sec: overlap },
      { onSuccess: ({ endpoint }) => endpoint.secret && onMade(endpoint.secret) },
    );
  return (
    <Dialog title="Rotate the secret" isOpen onClose={onClose}>
      <ol className="steps">
        <li>
          Parley creates a new secret and shows it once. The current one keeps signing requests.
        </li>
        <li>
          Add the new secret to the receiver, so that it accepts both. Each request carries a second
          signature, <code>parley-signature-next</code>, made with the other secret.
        </li>
        <li>
          The new secret starts signing requests when the time to update the receiver ends, or
          earlier if you activate it. The old one then stays valid for the same length of time.
        </li>
      </ol>
      <Field label="Time to update the receiver">
        {(control) => (
          <select
            {...control}
            value={overlap}
            onChange={({ target }) => setOverlap(Number(target.value))}
          >
            {OVERLAPS.map(({ value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {overlap === 0 ? (
        <p className="told told-bad">
          The new secret signs requests immediately. The receiver rejects all deliveries until you
          add the new secret there.
        </p>
      ) : null}
      {step.error ? <TroubleNote error={step.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={step.isPending} onClick={begin}>
          {overlap === 0 ? 'Replace the secret now' : 'Create a new secret'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/**
 * Shows a rotation in progress: which of the two secrets signs which header, and until when. Offers the second step.
 */
function Running({
  rotation,
  step,
  onCanceled,
}: {
  rotation: Rotation;
  step: Stepping;
  onCanceled: () => void;
}) {
  const [isCanceling, setIsCanceling] = useState(false);
  const toast = useToast();
  const isSwapped = useNowSec() >= rotation.activates_at;
  return (
    <div className="stack-small" role="group" aria-label="Rotation">
      <dl className="facts">
        <dt className="mono">parley-signature</dt>
        <dd>{isSwapped ? 'made with the new secret' : 'made with the current secret'}</dd>
        <dt className="mono">parley-signature-next</dt>
        <dd>{isSwapped ? 'made with the old secret' : 'made with the new secret'}</dd>
        <dt className="mono">webhook-signature</dt>
        <dd>both, separated by a space</dd>
        <dt>{isSwapped ? 'The old secret expires in' : 'The new secret takes over in'}</dt>
        <dd>
          <strong>
            <Until at={isSwapped ? rotation.ends_at : rotation.activates_at} />
          </strong>{' '}
          {isSwapped ? null : (
            <span className="muted">
              · the old one expires <Time at={rotation.ends_at} />
            </span>
          )}
        </dd>
      </dl>
      {isSwapped ? (
        <p className="muted">
          The new secret now signs requests. You can remove the old one from the receiver.
        </p>
      ) : (
        <div className="row">
          <ActButton
            needs="write"
            kind="primary"
            isBusy={step.isPending && step.variables.activate === true}
            onClick={() =>
              step.mutate(
                { activate: true },
                { onSuccess: () => toast({ text: 'The new secret now signs requests' }) },
              )
            }
          >
            Activate the new secret now
          </ActButton>
          <ActButton needs="write" onClick={() => setIsCanceling(true)}>
            Cancel the rotation
          </ActButton>
        </div>
      )}
      <Confirm
        title="Cancel the rotation?"
        isOpen={isCanceling}
        onClose={() => setIsCanceling(false)}
        action="Discard the new secret"
        act={async () => {
          await step.mutateAsync({ cancel: true });
          onCanceled();
          toast({ text: 'Discarded the new secret' });
        }}
      >
        <p>
          This discards the new secret and can’t be undone. The current one keeps signing requests.
        </p>
      </Confirm>
    </div>
  );
}
