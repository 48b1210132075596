import { isDeepStrictEqual } from 'node:util';
import type { Sealer } from './sealing.ts';

/** Something in force, and the sealed secret that belongs to it; null: it takes none. */
type InForce<T, Sealed = Buffer | null> = { value: T; sealed: Sealed };

/**
 * What is to be in force, its secret sealed for `place`; null when it is in force already: sealing the
 * same secret again would only change its bytes. `known` null: nothing was in force yet. One that does not
 * open, whatever happened to the encryption key, is sealed anew.
 */
export function sealIfNew<T, Secret extends string | undefined>(
  sealer: Sealer,
  place: string,
  known: InForce<T> | null,
  wanted: { value: T; secret: Secret },
): InForce<T, Secret extends string ? Buffer : Buffer | null> | null;
export function sealIfNew<T>(
  sealer: Sealer,
  place: string,
  known: InForce<T> | null,
  { value, secret }: { value: T; secret: string | undefined },
): InForce<T> | null {
  const isKnown =
    known &&
    isDeepStrictEqual(known.value, value) &&
    openOrElse(sealer, known.sealed, place) === secret;
  if (isKnown) return null;
  return { value, sealed: secret === undefined ? null : sealer.seal(secret, place) };
}

function openOrElse(
  sealer: Pick<Sealer, 'open'>,
  sealed: Buffer | null,
  place: string,
): string | undefined | null {
  if (sealed === null) return undefined;
  try {
    return sealer.open(sealed, place);
  } catch {
    return null;
  }
}
