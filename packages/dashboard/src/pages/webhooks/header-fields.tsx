import { useId } from 'react';
import { useFieldArray } from 'react-hook-form';
import { fieldError } from '../../data/parley.ts';
import { Button } from '../../ui/button.tsx';
import type { EndpointFormProps } from './endpoint-values.ts';

/** The custom headers that every delivery carries. */
export function HeaderFields({ form }: EndpointFormProps) {
  const headers = useFieldArray({ control: form.control, name: 'headers' });
  const error = fieldError(form.failure, '/headers');
  return (
    <fieldset className="picker">
      <legend>Headers</legend>
      <p className="muted small">
        Sent with every delivery, for example a key for your gateway. Values are encrypted and never
        shown again.
      </p>
      {headers.fields.map(({ id, isStored }, at) => (
        <HeaderRow
          key={id}
          form={form}
          at={at}
          isStored={isStored}
          onRemove={() => headers.remove(at)}
        />
      ))}
      {error ? <p className="problem small">{error}</p> : null}
      <div>
        <Button
          size="small"
          onClick={() => headers.append({ name: '', value: '', isStored: false })}
        >
          Add a header
        </Button>
      </div>
    </fieldset>
  );
}

function HeaderRow({
  form,
  at,
  isStored,
  onRemove,
}: EndpointFormProps & { at: number; isStored: boolean; onRemove: () => void }) {
  const id = useId();
  const name = form.watch(`headers.${at}.name`);
  const error = fieldError(form.failure, `/headers/${name}`);
  const trimmed = (typed: string): string => typed.trim();
  return (
    <div className="header-row">
      <input
        aria-label="Header name"
        placeholder="x-api-key"
        readOnly={isStored}
        {...form.register(`headers.${at}.name`, { setValueAs: trimmed })}
      />
      <input
        aria-label={`Value of ${name || 'the header'}`}
        aria-describedby={error ? id : undefined}
        aria-invalid={error ? true : undefined}
        autoComplete="off"
        placeholder={isStored ? 'unchanged' : 'value'}
        {...form.register(`headers.${at}.value`)}
      />
      <Button
        size="small"
        kind="quiet"
        aria-label={`Remove ${name || 'this header'}`}
        onClick={onRemove}
      >
        Remove
      </Button>
      {error ? (
        <p id={id} className="problem small">
          {error}
        </p>
      ) : null}
    </div>
  );
}
