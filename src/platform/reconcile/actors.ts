import {
  ANNOTATIONS,
  FILE_MANAGER,
  readChangeCause,
  readLastActor,
  readNotedGeneration,
} from '../resources/annotations.ts';
import type { Resource } from '../resources/resource-store.ts';

/**
 * The actor of an activation and of an audit line (contract/agents.md#activations), and the reason if one was given.
 */
export type Actor = { actor: string; reason: string | null };

const { contentChange: CONTENT } = ANNOTATIONS;

/**
 * The API notes its key with each write; everybody else is known by the field manager. A pin that
 * was removed has no owner any more: whoever owns the content is named.
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
 * Who wrote the content last: of several managers the one with the latest time, where the store
 * has times, else the one that declares the prompt.
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
 * Who besides the API wrote the fields that changed after generation `since`; without fields: the
 * whole object. Undefined: the API did.
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
    // Where the API is one of several it wrote the value, or the others repeated it: to write
    // another one is to own it alone.
    const others = ownedBy.filter((managers) => !managers.some(isApi)).flat();
    if (others.length > 0) return nameOf(others);
    if (ownedBy.length > 0 || isNotedSince(resource, since)) return undefined;
    // Only fields that are gone: nobody owns them any more.
    const { pinnedVersion: _, ...content } = owners;
    const left = Object.values(content).flat();
    const last = latest(resource, left);
    return last !== undefined && isApi(last)
      ? undefined
      : nameOf(left.filter((one) => !isApi(one)));
  };
}

/** The API has noted a change of its own of a later generation. */
function isNotedSince(resource: Resource, since: number): boolean {
  return [CONTENT, ANNOTATIONS.pinChange].some(
    (annotation) => readNotedGeneration(resource, annotation) > since,
  );
}

/** Who wrote last, where the store has times; else the first that is not the API. */
function latest({ wroteAt = {} }: Resource, managers: readonly string[]): string | undefined {
  const timeOf = (manager: string): string => wroteAt[manager] ?? '';
  return managers
    .toSorted((a, b) => Number(isApi(a)) - Number(isApi(b)))
    .reduce<string | undefined>(
      (last, one) => (last === undefined || timeOf(one) > timeOf(last) ? one : last),
      undefined,
    );
}

/** Where the declaration is kept: by whoever owns the field that every object of the kind has. */
export function managedBy(owners: readonly string[] | undefined): 'api' | 'kubernetes' | 'file' {
  // Declared by the API and by Git, it is Git's: the API cannot remove it.
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
  // The note is of an earlier generation: what the API declares is still by its last key. One who
  // removes a pin of their own leaves no note, nor does one who removes the notes.
  const key = readLastActor(resource, annotation) ?? readLastActor(resource, CONTENT);
  return { actor: key ?? 'api', reason: null };
}

function isApi(manager: string): boolean {
  return manager.startsWith('parley-api') || manager === 'parley-demo';
}
