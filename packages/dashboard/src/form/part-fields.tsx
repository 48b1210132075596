import type { InputHTMLAttributes, ReactNode } from 'react';
import { Field } from '../ui/field.tsx';
import { numberOf } from './fields.tsx';

/**
 * Props of the fields that edit one part of a form, such as a voice or a tool. The form stores the part as a single
 * value, so that people can also edit it as JSON. The fields therefore take a value and a change handler instead of the
 * form.
 */
type PartProps<Value> = {
  label: ReactNode;
  value: Value | null | undefined;
  onChange: (value: Value) => void;
  hint?: ReactNode;
  error?: string | undefined;
};

type Input = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'>;

export function LineField({
  label,
  value,
  onChange,
  hint,
  error,
  ...input
}: PartProps<string> & Input) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          autoComplete="off"
          {...input}
          {...control}
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/** A field for a number. An empty field is null. */
export function NumberField({
  label,
  value,
  onChange,
  hint,
  error,
  ...input
}: PartProps<number | null> & Input) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          step="any"
          {...input}
          {...control}
          type="number"
          value={value ?? ''}
          onChange={({ target }) => onChange(numberOf(target.value))}
        />
      )}
    </Field>
  );
}

/** A field for several lines of text. */
export function LinesField({
  label,
  value,
  onChange,
  hint,
  error,
  rows,
  isCode,
}: PartProps<string> & { rows: number; isCode?: boolean }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          rows={rows}
          spellCheck={!isCode}
          className={isCode ? 'mono' : undefined}
          {...control}
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

export function ChoiceField<Value extends string>({
  label,
  value,
  onChange,
  hint,
  error,
  options,
}: PartProps<Value> & { options: Readonly<Record<string, string>> }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <select
          {...control}
          value={value ?? ''}
          // The cast is safe, because every option is a `Value`.
          onChange={({ target }) => onChange(target.value as Value)}
        >
          {Object.entries(options).map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
