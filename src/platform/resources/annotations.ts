import { z } from 'zod';
import type { Resource } from './resource-store.ts';

/** Annotations and labels that Parley itself reads or writes (contract/custom-resources.md#secrets). */
export const ANNOTATIONS = {
  /** Id that the status repeats. The API sets it at create, otherwise the operator does. It is immutable. */
  id: 'parley.dev/id',
  /** Author of the last change of the content through the API, as `ChangeCause`. */
  contentChange: 'parley.dev/content-change',
  /** Author of the last change of the pin. It is separate because the pin has a field manager of its own. */
  pinChange: 'parley.dev/pin-change',
  /** A new value requests another reconcile. The status repeats the value when that is done. */
  reconcileRequestedAt: 'parley.dev/reconcile-requested-at',
} as const;

/**
 * Label that a Secret needs to be read. Otherwise a user who may write an Agent could send any Secret to another
 * system.
 */
export const ALLOW_LABEL = 'parley.dev/allow';

/**
 * Names the endpoint whose signing secret and headers a Secret holds. Parley labels its own Secrets with it, and
 * nothing but that endpoint uses them. `ALLOW_LABEL` stays on them too, because earlier releases read only Secrets that
 * have it.
 */
export const ENDPOINT_LABEL = 'parley.dev/endpoint';

/** Field managers of the REST API and the manifest folder (contract/custom-resources.md#field-managers). */
export const API_MANAGER = 'parley-api';
export const API_PIN_MANAGER = 'parley-api-pin';
export const FILE_MANAGER = 'file';
export const OPERATOR_MANAGER = 'parley-operator';

/**
 * Note about one generation; a later change by another writer makes it void. Anybody who may write the object may write
 * a note. It can only claim that the API wrote, and for whom, never that another manager did.
 */
const changeCause = z.object({
  generation: z.int(),
  actor: z.string().regex(/^(api|session):[^\p{C}]{1,128}$/u),
  reason: z.string().nullable(),
});
export type ChangeCause = z.output<typeof changeCause>;

export function encodeChangeCause(cause: ChangeCause): string {
  return JSON.stringify(cause);
}

/** Returns the cause in an annotation, if it belongs to the object's current generation. */
export function readChangeCause(
  resource: Resource,
  annotation: string,
): Omit<ChangeCause, 'generation'> | undefined {
  const cause = parseCause(resource, annotation);
  if (cause?.generation !== resource.metadata.generation) return undefined;
  return { actor: cause.actor, reason: cause.reason };
}

/** Returns the actor in an annotation, for any generation. */
export function readLastActor(resource: Resource, annotation: string): string | undefined {
  return parseCause(resource, annotation)?.actor;
}

/** Returns the generation of the note in an annotation, or 0 without a note. */
export function readNotedGeneration(resource: Resource, annotation: string): number {
  return parseCause(resource, annotation)?.generation ?? 0;
}

function parseCause({ metadata }: Resource, annotation: string): ChangeCause | undefined {
  const text = metadata.annotations[annotation];
  return text === undefined ? undefined : changeCause.safeParse(parseJson(text)).data;
}

/** Parses JSON. Invalid text counts as absent, because anybody may write annotations. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
