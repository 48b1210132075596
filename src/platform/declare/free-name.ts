import { createHash } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import { WriteConflictError, type Applied, type Resource } from '../resources/resource-store.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import { declareNew, findMade } from './declare.ts';
import type { Plan } from '../idempotency/plan.ts';

/**
 * Names of declared objects (contract/agents.md#fields). A name given by the caller must be free. A derived name gets a
 * suffix if it is taken. Suffixes are computed from the id in the request's plan, which is stored for retries
 * (platform/idempotency/plan.ts). A retry after a crash therefore tries the same names in the same order. From the id,
 * the retry also recognizes an object that the first attempt created.
 */

const NAME_TRIES = 5;
const NAME_BASE_MAX = 50;

export type NewName = {
  /** Name given by the caller. If undefined, a name is derived. */
  given: string | undefined;
  /**
   * Display name from which a name is derived. If it is undefined or has no letters or digits, the name is the noun, a
   * hyphen and eight hexadecimal digits.
   */
  displayName: string | undefined;
  /** Noun for the kind of object in derived names, such as `agent` or `source`. */
  noun: string;
};

/**
 * Declares an object under the first free name.
 * @throws ApiError name_taken, and the errors of the store's `apply`
 */
export async function declareUnderFreeName(
  deps: { store: ResourceStore; plan: Plan },
  object: Omit<Applied, 'name'>,
  wanted: NewName,
): Promise<Resource> {
  const { store, plan } = deps;
  const names = candidates(wanted, plan.id);
  if (plan.isRetry) {
    // An earlier attempt may have created the object under any of these names, so all of them are checked before a new
    // object is created.
    for (const name of names) {
      const made = await findMade(store, { ...object, name });
      if (made) return made;
    }
  }
  let taken: WriteConflictError | undefined;
  for (const name of names) {
    try {
      return await declareNew(store, { ...object, name });
    } catch (error) {
      if (!(error instanceof WriteConflictError)) throw error;
      taken = error;
    }
  }
  const detail = `The name "${wanted.given ?? names[0]}" is already in use. Choose a different name.`;
  throw new ApiError('name_taken', detail, { cause: taken });
}

function candidates({ given, displayName, noun }: NewName, id: string): string[] {
  if (given !== undefined) return [given];
  const base = labelOf(displayName) || `${noun}-${digits(id, 0, 8)}`;
  const others = Array.from(
    { length: NAME_TRIES - 1 },
    (_, i) => `${base}-${digits(id, i + 1, 4)}`,
  );
  return [base, ...others];
}

function labelOf(displayName: string | undefined): string {
  return (displayName ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '') // Removes combining marks, such as the accent of é.
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_BASE_MAX)
    .replaceAll(/^-+|-+$/g, '');
}

function digits(id: string, index: number, length: number): string {
  return createHash('sha256').update(`${id}/${index}`).digest('hex').slice(0, length);
}
