import { fieldError } from '../../data/parley.ts';
import { errorAt, TextField } from '../../form/fields.tsx';
import type { EndpointFormProps } from './endpoint-values.ts';
import { EventTypePicker } from './event-type-picker.tsx';
import { HeaderFields } from './header-fields.tsx';

/** Returns true if the form already shows the error at a field. */
export function isShownAtField(error: unknown): boolean {
  const pointers = ['/url', '/description', '/event_types', '/headers'];
  return pointers.some((pointer) => fieldError(error, pointer) !== undefined);
}

export function EndpointFields({
  form,
  urlHint = 'Must use https and be reachable from Parley.',
}: EndpointFormProps & { urlHint?: string | undefined }) {
  return (
    <>
      <TextField
        form={form}
        name="url"
        label="URL"
        hint={urlHint}
        type="url"
        required
        placeholder="https://example.com/parley"
      />
      <TextField
        form={form}
        name="description"
        label="Description"
        placeholder="Purpose of this endpoint"
      />
      <EventTypePicker
        chosen={form.watch('event_types')}
        onChange={(types) => form.setValue('event_types', types && [...types])}
        error={errorAt(form, 'event_types')}
      />
      <HeaderFields form={form} />
    </>
  );
}
