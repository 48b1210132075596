import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { parley, type BodyOf } from '../../data/parley.ts';
import { endpointKey, tagged, withoutSecret } from '../../data/webhooks.ts';
import { sendBy } from '../../form/use-edit-form.ts';
import { ActButton, ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { EndpointFields, isShownAtField } from './endpoint-form.tsx';
import { patchOf, valuesOf, type EndpointValues } from './endpoint-values.ts';
import { SecretOnce } from './secret-once.tsx';
import { TestEvent } from './test-event.tsx';
import { hostOf } from './states.tsx';
import './webhooks.css';

const NOTHING = valuesOf({});
const BACK = { to: '/webhooks', name: 'Webhooks' };

/** Adds an endpoint, then shows its secret and a test on the same page. */
export function NewEndpointPage() {
  const form = useForm<EndpointValues>({ defaultValues: NOTHING });
  const queryClient = useQueryClient();
  const toast = useToast();
  const adding = useMutation({
    mutationFn: createEndpoint,
    onSuccess: (made) => {
      const { endpoint } = made;
      queryClient.setQueryData(endpointKey(endpoint.id), withoutSecret(made));
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      toast({ text: `Added ${hostOf(endpoint.url)}` });
    },
  });
  if (adding.data) return <Added endpoint={adding.data.endpoint} />;
  return (
    <Page title="Add an endpoint" back={BACK}>
      <form className="card stack form" onSubmit={sendBy(form, (values) => adding.mutate(values))}>
        <EndpointFields form={{ ...form, failure: adding.error }} />
        {adding.error && !isShownAtField(adding.error) ? (
          <TroubleNote error={adding.error} />
        ) : null}
        <div>
          <ActButton needs="write" kind="primary" type="submit" isBusy={adding.isPending}>
            Add endpoint
          </ActButton>
        </div>
      </form>
    </Page>
  );
}

type Created = Awaited<ReturnType<typeof createEndpoint>>['endpoint'];

function createEndpoint(values: EndpointValues) {
  // A patch contains null only for a removed value. `NOTHING` has no values to remove, so this patch contains no null
  // and is a valid body.
  const body = { url: '', ...patchOf(NOTHING, values) } as BodyOf<'/v1/webhooks', 'post'>;
  return tagged(parley.POST('/v1/webhooks', { body }));
}

function Added({ endpoint }: { endpoint: Created }) {
  return (
    <Page
      title="Endpoint added"
      heading={`Added ${hostOf(endpoint.url)}`}
      back={BACK}
      actions={<ButtonLink to={`/webhooks/${endpoint.id}`}>Go to the endpoint</ButtonLink>}
    >
      {endpoint.ready ? null : (
        <p className="told told-warn">
          The endpoint is saved but not active yet: {endpoint.status_message}
        </p>
      )}
      <SecretOnce secret={endpoint.secret} />
      <TestEvent endpoint={endpoint} />
      <p>
        Next, make the receiver check signatures:{' '}
        <ButtonLink to={`/webhooks/${endpoint.id}/signature`} size="small">
          Check a signature
        </ButtonLink>
      </p>
    </Page>
  );
}
