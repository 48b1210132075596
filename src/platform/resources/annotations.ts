import { z } from 'zod';
import type { Resource } from './resource-store.ts';

/** Annotations and labels that Parley itself reads or writes (contract/custom-resources.md#secrets). */
export const ANNOTATIONS = {
  /**
   * Id of the object, which never changes. The API sets the id of an object that it creates, and the operator sets it
   * for all other objects. The object's status repeats the id.
   */
  id: 'parley.dev/id',
  /** Author of the last change to the content through the API, as JSON of the type `ChangeCause`. */
  contentChange: 'parley.dev/content-change',
  /**
   * Author of the last change to the pinned version. It is a separate annotation, because the pin has its own field
   * manager.
   */
  pinChange: 'parley.dev/pin-change',
  /** A changed value of this annotation requests a reconcile. After that reconcile, the status repeats the value. */
  reconcileRequestedAt: 'parley.dev/reconcile-requested-at',
} as const;

/**
 * Label that a Secret must have before Parley reads it. Without this rule, a user who may write an Agent could send any
 * Secret in the namespace to another system.
 */
export const ALLOW_LABEL = 'parley.dev/allow';

/**
 * Label with the name of the endpoint whose signing secret and headers the Secret contains. Parley sets this label on
 * the Secrets that it creates for an endpoint, and only that endpoint may use them. These Secrets also have
 * `ALLOW_LABEL`, because earlier releases read only Secrets with that label.
 */
export const ENDPOINT_LABEL = 'parley.dev/endpoint';

/**
 * Label with the id of the object whose key the Secret contains. It is set if the key was given through the REST API.
 * Only that object may use the Secret.
 */
export const OWNER_LABEL = 'parley.dev/owner';

/** Names of Parley's own field managers (contract/custom-resources.md#field-managers). */
export const API_MANAGER = 'parley-api';
export const API_PIN_MANAGER = 'parley-api-pin';
export const FILE_MANAGER = 'file';
export const OPERATOR_MANAGER = 'parley-operator';

/**
 * Value of the annotations `contentChange` and `pinChange`: the author of the change that led to one generation of an
 * object. A later change by another writer makes the annotation obsolete. Anyone who may write the object can forge the
 * annotation. A forged annotation can name the wrong API caller, but never a different field manager.
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

/**
 * Returns the author that an annotation names. Returns undefined if there is no annotation, or if it belongs to an
 * earlier generation.
 */
export function readChangeCause(
  resource: Resource,
  annotation: string,
): Omit<ChangeCause, 'generation'> | undefined {
  const cause = parseCause(resource, annotation);
  if (cause?.generation !== resource.metadata.generation) return undefined;
  return { actor: cause.actor, reason: cause.reason };
}

/** Returns the actor that an annotation names, whichever generation it belongs to. */
export function readLastActor(resource: Resource, annotation: string): string | undefined {
  return parseCause(resource, annotation)?.actor;
}

/** Returns the generation that an annotation names, or 0 if there is no annotation. */
export function readNotedGeneration(resource: Resource, annotation: string): number {
  return parseCause(resource, annotation)?.generation ?? 0;
}

function parseCause({ metadata }: Resource, annotation: string): ChangeCause | undefined {
  const text = metadata.annotations[annotation];
  return text === undefined ? undefined : changeCause.safeParse(parseJson(text)).data;
}

/**
 * Parses JSON. Returns undefined for invalid JSON, because anyone who may write the object can write anything into the
 * annotation.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
