import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '../../../data/parley.ts';
import { ActButton } from '../../../ui/button.tsx';
import { msText } from '../../../ui/time.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { isShownAtField } from './provider-form.tsx';
import './providers.css';

export type Tested = Schemas['ModelProviderTest'];

/**
 * Tests a provider with one real request. `subject` identifies the tested values. If they change, the result is hidden.
 */
export function useProviderTest(subject: string, send: () => Promise<Tested>) {
  const testing = useMutation({
    mutationFn: async () => ({ tested: await send(), subject }),
  });
  const isCurrent = testing.data?.subject === subject;
  return {
    run: () => testing.mutate(),
    isBusy: testing.isPending,
    error: testing.error,
    tested: isCurrent ? testing.data?.tested : undefined,
    /** Models that the last test listed, even if the values have changed since. */
    models: testing.data?.tested.models ?? [],
  };
}

export type ProviderTest = ReturnType<typeof useProviderTest>;

export function TestButton({ test }: { test: ProviderTest }) {
  return (
    <ActButton needs="write" isBusy={test.isBusy} onClick={test.run}>
      Test
    </ActButton>
  );
}

/** Shows the provider's response, or the cause of the failure and its remedy. */
export function TestResult({ test: { tested, error, isBusy } }: { test: ProviderTest }) {
  return (
    <div role="status">
      {isBusy ? <p className="muted">Sending a message to the model…</p> : null}
      {error && !isShownAtField(error) ? <TroubleNote error={error} /> : null}
      {tested && !isBusy ? <Result tested={tested} /> : null}
    </div>
  );
}

function Result({ tested }: { tested: Tested }) {
  const { ok: isOk, error } = tested;
  return (
    <div className={`provider-result provider-result-${isOk ? 'ok' : 'bad'} stack-small`}>
      {error ? (
        <>
          <p>
            <strong>The test failed.</strong> {error.message}
          </p>
          {CURES[error.code] ? <p className="small">{CURES[error.code]}</p> : null}
        </>
      ) : (
        <Answer tested={tested} />
      )}
      <Models tested={tested} />
    </div>
  );
}

function Answer({ tested }: { tested: Tested }) {
  const { checked, model, text, latency_ms: ms, first_token_ms: first } = tested;
  if (checked === 'models') {
    return (
      <p>
        <strong>The provider accepts the key.</strong> It responded in {msText(ms)}. Set a default
        model and test again to get a reply from the model.
      </p>
    );
  }
  return (
    <p>
      <strong>It works.</strong> {model} replied “{text}” in {msText(ms)}
      {first === null ? '' : `, its first word after ${msText(first)}`}.
    </p>
  );
}

const SHOWN_MAX = 8;

function Models({ tested: { models } }: { tested: Tested }) {
  if (models === null || models.length === 0) return null;
  const more = models.length - SHOWN_MAX;
  return (
    <p className="small muted">
      Models: {models.slice(0, SHOWN_MAX).join(', ')}
      {more > 0 ? ` and ${more} more, which you can choose under Default model` : ''}.
    </p>
  );
}

/** Remedies by error code, shown in addition to the error message. */
const CURES: Partial<Record<NonNullable<Tested['error']>['code'], string>> = {
  model_unauthorized:
    'Paste the complete key again, without spaces. Check with the provider that the key is active.',
  model_unreachable:
    'Check the base URL. A private address, such as Ollama on this machine, must be allowed in Parley’s setting PARLEY_EGRESS_ALLOW.',
};
