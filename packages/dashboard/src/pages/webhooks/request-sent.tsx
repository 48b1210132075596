import { bodyOf, type StoredEvent } from '../../data/events.ts';
import type { Delivery, Endpoint } from '../../data/webhooks.ts';
import { Code } from '../../ui/code.tsx';
import { counted } from '../../ui/figure.tsx';

/**
 * Shows the request that each attempt sent (contract/deliveries.md#headers). The body is exactly what was sent. The URL
 * and the custom headers are the current ones, because attempts do not store them.
 */
export function RequestSent({
  delivery,
  event,
  endpoint,
}: {
  delivery: Delivery;
  event: StoredEvent | undefined;
  endpoint: Endpoint | undefined;
}) {
  const body = event && bodyOf(event);
  return (
    <section className="card stack-small" aria-labelledby="request">
      <h2 id="request">Request</h2>
      {endpoint ? (
        <>
          <p className="mono preserved">POST {endpoint.url}</p>
          <p className="muted small">
            The endpoint’s current URL. Earlier attempts may have used another URL.
          </p>
        </>
      ) : null}
      <details>
        <summary>Headers</summary>
        <dl className="facts headers">
          {headersOf(delivery, endpoint).map(([name, value]) => (
            <div key={name}>
              <dt className="mono">{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {body === undefined ? null : (
        <>
          <h3 className="small muted">
            Body, exactly as it is sent: {counted(new TextEncoder().encode(body).length, 'byte')}
          </h3>
          <Code text={body} label="Body" wrap />
        </>
      )}
    </section>
  );
}

function headersOf(
  { event_id: id, event_type: type, test }: Delivery,
  endpoint: Endpoint | undefined,
): [string, string][] {
  const rotation = endpoint?.secret_rotation;
  return [
    ...(endpoint?.header_names ?? []).map((name): [string, string] => [
      name.toLowerCase(),
      'custom header; its value is never shown',
    ]),
    ['content-type', 'application/json'],
    ['user-agent', 'parley/ followed by the version'],
    ['parley-event-id', id],
    ['parley-event-type', type],
    ['parley-delivery-attempt', 'the attempt number'],
    ['parley-signature', 'HMAC-SHA256 of the body, lower-case hex'],
    ...(rotation
      ? [
          ['parley-signature-next', 'the same signature, made with the other secret'] as [
            string,
            string,
          ],
        ]
      : []),
    ['webhook-id', id],
    ['webhook-timestamp', 'Unix time of the attempt in seconds'],
    ['webhook-signature', 'as defined by Standard Webhooks'],
    ...(test ? [['parley-test', 'true'] as [string, string]] : []),
  ];
}
