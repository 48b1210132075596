import type { BodyOf } from '../../data/parley.ts';
import type { Endpoint } from '../../data/webhooks.ts';
import { mergePatch } from '../../form/merge.ts';
import type { Form } from '../../form/use-edit-form.ts';

type EndpointPatch = BodyOf<'/v1/webhooks/{id}', 'patch'>;

/** Form values of an endpoint. `event_types` is null for all types. */
export type EndpointValues = ReturnType<typeof valuesOf>;
export type EndpointFormProps = { form: Form<EndpointValues> };

export function valuesOf(endpoint: Partial<Endpoint>) {
  return {
    url: endpoint.url ?? '',
    description: endpoint.description ?? '',
    event_types: endpoint.event_types ?? null,
    /** If `isStored`, the endpoint already has the header, and its value is never shown. */
    headers: (endpoint.header_names ?? []).map((name) => ({ name, value: '', isStored: true })),
  };
}

/**
 * Returns the changes as a merge patch for the API, or undefined if nothing changed. A removed header has the value
 * null.
 */
export function patchOf(before: EndpointValues, after: EndpointValues): EndpointPatch | undefined {
  const written = after.headers.filter(
    ({ name, value, isStored }) => name !== '' && (!isStored || value !== ''),
  );
  const removed = before.headers.filter(
    ({ name }) => !after.headers.some((one) => one.name === name),
  );
  const headers = Object.fromEntries([
    ...removed.map(({ name }) => [name, null]),
    ...written.map(({ name, value }) => [name, value]),
  ]);
  const rest = mergePatch(
    { ...before, headers: undefined },
    { ...after, description: after.description || null, headers: undefined },
  ) as EndpointPatch | undefined;
  return Object.keys(headers).length > 0 ? { ...rest, headers } : rest;
}
