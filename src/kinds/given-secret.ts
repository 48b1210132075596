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
 * REST fields for a "given" secret: a request contains the secret in clear text, and no response shows it
 * (contract/model-providers.md#keys). The API may not write Secrets. It therefore stores the given secret encrypted in
 * the database, and declares a reference to the object's own Secret, into which the operator copies it. Each given
 * secret gets a new key in that Secret, so a new value always changes the declaration, which wakes the operator. The
 * declaration contains both this reference and the address that receives the secret. The reference and the address
 * therefore always change together.
 */
export type SecretField = {
  /** REST field with the list whose items contain the fields below. If absent, the body itself contains them. */
  list?: string;
  /** Write-only REST field, such as `api_key`. */
  field: string;
  /** REST field with the reference to the Secret. */
  ref: string;
  /** REST fields that determine the receiver of the secret, such as `url`. Errors name the first of these fields. */
  sentTo: readonly [string, ...string[]];
  schema: z.ZodType<string>;
  /** Whether every object needs the secret. */
  isRequired?: true;
};

/**
 * Fields of a request, with references in place of the given secrets. `kept` contains the secrets themselves, which are
 * not part of the declaration.
 */
export type Given<Fields> = { fields: Fields; kept: readonly Kept[] };
type Kept = GivenKey & { text: string };

type Names = Pick<KindNames, 'idPrefix'>;
type Fields = Readonly<Record<string, unknown>>;
type Secrets = { secrets: readonly SecretField[]; names: Names };

/**
 * Returns the name of the Secret that Parley keeps for an object. IDs are never reused, so the name is not reused
 * either.
 */
export function ownSecretName({ idPrefix }: Names, id: string): string {
  return `${fromUuid(idPrefix, id).replace('_', '-')}-key`;
}

/**
 * Replaces the given secrets in a request with references to them. By default, the references are random. If a retry
 * uses the same `seed` as the first attempt, it gets the same references.
 * @throws ApiError invalid_body
 */
export function takeGiven<T extends object>(
  { secrets, names, key }: Secrets & { key: RowKey },
  body: T,
  seed: () => Buffer = () => randomBytes(16),
): Given<T> {
  const kept: Kept[] = [];
  let seeded: Buffer | undefined;
  const name = ownSecretName(names, key.id);
  const take = (secret: SecretField, holder: Fields, pointer: string): Fields => {
    const { [secret.field]: given, ...rest } = holder;
    if (given === undefined) return holder;
    if (given === null) return { ...rest, [secret.ref]: null };
    if (rest[secret.ref] !== undefined && rest[secret.ref] !== null) {
      const detail = `must not be set together with \`${secret.ref}\`: send the secret, or name the Secret that has it`;
      throw refusal({ pointer, code: 'invalid_value', detail });
    }
    const text = secret.schema.parse(given); // The route has parsed the body with this schema.
    const hash = createHash('sha256')
      .update('given secret')
      .update((seeded ??= seed()));
    const ref = { name, key: `key-${hash.update(pointer).digest('hex').slice(0, 12)}` };
    kept.push({ ...key, key: ref.key, text });
    return { ...rest, [secret.ref]: ref };
  };
  let fields = body as Fields;
  for (const secret of secrets) fields = mapHolders(fields, secret, take);
  // The cast is safe, because each reference has the type of its field.
  return { fields: fields as T, kept };
}

/** Returns the fields. Each object that may contain the secret is replaced with the result of `map` for that object. */
function mapHolders(
  fields: Fields,
  secret: SecretField,
  map: (secret: SecretField, holder: Fields, pointer: string) => Fields,
): Fields {
  const { list, field } = secret;
  if (list === undefined) return map(secret, fields, `/${field}`);
  const items: unknown = fields[list];
  if (!Array.isArray(items)) return fields;
  const mapped = items.map((item: Fields, at) => map(secret, item, `/${list}/${at}/${field}`));
  return { ...fields, [list]: mapped };
}

/**
 * Stores given secrets and runs `write`, which declares the references to them. If `write` rejects the request, the
 * secrets are deleted. After any other error the secrets stay, because the declaration may have been written, and the
 * operator would need them for it.
 */
export async function keepingGiven<T>(
  { pool, sealer }: { pool: Pool; sealer: Pick<Sealer, 'seal'> },
  kept: readonly Kept[],
  write: () => Promise<T>,
): Promise<T> {
  for (const one of kept) await insertGiven(pool, one, sealer.seal(one.text, givenPlace(one)));
  try {
    return await write();
  } catch (error) {
    if (error instanceof ApiError) for (const one of kept) await deleteGiven(pool, one);
    throw error;
  }
}

/**
 * Requires a given secret to be sent again if its receiver changes. Without this rule, a caller could change the
 * address to their own server, and would receive a secret that the API never shows.
 * @throws ApiError invalid_body
 */
export function requireGivenAgain(
  { secrets, names, id, kept }: Secrets & Pick<Given<unknown>, 'kept'> & { id: string },
  { before, after }: { before: object; after: object },
): void {
  const moved = findMoved({ secrets, names, id, kept }, { before, after });
  if (moved) throw givenElsewhere(moved.secret, moved.pointer);
}

/**
 * Returns the first stored secret that has a different receiver in `after` than in `before`, or undefined if there is
 * none. Secrets that the request sends again (`kept`) do not count.
 */
export function findMoved(
  { secrets, names, id, kept }: Secrets & Pick<Given<unknown>, 'kept'> & { id: string },
  { before, after }: { before: object; after: object },
): { secret: SecretField; pointer: string } | undefined {
  const own = ownSecretName(names, id);
  const given = new Set(kept.map(({ key }) => key));
  for (const secret of secrets) {
    const known = ownUses(before, secret, own);
    for (const { pointer, key, to } of ownUses(after, secret, own)) {
      const isKnown = known.some((use) => use.key === key && isDeepStrictEqual(use.to, to));
      if (!isKnown && !given.has(key)) return { secret, pointer };
    }
  }
  return undefined;
}

/**
 * One reference to the object's own Secret: `pointer` is the JSON Pointer of the field with the reference, `key` the
 * key in the Secret, and `to` the receiver of the value.
 */
type Use = { pointer: string; key: string; to: readonly unknown[] };

function ownUses(fields: object, secret: SecretField, own: string): Use[] {
  const uses: Use[] = [];
  mapHolders(fields as Fields, secret, (_, holder, pointer) => {
    const ref = holder[secret.ref];
    if (isRefTo(ref, own)) {
      uses.push({ pointer, key: ref.key, to: secret.sentTo.map((name) => originOf(holder[name])) });
    }
    return holder;
  });
  return uses;
}

function isRefTo(ref: unknown, name: string): ref is { name: string; key: string } {
  return typeof ref === 'object' && ref !== null && 'name' in ref && ref.name === name;
}

/** Returns the error for a stored secret whose receiver has changed since the secret was given. */
export function givenElsewhere({ field, sentTo }: SecretField, pointer = `/${field}`): ApiError {
  return refusal({ pointer, code: 'required', detail: mustBeSentAgain(sentTo[0]) });
}

export function mustBeSentAgain(sentTo: string): string {
  return `must be sent again, because \`${sentTo}\` has a new origin, which would receive the stored secret`;
}

/**
 * Returns the origin of a URL. Returns any other value unchanged, because the schema or the store rejects that value
 * later.
 */
export function originOf(url: unknown): unknown {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : url;
}

function refusal(error: FieldError): ApiError {
  return new ApiError(
    'invalid_body',
    `${error.pointer.slice(1).replaceAll('/', '.')}: ${error.detail}`,
    {
      errors: [error],
    },
  );
}
