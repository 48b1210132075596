import { useState, type SyntheticEvent } from 'react';
import { useForm, type DefaultValues, type FieldValues, type UseFormReturn } from 'react-hook-form';

/** Props that every part of a form takes. `failure` is the error from the form's last request. */
export type Form<Values extends FieldValues> = UseFormReturn<Values> & { failure: unknown };

/**
 * A form for something that others can change while the form is open. `base` is the object from which the edit started.
 * `rebase` continues the edit with merged values, and takes the most recently read object as the new `base`.
 */
export function useEditForm<Read, Values extends FieldValues>(
  now: Read,
  valuesOf: (read: Read) => Values,
) {
  const [base, setBase] = useState(now);
  const before = valuesOf(base);
  const form = useForm<Values>({
    defaultValues: before as DefaultValues<Values>,
    mode: 'onChange',
  });
  const rebase = (merged: Values): void => {
    setBase(now);
    form.reset(merged);
  };
  return { base, before, form, mine: form.watch(), theirs: valuesOf(now), rebase };
}

/** Returns a submit handler that sends the form's values unless a field has an error. */
export function sendBy<Values extends FieldValues>(
  { handleSubmit }: UseFormReturn<Values>,
  send: (values: Values) => void,
): (event: SyntheticEvent) => void {
  return (event) => void handleSubmit(send)(event);
}
