import { isDeepStrictEqual } from 'node:util';
import type { Sealer } from './sealing.ts';

/** A stored value with its encrypted ("sealed") secret. `sealed` is null if the value has no secret. */
type InForce<T, Sealed = Buffer | null> = { value: T; sealed: Sealed };

/**
 * Returns the wanted value with its secret encrypted for `place` (sealing.ts). Returns null if the same value and
 * secret are already stored, because encrypting the secret again would only change its bytes. `known` contains the
 * stored value and secret, or is null if nothing is stored. If the stored secret cannot be decrypted, for example after
 * a change of the encryption key, the secret is encrypted again.
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
