import {
  ANNOTATIONS,
  FILE_MANAGER,
  readChangeCause,
  readLastActor,
} from '../resources/annotations.ts';
import type { Resource } from '../resources/resource-store.ts';

/** Who to name in an activation (contract §4), and why if they said so. */
export type Actor = { actor: string; reason: string | null };

/**
 * The API notes its key with each write; for everybody else the field managers tell. A pin that
 * was removed has no owner any more: then it was whoever owns the content.
 */
export function actorsOf(resource: Resource): { content: Actor; pin: Actor } {
  const { owners } = resource;
  const contentOwner = (owners['prompt'] ?? owners['promptFrom'])?.[0];
  const pinOwner = owners['pinnedVersion']?.[0] ?? contentOwner;
  return {
    content: actorOf(resource, contentOwner, ANNOTATIONS.contentChange),
    pin: actorOf(resource, pinOwner, ANNOTATIONS.pinChange),
  };
}

/** Where the declaration lives: whoever owns the field every object of the kind has. */
export function managedBy(owners: readonly string[] | undefined): 'api' | 'kubernetes' | 'file' {
  // Declared by the API and by Git alike, it is Git's: the API cannot take it away.
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
  // Something else has changed since, but what the API declares is by its last key.
  return { actor: readLastActor(resource, annotation) ?? 'api', reason: null };
}

function isApi(manager: string): boolean {
  return manager.startsWith('parley-api') || manager === 'parley-demo';
}
