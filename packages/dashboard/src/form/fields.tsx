import type { InputHTMLAttributes, ReactNode, TextareaHTMLAttributes } from 'react';
import {
  get,
  type FieldError,
  type FieldValues,
  type Path,
  type RegisterOptions,
} from 'react-hook-form';
import { fieldErrors } from '../data/parley.ts';
import { Field } from '../ui/field.tsx';
import type { Form } from './use-edit-form.ts';

type FieldProps<Values extends FieldValues> = {
  form: Form<Values>;
  /** Path of the value in the form and in the request. */
  name: Path<Values>;
  label: string;
  hint?: ReactNode;
};

/** A field for one line of text or a number. An empty number field has the value null. */
export function TextField<Values extends FieldValues>({
  form,
  name,
  label,
  hint,
  ...input
}: FieldProps<Values> & Omit<InputHTMLAttributes<HTMLInputElement>, 'form' | 'name'>) {
  return (
    <Field label={label} hint={hint} error={errorAt(form, name)}>
      {(control) => (
        <input
          step="any"
          autoComplete="off"
          {...input}
          {...control}
          {...form.register(name, input.type === 'number' ? { setValueAs: numberOf } : {})}
        />
      )}
    </Field>
  );
}

/** A field for several lines of text. */
export function AreaField<Values extends FieldValues>({
  form,
  name,
  label,
  hint,
  isCode,
  validate,
  ...area
}: FieldProps<Values> & {
  isCode?: boolean;
  validate?: (text: string) => string | true;
} & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'form' | 'name'>) {
  const rules = { ...(validate && { validate }) } as RegisterOptions<Values>;
  return (
    <Field label={label} hint={hint} error={errorAt(form, name)}>
      {(control) => (
        <textarea
          spellCheck={!isCode}
          className={isCode ? 'mono' : undefined}
          {...area}
          {...control}
          {...form.register(name, rules)}
        />
      )}
    </Field>
  );
}

/** A drop-down list. Its options may change while the form is shown. */
export function SelectField<Values extends FieldValues>({
  form,
  name,
  label,
  hint,
  children,
}: FieldProps<Values> & { children: ReactNode }) {
  return (
    <Field label={label} hint={hint} error={errorAt(form, name)}>
      {(control) => (
        <select {...control} {...form.register(name)} value={form.watch(name) ?? ''}>
          {children}
        </select>
      )}
    </Field>
  );
}

/**
 * Returns the error for a value: the form's own error, or else the error that the API returned. Does not call
 * `getFieldState`, because that would render the whole form again on the first blur of every input.
 */
export function errorAt<Values extends FieldValues>(
  { formState, failure }: Form<Values>,
  name: Path<Values>,
): string | undefined {
  const error: FieldError | undefined = get(formState.errors, name);
  return error?.message ?? fieldErrors(failure, `/${name.replaceAll('.', '/')}`);
}

export function numberOf(value: unknown): number | null {
  return value === '' || value === null || value === undefined ? null : Number(value);
}
