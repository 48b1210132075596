import { isDeepStrictEqual } from 'node:util';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { endpointHeadersPlace, type SealedHeaders } from './endpoint-secrets.sql.ts';

/**
 * Extra headers of an endpoint's deliveries. Their values are stored encrypted (sealed) and never shown, because a
 * typical header is `Authorization`.
 */
export type Headers = Readonly<Record<string, string>>;

type Place = { id: string; namespace: string };

export function sealHeaders(
  sealer: Sealer,
  { id, namespace }: Place,
  headers: Headers,
): SealedHeaders {
  const names = Object.keys(headers);
  if (names.length === 0) return { sealed: null, names };
  const place = endpointHeadersPlace(namespace, id);
  return { sealed: sealer.seal(JSON.stringify(headers), place), names };
}

/**
 * Decrypts the headers.
 * @throws Error if they were encrypted with another key
 */
export function openHeaders(
  sealer: Pick<Sealer, 'open'>,
  { id, namespace }: Place,
  sealed: Buffer | null,
): Headers {
  if (sealed === null) return {};
  // The decrypted text is the JSON that `sealedIfNew` encrypted.
  return JSON.parse(sealer.open(sealed, endpointHeadersPlace(namespace, id))) as Headers;
}

/**
 * Encrypts the headers. Returns `stored` if it contains the same headers already, because encrypting them again would
 * only change the bytes.
 */
export function sealedIfNew(
  sealer: Sealer,
  place: Place,
  { headers, stored }: { headers: Headers; stored: Buffer | null },
): SealedHeaders {
  const isSame = isDeepStrictEqual(openHeaders(sealer, place, stored), headers);
  return isSame
    ? { sealed: stored, names: Object.keys(headers) }
    : sealHeaders(sealer, place, headers);
}
