import { z } from 'zod';
import type { Resource } from './resource-store.ts';

/** Annotations and labels that Parley itself reads or writes (contract/custom-resources.md#secrets). */
export const ANNOTATIONS = {
  /** The id that status repeats; set by the API at create or else by the operator, immutable. */
  id: 'parley.dev/id',
  /** Who made the last change of the content through the API, as `ChangeCause`. */
  contentChange: 'parley.dev/content-change',
  /** The same of the pin. Apart, since the pin has a field manager of its own. */
  pinChange: 'parley.dev/pin-change',
  /** Whoever wants an object looked at again writes another value; status repeats it when that is done. */
  reconcileRequestedAt: 'parley.dev/reconcile-requested-at',
} as const;

/** A Secret without it is not read: whoever may write an Agent could send any Secret away. */
export const ALLOW_LABEL = 'parley.dev/allow';

/**
 * Names the endpoint whose signing secret and headers a Secret holds. Parley labels its own Secrets with it, and nothing
 * but that endpoint uses them. `ALLOW_LABEL` stays on them too: earlier releases read them only with it.
 */
export const ENDPOINT_LABEL = 'parley.dev/endpoint';

/** Field managers of the REST API and the manifest folder (contract/custom-resources.md#field-managers). */
export const API_MANAGER = 'parley-api';
export const API_PIN_MANAGER = 'parley-api-pin';
export const FILE_MANAGER = 'file';
export const OPERATOR_MANAGER = 'parley-operator';

/**
 * Speaks of one generation: a later change by somebody else makes it void. Whoever may write the object may
 * write a note; it can say that the API wrote, and for whom, and never that somebody else did.
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

/** The cause in an annotation, if it is of the object's present generation. */
export function readChangeCause(
  resource: Resource,
  annotation: string,
): Omit<ChangeCause, 'generation'> | undefined {
  const cause = parseCause(resource, annotation);
  if (cause?.generation !== resource.metadata.generation) return undefined;
  return { actor: cause.actor, reason: cause.reason };
}

/** The actor in an annotation, of whichever generation. */
export function readLastActor(resource: Resource, annotation: string): string | undefined {
  return parseCause(resource, annotation)?.actor;
}

/** The generation that the note in an annotation is of; 0: there is none. */
export function readNotedGeneration(resource: Resource, annotation: string): number {
  return parseCause(resource, annotation)?.generation ?? 0;
}

function parseCause({ metadata }: Resource, annotation: string): ChangeCause | undefined {
  const text = metadata.annotations[annotation];
  return text === undefined ? undefined : changeCause.safeParse(parseJson(text)).data;
}

/** Anybody may write annotations, so what does not parse counts as absent. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
