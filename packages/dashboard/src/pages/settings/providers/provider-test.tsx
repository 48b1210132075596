import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '../../../data/parley.ts';
import { ActButton } from '../../../ui/button.tsx';
import { msText } from '../../../ui/time.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { isShownAtField } from './provider-form.tsx';
import './providers.css';

export type Tested = Schemas['ModelProviderTest'];

/**
 * Tests a provider by one real request. `subject` identifies the tested values: the result of other values is hidden.
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
    /** Models that the last test listed, whatever changed since. */
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

/** Shows what the provider answered, or the cause and the cure. */
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
        <strong>The provider accepts the key.</strong> It answered in {msText(ms)}. Set a default
        model and test again to get an answer of the model.
      </p>
    );
  }
  return (
    <p>
      <strong>It works.</strong> {model} answered “{text}” in {msText(ms)}
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
      {more > 0 ? ` and ${more} more, which the field Default model offers` : ''}.
    </p>
  );
}

/** What to do here about an error, in addition to its message. */
const CURES: Partial<Record<NonNullable<Tested['error']>['code'], string>> = {
  model_unauthorized:
    'Paste the key again, whole and without spaces. Check at the provider that it is active.',
  model_unreachable:
    'Check the base URL. A private address, such as Ollama on this machine, must be listed in the setting PARLEY_EGRESS_ALLOW of Parley.',
};
