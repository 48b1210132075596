import { ANNOTATIONS, FILE_MANAGER, readChangeCause } from '../resources/annotations.ts';
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
  const pinCause = readChangeCause(resource, ANNOTATIONS.pinChange);
  return {
    content: readChangeCause(resource, ANNOTATIONS.contentChange) ?? actorOf(contentOwner),
    pin: pinCause ?? actorOf(pinOwner),
  };
}

/** Where the declaration lives: whoever owns the field every object of the kind has. */
export function managedBy(owners: readonly string[] | undefined): 'api' | 'kubernetes' | 'file' {
  const [owner] = owners ?? [];
  if (owner === FILE_MANAGER) return 'file';
  return owner !== undefined && isApi(owner) ? 'api' : 'kubernetes';
}

function actorOf(manager: string | undefined): Actor {
  if (manager === FILE_MANAGER) return { actor: 'file', reason: null };
  if (manager !== undefined && isApi(manager)) return { actor: 'api', reason: null };
  return { actor: `kubernetes:${manager ?? 'unknown'}`, reason: null };
}

function isApi(manager: string): boolean {
  return manager.startsWith('parley-api') || manager === 'parley-demo';
}
