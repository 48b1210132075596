import { Field } from '../../../ui/field.tsx';

type TextFieldProps = {
  label: string;
  hint?: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

export function TextField({
  label,
  hint,
  value,
  error,
  onChange,
  ...input
}: TextFieldProps & { type?: 'url' | 'number' | 'text'; placeholder?: string }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          {...input}
          autoComplete="off"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/** A field for a list, one item per line. */
export function LinesField({ label, hint, value, error, onChange }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          {...control}
          rows={3}
          spellCheck={false}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
