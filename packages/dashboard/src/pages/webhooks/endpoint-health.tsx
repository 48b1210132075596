import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { healthText, type Endpoint } from '../../data/webhooks.ts';
import { count, counted, Figure, Figures } from '../../ui/figure.tsx';
import { Time } from '../../ui/time.tsx';

/** Highest number of unfinished deliveries that the API reports. There may be more. */
const UNFINISHED_MAX = 10_000;

/** Shows the health of an endpoint in a sentence and in numbers. */
export function EndpointHealth({ endpoint }: { endpoint: Endpoint }) {
  const { status, unfinished_deliveries: unfinished } = endpoint;
  const isFailing = status === 'failing';
  return (
    <section className="stack-small" aria-label="Health">
      <p className={isFailing ? 'told told-bad' : 'told'}>{healthText(endpoint)}</p>
      <Figures>
        <Figure
          name="Failing since"
          value={<Time at={endpoint.failing_since} never="not failing" />}
          note={
            endpoint.failed_attempts > 0
              ? `${counted(endpoint.failed_attempts, 'attempt')} failed`
              : ''
          }
        />
        <Figure
          name="Last success"
          value={<Time at={endpoint.last_success_at} never="none yet" />}
        />
        <Figure
          name="Last failure"
          value={<Time at={endpoint.last_failure?.at} never="none yet" />}
          note={<LastFailure endpoint={endpoint} />}
        />
        <Figure
          name="Pending deliveries"
          value={unfinished === UNFINISHED_MAX ? `${count(unfinished)} or more` : count(unfinished)}
          note={
            <Link to="/webhooks/deliveries" search={waitingOf(endpoint.id)}>
              view retrying deliveries
            </Link>
          }
        />
      </Figures>
    </section>
  );
}

function waitingOf(id: string): Record<string, string> {
  return { endpoint_id: id, status: 'retrying', test: 'true' };
}

function LastFailure({ endpoint: { last_failure: failure } }: { endpoint: Endpoint }): ReactNode {
  if (!failure) return null;
  const { status_code: code, error_class: errorClass, delivery_id: id } = failure;
  const answer = code ?? errorClass?.replace('_', ' ') ?? 'no response';
  return (
    <>
      {answer}, <Link to={`/webhooks/deliveries/${id}`}>view delivery</Link>
    </>
  );
}
