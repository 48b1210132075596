import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { ApiError, type FieldError } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import type { RowKey } from '../platform/declare/declared-kind.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import type { KindNames } from '../platform/resources/kind-names.ts';
import { deleteGiven, givenPlace, insertGiven, type GivenKey } from './given-secrets.sql.ts';

/**
 * Secret that a REST request may contain in clear text, and that no response shows (contract/model-providers.md#keys).
 * The API may not write Secrets. So it stores the secret encrypted, and declares a reference to the object's own
 * Secret, into which the operator copies it. Each given secret has a new key in that Secret. So one declaration names
 * both the secret and the address that receives it, and the change of the declaration wakes the operator.
 */
export type SecretField = {
  /** Write-only REST field, such as `api_key`. */
  field: string;
  /** REST field with the reference to the Secret. */
  ref: string;
  /** REST field with the URL that receives the secret. */
  sentTo: string;
  schema: z.ZodType<string>;
};

/** Fields of a request without the given secret. `kept` is that secret, which is not part of the declaration. */
export type Given<Fields> = { fields: Fields; kept?: Kept };
type Kept = GivenKey & { text: string };

type Names = Pick<KindNames, 'idPrefix'>;
type Fields = Readonly<Record<string, unknown>>;

/** Returns the name of the Secret that Parley keeps for an object. The id is never used again, and neither is the name. */
export function ownSecretName({ idPrefix }: Names, id: string): string {
  return `${fromUuid(idPrefix, id).replace('_', '-')}-key`;
}

/**
 * Replaces a given secret in a request by a reference to it. Without a `seed`, the reference is random; with one, a
 * retry of the request gets the same.
 * @throws ApiError invalid_body
 */
export function takeGiven<T extends object>(
  { secret, names, key }: { secret?: SecretField; names: Names; key: RowKey },
  body: T,
  seed: () => Buffer = () => randomBytes(16),
): Given<T> {
  const given: unknown = secret && Reflect.get(body, secret.field);
  if (secret === undefined || given === undefined) return { fields: body };
  const { [secret.field]: _, ...rest } = body as Fields;
  if (given === null) return { fields: { ...rest, [secret.ref]: null } as T };
  if (rest[secret.ref] !== undefined && rest[secret.ref] !== null) {
    const detail = `must not be set together with \`${secret.ref}\`: send the key, or name the Secret that has it`;
    throw refusal({ pointer: `/${secret.field}`, code: 'invalid_value', detail });
  }
  const text = secret.schema.parse(given); // The route has parsed the body with this schema.
  const token = createHash('sha256').update('given secret').update(seed()).digest('hex');
  const ref = { name: ownSecretName(names, key.id), key: `key-${token.slice(0, 12)}` };
  return {
    // The cast is safe, because the reference has the type of its field.
    fields: { ...rest, [secret.ref]: ref } as T,
    kept: { ...key, key: ref.key, text },
  };
}

/**
 * Stores a given secret and runs `write`, which declares the reference to it. If `write` rejects the request, the
 * secret is deleted. After any other error the declaration may exist, and the operator needs the secret.
 */
export async function keepingGiven<T>(
  { pool, sealer }: { pool: Pool; sealer: Pick<Sealer, 'seal'> },
  kept: Kept | undefined,
  write: () => Promise<T>,
): Promise<T> {
  if (kept === undefined) return write();
  await insertGiven(pool, kept, sealer.seal(kept.text, givenPlace(kept)));
  try {
    return await write();
  } catch (error) {
    if (error instanceof ApiError) await deleteGiven(pool, kept);
    throw error;
  }
}

/**
 * Requires a secret that was given by REST to be given again if its receiver changes. Otherwise everybody who may
 * change the address could read a secret that is never shown.
 * @throws ApiError invalid_body
 */
export function requireGivenAgain(
  { secret, names, id }: { secret?: SecretField; names: Names; id: string },
  { before, after }: { before: object; after: object },
): void {
  if (secret === undefined) return;
  const [ref, kept] = [before, after].map((fields): unknown => Reflect.get(fields, secret.ref));
  if (!isOwn(ref, ownSecretName(names, id)) || !isDeepStrictEqual(ref, kept)) return;
  const [from, to] = [before, after].map((fields) => originOf(Reflect.get(fields, secret.sentTo)));
  if (from !== to) throw givenElsewhere(secret);
}

/** Returns the error for a secret that would go to another address than the one that it was given for. */
export function givenElsewhere({ field, sentTo }: SecretField): ApiError {
  const detail = `must be sent again, because \`${sentTo}\` has another origin and would receive the stored key`;
  return refusal({ pointer: `/${field}`, code: 'required', detail });
}

function isOwn(ref: unknown, name: string): boolean {
  return typeof ref === 'object' && ref !== null && 'name' in ref && ref.name === name;
}

/** Returns the origin of a URL. Returns any other value unchanged; the schema has rejected it or the store will. */
export function originOf(url: unknown): unknown {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : url;
}

function refusal(error: FieldError): ApiError {
  return new ApiError('invalid_body', `${error.pointer.slice(1)}: ${error.detail}`, {
    errors: [error],
  });
}
