import { useId, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ok, parley } from '../../../data/parley.ts';
import { useEndpoint } from '../../../data/webhooks.ts';
import { Code } from '../../../ui/code.tsx';
import { Needing } from '../../../ui/needing.tsx';
import { Page } from '../../../ui/page.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { hostOf } from '../states.tsx';
import { SignatureChecker } from './signature-checker.tsx';
import { SNIPPETS, type Language } from './snippets.ts';
import '../webhooks.css';

/** Explains how a receiver verifies that a request comes from Parley. */
export function SignaturePage() {
  const { endpointId } = useParams({ strict: false }) as { endpointId: string };
  const found = useEndpoint(endpointId).data;
  const host = found ? hostOf(found.endpoint.url) : 'the endpoint';
  return (
    <Page
      title={`Check a signature of ${host}`}
      heading="Check a signature"
      back={{ to: `/webhooks/${endpointId}`, name: host }}
    >
      <p>
        Every request carries <code>parley-signature</code>: the HMAC-SHA256 of its raw body, keyed
        with the endpoint’s secret, in lowercase hex. A receiver computes the same HMAC and compares
        the two.
      </p>
      <Needing scope="write">
        <Needing scope="keys">
          <Receiving endpointId={endpointId} />
        </Needing>
      </Needing>
      <SignatureChecker />
    </Page>
  );
}

type Shown = {
  body: string;
  signature: string;
  /** Headers of Standard Webhooks. */
  standard: Record<string, string>;
};

/** Returns the request of a sample test event, signed with the current time. Nothing is sent. */
async function readExample(id: string, signal: AbortSignal): Promise<Shown> {
  const params = { path: { id } };
  const shown = await ok(
    parley.POST('/v1/webhooks/{id}/test', { params, body: { dry_run: true }, signal }),
  );
  // With `dry_run`, the API returns the request instead of sending it.
  if (!('headers' in shown)) throw new Error('a test event was sent instead of shown');
  const { body, headers } = shown;
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return {
    body,
    signature: headers['parley-signature'] ?? '',
    standard: Object.fromEntries(names.map((name) => [name, headers[name] ?? ''])),
  };
}

/** Shows code for the receiver, with an example that is signed with the endpoint's own secret. */
function Receiving({ endpointId }: { endpointId: string }) {
  const example = useQuery({
    // The query key does not begin with a topic, so the event stream never replaces the example while somebody is
    // comparing with it.
    queryKey: ['signature-example', endpointId],
    staleTime: Infinity,
    queryFn: ({ signal }) => readExample(endpointId, signal),
  });
  const [language, setLanguage] = useState<Language>('Node');
  const name = useId();
  if (example.error) {
    return <TroubleNote error={example.error} onRetry={() => void example.refetch()} />;
  }
  if (!example.data) return <p className="muted">Creating an example…</p>;
  const { body, signature, standard } = example.data;
  return (
    <>
      <section className="stack-small" aria-labelledby="code">
        <h2 id="code">Receiver code</h2>
        <fieldset className="languages">
          <legend className="unseen">Language</legend>
          {(Object.keys(SNIPPETS) as Language[]).map((one) => (
            <label key={one} className="check">
              <input
                type="radio"
                name={name}
                checked={language === one}
                onChange={() => setLanguage(one)}
              />
              {one}
            </label>
          ))}
        </fieldset>
        <Code text={SNIPPETS[language]({ body, signature })} label={`Code for ${language}`} />
        <p className="muted small">
          Run it with the secret in <code>PARLEY_WEBHOOK_SECRET</code>: it prints “valid”.
        </p>
      </section>
      <section className="stack-small" aria-labelledby="example">
        <h2 id="example">Example</h2>
        <p className="muted small">
          Created just now with this endpoint’s secret. Nothing was sent.
        </p>
        <Code text={body} label="Example body" wrap />
        <dl className="facts headers">
          {Object.entries({ 'parley-signature': signature, ...standard }).map(([header, value]) => (
            <div key={header} className="fact">
              <dt className="mono">{header}</dt>
              <dd className="mono">{value}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}
