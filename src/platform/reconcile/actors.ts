import {
  ANNOTATIONS,
  FILE_MANAGER,
  readChangeCause,
  readLastActor,
  readNotedGeneration,
} from '../resources/annotations.ts';
import type { Resource } from '../resources/resource-store.ts';

/** Actor of an activation and of an audit line (contract/agents.md#activations), with the reason if there is one. */
export type Actor = { actor: string; reason: string | null };

const { contentChange: CONTENT } = ANNOTATIONS;

/**
 * Returns the actors of content and pin. The API notes its key with each write; other actors are known by their field
 * manager. A removed pin has no owner, so the owner of the content counts.
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
 * Returns the last writer of the content. If the store has times, it is the manager with the latest one, otherwise the
 * manager that declares the prompt.
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
 * Returns the writer, other than the API, of the fields that changed after generation `since`. Without fields it is the
 * writer of the whole object. Undefined if the API wrote them.
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
    // If the API is one of several owners, it wrote the value, or the others repeated it. Writing another value makes a
    // manager the only owner.
    const others = ownedBy.filter((managers) => !managers.some(isApi)).flat();
    if (others.length > 0) return nameOf(others);
    if (ownedBy.length > 0 || isNotedSince(resource, since)) return undefined;
    // Only removed fields changed, and they have no owner.
    const { pinnedVersion: _, ...content } = owners;
    const left = Object.values(content).flat();
    const last = latest(resource, left);
    return last !== undefined && isApi(last)
      ? undefined
      : nameOf(left.filter((one) => !isApi(one)));
  };
}

/** Returns whether the API has noted a change of its own in a later generation. */
function isNotedSince(resource: Resource, since: number): boolean {
  return [CONTENT, ANNOTATIONS.pinChange].some(
    (annotation) => readNotedGeneration(resource, annotation) > since,
  );
}

/** Returns the last writer if the store has times, otherwise the first manager that is not the API. */
function latest({ wroteAt = {} }: Resource, managers: readonly string[]): string | undefined {
  const timeOf = (manager: string): string => wroteAt[manager] ?? '';
  return managers
    .toSorted((a, b) => Number(isApi(a)) - Number(isApi(b)))
    .reduce<string | undefined>(
      (last, one) => (last === undefined || timeOf(one) > timeOf(last) ? one : last),
      undefined,
    );
}

/** Returns where the declaration is kept, by the owner of a field that every object of the kind has. */
export function managedBy(owners: readonly string[] | undefined): 'api' | 'kubernetes' | 'file' {
  // An object declared by both the API and Git belongs to Git, because the API cannot remove it.
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
  // The note belongs to an earlier generation, and the API's declaration still comes from its last key. Removing one's
  // own pin, or the notes, leaves no note.
  const key = readLastActor(resource, annotation) ?? readLastActor(resource, CONTENT);
  return { actor: key ?? 'api', reason: null };
}

function isApi(manager: string): boolean {
  return manager.startsWith('parley-api') || manager === 'parley-demo';
}
