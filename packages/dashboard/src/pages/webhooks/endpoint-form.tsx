import { fieldError } from '../../data/parley.ts';
import type { Endpoint, EndpointPatch } from '../../data/webhooks.ts';
import { Field } from '../../ui/field.tsx';
import { EventTypePicker } from './event-type-picker.tsx';
import { HeaderFields, type HeaderField } from './header-fields.tsx';

export type EndpointDraft = {
  url: string;
  description: string;
  /** null means all types. */
  event_types: readonly string[] | null;
  headers: readonly HeaderField[];
};

export const EMPTY_DRAFT: EndpointDraft = {
  url: '',
  description: '',
  event_types: null,
  headers: [],
};

export function draftOf(endpoint: Endpoint): EndpointDraft {
  return {
    url: endpoint.url,
    description: endpoint.description ?? '',
    event_types: endpoint.event_types,
    headers: endpoint.header_names.map((name, key) => ({ key, name, value: '', isStored: true })),
  };
}

/** Returns the changes as the REST API takes them. A removed header is null. */
export function patchOf(draft: EndpointDraft, before: EndpointDraft): EndpointPatch {
  const headers = {
    ...Object.fromEntries(
      before.headers
        .filter(({ name }) => !draft.headers.some((one) => one.name === name))
        .map(({ name }) => [name, null]),
    ),
    ...Object.fromEntries(
      draft.headers
        .filter(({ name, value, isStored }) => name !== '' && (!isStored || value !== ''))
        .map(({ name, value }) => [name, value]),
    ),
  };
  return {
    ...(draft.url !== before.url && { url: draft.url }),
    ...(draft.description !== before.description && { description: draft.description || null }),
    ...(!isSame(draft.event_types, before.event_types) && {
      // The API rejects unknown types.
      event_types: draft.event_types as EndpointPatch['event_types'] & object,
    }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Returns whether the form already shows the error at a field. */
export function isShownAtField(error: unknown): boolean {
  const pointers = ['/url', '/description', '/event_types', '/headers'];
  return pointers.some((pointer) => fieldError(error, pointer) !== undefined);
}

/** The fields of an endpoint. `error` comes from the last attempt to save. */
export function EndpointFields({
  draft,
  onChange,
  error,
  urlHint = 'Must use https and be reachable from Parley.',
}: {
  draft: EndpointDraft;
  onChange: (draft: EndpointDraft) => void;
  error: unknown;
  urlHint?: string | undefined;
}) {
  return (
    <>
      <Field label="URL" hint={urlHint} error={fieldError(error, '/url')}>
        {(control) => (
          <input
            {...control}
            type="url"
            required
            autoComplete="off"
            placeholder="https://example.com/parley"
            value={draft.url}
            onChange={({ target }) => onChange({ ...draft, url: target.value.trim() })}
          />
        )}
      </Field>
      <Field label="Description" error={fieldError(error, '/description')}>
        {(control) => (
          <input
            {...control}
            value={draft.description}
            placeholder="Purpose of this endpoint"
            onChange={({ target }) => onChange({ ...draft, description: target.value })}
          />
        )}
      </Field>
      <EventTypePicker
        chosen={draft.event_types}
        onChange={(types) => onChange({ ...draft, event_types: types })}
        error={fieldError(error, '/event_types')}
      />
      <HeaderFields
        headers={draft.headers}
        onChange={(headers) => onChange({ ...draft, headers })}
        error={error}
      />
    </>
  );
}
