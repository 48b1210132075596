import type { Db } from '../platform/postgres/pool.ts';

/** This module stores the hashed tokens of sign-in links, each of which works once (contract/running.md#start). */

/**
 * Time for which a sign-in link works. The person who starts the program is expected to open the link on the same day.
 */
const GOOD_FOR = `interval '1 day'`;

export async function insertSignInToken(
  db: Db,
  token: { hash: Buffer; namespace: string; keyId: string; name: string },
): Promise<void> {
  await db.query(
    `insert into sign_in_tokens (hash, namespace, api_key_id, name, expires_at)
     values ($1, $2, $3, $4, clock_timestamp() + ${GOOD_FOR})`,
    [token.hash, token.namespace, token.keyId, token.name],
  );
}

/** Redeems a sign-in token. Returns undefined if the token is unknown, expired or already used. */
export async function useSignInToken(
  db: Db,
  hash: Buffer,
): Promise<{ keyId: string; name: string } | undefined> {
  const { rows } = await db.query<{ keyId: string; name: string }>(
    `update sign_in_tokens set used_at = clock_timestamp()
      where hash = $1 and used_at is null and expires_at > clock_timestamp()
     returning api_key_id as "keyId", name`,
    [hash],
  );
  return rows[0];
}

/** Deletes expired sign-in tokens. */
export async function deleteOldSignInTokens(db: Db): Promise<void> {
  await db.query('delete from sign_in_tokens where expires_at < clock_timestamp()');
}
