import {
  ANNOTATIONS,
  FILE_MANAGER,
  readChangeCause,
  readLastActor,
  readNotedGeneration,
} from '../resources/annotations.ts';
import type { Resource } from '../resources/resource-store.ts';

/**
 * Author of a change, for an activation (contract/agents.md#activations) or an audit record. `reason` is null if the
 * author gave none.
 */
export type Actor = { actor: string; reason: string | null };

const { contentChange: CONTENT } = ANNOTATIONS;

/**
 * Returns who last changed the content and who last changed the pinned version. The API records its caller in an
 * annotation with each write. Other actors are identified by their field manager. If the pin was removed, no manager
 * owns it, so the last writer of the content counts as the actor for the pin.
 */
export function actorsOf(resource: Resource): { content: Actor; pin: Actor } {
  const { owners } = resource;
  const contentOwner = lastWriter(resource);
  const pinOwner = owners['pinnedVersion']?.[0] ?? contentOwner;
  return {
    content: actorOf(resource, contentOwner, CONTENT),
    pin: actorOf(resource, pinOwner, ANNOTATIONS.pinChange),
  };
}

/**
 * Returns the last writer of the content. If the store records write times, this is the manager with the latest write
 * time. Otherwise, it is the manager that declares the prompt.
 */
function lastWriter({ owners, wroteAt = {} }: Resource): string | undefined {
  const { pinnedVersion: _, ...content } = owners;
  const author = (content['prompt'] ?? content['promptFrom'])?.[0];
  const timeOf = (manager: string | undefined): string => wroteAt[manager ?? ''] ?? '';
  return Object.values(content)
    .flat()
    .reduce((last, manager) => (timeOf(manager) > timeOf(last) ? manager : last), author);
}

/**
 * Returns the last writer of the fields in `changed`, which changed after generation `since`. Returns undefined if the
 * API wrote them. If `changed` is omitted, all fields of the object count.
 */
export type WhoElse = (changed?: readonly string[], since?: number) => string | undefined;

export function whoElse(resource: Resource): WhoElse {
  const { owners } = resource;
  const nameOf = (managers: readonly string[]): string => {
    const owner = latest(resource, managers);
    return owner === FILE_MANAGER ? 'file' : `kubernetes:${owner ?? 'unknown'}`;
  };
  return (changed = Object.keys(owners), since = 0) => {
    const ownedBy = changed.flatMap((field) => (owners[field] ? [owners[field]] : []));
    // If the API is one of several owners of a field, the API counts as the writer. All owners declare the same value,
    // and a manager that writes a different value becomes the only owner.
    const others = ownedBy.filter((managers) => !managers.some(isApi)).flat();
    if (others.length > 0) return nameOf(others);
    if (ownedBy.length > 0 || isNotedSince(resource, since)) return undefined;
    // This point is reached if fields were only removed. Removed fields have no owner, so the last writer of the
    // remaining fields counts.
    const { pinnedVersion: _, ...content } = owners;
    const left = Object.values(content).flat();
    const last = latest(resource, left);
    return last !== undefined && isApi(last)
      ? undefined
      : nameOf(left.filter((one) => !isApi(one)));
  };
}

/** Returns true if the API has recorded one of its own changes in a generation after `since`. */
function isNotedSince(resource: Resource, since: number): boolean {
  return [CONTENT, ANNOTATIONS.pinChange].some(
    (annotation) => readNotedGeneration(resource, annotation) > since,
  );
}

/**
 * Returns the manager with the latest write time or, if the store records no times, the first manager that is not the
 * API.
 */
function latest({ wroteAt = {} }: Resource, managers: readonly string[]): string | undefined {
  const timeOf = (manager: string): string => wroteAt[manager] ?? '';
  return managers
    .toSorted((a, b) => Number(isApi(a)) - Number(isApi(b)))
    .reduce<string | undefined>(
      (last, one) => (last === undefined || timeOf(one) > timeOf(last) ? one : last),
      undefined,
    );
}

/** Returns where an object is declared. `owners` are the owners of a field that every object of the kind has. */
export function managedBy(owners: readonly string[] | undefined): 'api' | 'kubernetes' | 'file' {
  // An object declared both through the API and in Git counts as declared in Git, because a request to the API alone
  // cannot remove the object.
  const owner = owners?.find((manager) => !isApi(manager)) ?? owners?.[0];
  if (owner === FILE_MANAGER) return 'file';
  return owner !== undefined && isApi(owner) ? 'api' : 'kubernetes';
}

function actorOf(resource: Resource, owner: string | undefined, annotation: string): Actor {
  const cause = readChangeCause(resource, annotation);
  if (cause) return cause;
  if (owner === FILE_MANAGER) return { actor: 'file', reason: null };
  if (owner === undefined || !isApi(owner)) {
    return { actor: `kubernetes:${owner ?? 'unknown'}`, reason: null };
  }
  // No annotation belongs to this generation. Either the API's declaration comes from an earlier write, or the latest
  // write left no annotation, for example because it removed a pin. In both cases, the last annotation names the actor.
  const key = readLastActor(resource, annotation) ?? readLastActor(resource, CONTENT);
  return { actor: key ?? 'api', reason: null };
}

function isApi(manager: string): boolean {
  return manager.startsWith('parley-api') || manager === 'parley-demo';
}
