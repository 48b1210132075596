import { userInfo } from 'node:os';
import { findApiKey } from '../access/api-keys.sql.ts';
import { isSessionName, makeSignInToken } from '../access/sign-in.ts';
import type { Pool } from '../platform/postgres/pool.ts';

/**
 * A link to the dashboard that signs in once, as the user of this machine (contract/running.md#start). In the
 * fragment, which no browser sends: neither a log nor a proxy sees the token.
 */
export async function signInLink(pool: Pool, apiKey: string, baseUrl: string): Promise<string> {
  const key = await findApiKey(pool, apiKey);
  if (!key) throw new Error('the key of start ended as it was made');
  const { id: keyId, namespace } = key;
  const token = await makeSignInToken({ pool }, { namespace, keyId, name: nameOfUser() });
  return `${baseUrl}/#sign-in=${token}`;
}

/** In a container there may be a user without a name. */
function nameOfUser(): string {
  try {
    const { username } = userInfo();
    return isSessionName(username) ? username : 'local';
  } catch {
    return 'local';
  }
}
