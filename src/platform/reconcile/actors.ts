import {
  ANNOTATIONS,
  FILE_MANAGER,
  readChangeCause,
  readLastActor,
} from '../resources/annotations.ts';
import type { Resource } from '../resources/resource-store.ts';

/** Who is named in an activation and in the audit log (contract §4), and the reason if one was given. */
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
