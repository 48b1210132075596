import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Status } from '../../../ui/status.tsx';
import { checkSignature, type Given } from './check-signature.ts';

const EMPTY: Required<Given> = { body: '', signature: '', secret: '', id: '', timestamp: '' };

/** Finds out why a signature does not match. It runs only in the browser. */
export function SignatureChecker() {
  const [given, setGiven] = useState(EMPTY);
  const checking = useMutation({ mutationFn: checkSignature });
  const set = (changed: Partial<Given>): void => {
    setGiven({ ...given, ...changed });
    checking.reset();
  };
  const isStandard = given.signature.includes('v1,');
  return (
    <section className="card stack-small" aria-labelledby="checker">
      <h2 id="checker">Why does my signature not match?</h2>
      <p className="muted small">
        Paste what the receiver got. The check runs in this page and sends nothing.
      </p>
      <form
        className="stack-small"
        autoComplete="off"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          checking.mutate(given);
        }}
      >
        <Field label="Raw body">
          {(control) => (
            <textarea
              {...control}
              className="mono"
              spellCheck={false}
              value={given.body}
              onChange={({ target }) => set({ body: target.value })}
            />
          )}
        </Field>
        <TextField
          label="parley-signature or webhook-signature"
          value={given.signature}
          onChange={(signature) => set({ signature })}
        />
        {isStandard ? (
          <>
            <TextField label="webhook-id" value={given.id} onChange={(id) => set({ id })} />
            <TextField
              label="webhook-timestamp"
              value={given.timestamp}
              onChange={(timestamp) => set({ timestamp })}
            />
          </>
        ) : null}
        <TextField
          label="Secret"
          placeholder="whsec_…"
          value={given.secret}
          onChange={(secret) => set({ secret })}
        />
        <div className="row">
          <Button type="submit" kind="primary" isBusy={checking.isPending}>
            Check the signature
          </Button>
        </div>
      </form>
      <div role="status">
        {checking.data ? (
          <p>
            <Status tone={checking.data.isValid ? 'ok' : 'bad'}>
              {checking.data.isValid ? 'valid' : 'not valid'}
            </Status>{' '}
            {checking.data.says}
          </p>
        ) : null}
      </div>
    </section>
  );
}

function TextField({
  label,
  value,
  placeholder,
  onChange,
}: {
  label: string;
  value: string;
  placeholder?: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          className="mono"
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
