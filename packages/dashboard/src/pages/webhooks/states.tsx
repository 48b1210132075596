import { useQuery } from '@tanstack/react-query';
import { ok, parley } from '../../data/parley.ts';
import { healthText, type Attempt, type Delivery, type Endpoint } from '../../data/webhooks.ts';
import { Status, type Tone } from '../../ui/status.tsx';
import { Until, useNowSec, Waiting } from '../../ui/time.tsx';

const OF_ENDPOINT = {
  healthy: 'ok',
  failing: 'bad',
  disabled: 'muted',
  not_ready: 'warn',
} as const satisfies Record<Endpoint['status'], Tone>;

export function EndpointStatus({ endpoint }: { endpoint: Endpoint }) {
  const { status } = endpoint;
  return (
    <Status tone={OF_ENDPOINT[status]} title={healthText(endpoint)}>
      {status.replace('_', ' ')}
    </Status>
  );
}

const OF_DELIVERY = {
  pending: 'info',
  retrying: 'warn',
  delivered: 'ok',
  failed: 'bad',
  canceled: 'muted',
} as const satisfies Record<Delivery['status'], Tone>;

export const DELIVERY_STATUSES = Object.keys(OF_DELIVERY) as Delivery['status'][];

export function DeliveryStatus({ delivery }: { delivery: Delivery }) {
  const isInFlight = delivery.in_flight_since !== null;
  return (
    <Status tone={isInFlight ? 'info' : OF_DELIVERY[delivery.status]}>
      {isInFlight ? 'in flight' : delivery.status}
    </Status>
  );
}

export function TestMark() {
  return (
    <Status tone="info" title="A test event, with the header parley-test: true">
      test
    </Status>
  );
}

/** Summarizes an attempt in a word: `200`, `503` or `timeout`. */
export function answerOf({ status_code: code, error_class: errorClass }: Attempt): string {
  if (code !== null) return String(code);
  return errorClass === null ? 'no response' : errorClass.replace('_', ' ');
}

/** Returns the host of a URL, or the whole text if it is not a URL. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** Returns host and path, to distinguish endpoints on one host. Omits the query, which may contain a key. */
export function shortUrl(url: string): string {
  const { host = url, pathname = '' } = URL.parse(url) ?? {};
  return pathname === '/' ? host : host + pathname;
}

/**
 * An attempt counts as overdue this many seconds after its scheduled time. Before that, it is shown as “due in a
 * moment”.
 */
const LATE_SEC = 3;
const REFRESH_MS = 5_000;

/** Shows the time until the next attempt, or for how long the attempt has been overdue. `at` is in Unix seconds. */
export function NextAttempt({ at }: { at: number }) {
  return useIsLate(at) ? (
    <>
      overdue for <Waiting at={at} />
    </>
  ) : (
    <>
      due in <Until at={at} over="a moment" />
    </>
  );
}

function useIsLate(at: number): boolean {
  return useNowSec() - at >= LATE_SEC;
}

/** Explains why the next attempt has not started even though it is due. Shows nothing until the attempt is overdue. */
export function WhyLate({ delivery, at }: { delivery: Delivery; at: number }) {
  const isLate = useIsLate(at);
  const { id, event_id: eventId, endpoint_id: endpointId } = delivery;
  const why = useQuery({
    queryKey: ['deliveries', 'why', eventId, endpointId],
    enabled: isLate,
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) =>
      ok(
        parley.GET('/v1/events/{id}/explanation', {
          params: { path: { id: eventId }, query: { endpoint_id: endpointId } },
          signal,
        }),
      ),
  });
  if (!isLate || why.data?.delivery_id !== id) return null;
  return <p className="small">{why.data.detail}</p>;
}
