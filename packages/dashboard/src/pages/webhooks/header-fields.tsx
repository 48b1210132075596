import { useId } from 'react';
import { fieldError } from '../../data/parley.ts';
import { Button } from '../../ui/button.tsx';

/** A header in the form. If `isStored`, the endpoint already has it and its value is never shown. */
export type HeaderField = { key: number; name: string; value: string; isStored: boolean };

/** The custom headers that every delivery carries. */
export function HeaderFields({
  headers,
  onChange,
  error,
}: {
  headers: readonly HeaderField[];
  onChange: (headers: readonly HeaderField[]) => void;
  error: unknown;
}) {
  const add = (): void => {
    const key = Math.max(0, ...headers.map((one) => one.key)) + 1;
    onChange([...headers, { key, name: '', value: '', isStored: false }]);
  };
  return (
    <fieldset className="picker">
      <legend>Headers</legend>
      <p className="muted small">
        Sent with every delivery, for example a key for your gateway. Values are encrypted and never
        shown again.
      </p>
      {headers.map((header) => (
        <HeaderRow
          key={header.key}
          header={header}
          error={fieldError(error, `/headers/${header.name}`)}
          onChange={(changed) =>
            onChange(headers.map((one) => (one.key === header.key ? changed : one)))
          }
          onRemove={() => onChange(headers.filter((one) => one.key !== header.key))}
        />
      ))}
      {fieldError(error, '/headers') ? (
        <p className="problem small">{fieldError(error, '/headers')}</p>
      ) : null}
      <div>
        <Button size="small" onClick={add}>
          Add a header
        </Button>
      </div>
    </fieldset>
  );
}

function HeaderRow({
  header,
  error,
  onChange,
  onRemove,
}: {
  header: HeaderField;
  error: string | undefined;
  onChange: (header: HeaderField) => void;
  onRemove: () => void;
}) {
  const id = useId();
  const { name, value, isStored } = header;
  return (
    <div className="header-row">
      <input
        aria-label="Name of the header"
        placeholder="x-api-key"
        value={name}
        readOnly={isStored}
        onChange={({ target }) => onChange({ ...header, name: target.value.trim() })}
      />
      <input
        aria-label={`Value of ${name || 'the header'}`}
        aria-describedby={error ? id : undefined}
        aria-invalid={error ? true : undefined}
        autoComplete="off"
        placeholder={isStored ? 'unchanged' : 'value'}
        value={value}
        onChange={({ target }) => onChange({ ...header, value: target.value })}
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
