import type { Attempt, Delivery, Endpoint } from '../../data/webhooks.ts';
import { Status, type Tone } from '../../ui/status.tsx';

const OF_ENDPOINT = {
  healthy: 'ok',
  failing: 'bad',
  disabled: 'muted',
  not_ready: 'warn',
} as const satisfies Record<Endpoint['status'], Tone>;

export function EndpointStatus({ endpoint }: { endpoint: Endpoint }) {
  const { status, status_message: message } = endpoint;
  return (
    <Status tone={OF_ENDPOINT[status]} {...(message !== null && { title: message })}>
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
