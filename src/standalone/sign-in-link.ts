import { userInfo } from 'node:os';
import { findApiKey } from '../access/api-keys.sql.ts';
import { isSessionName, makeSignInToken } from '../access/sign-in.ts';
import type { Pool } from '../platform/postgres/pool.ts';

/**
 * Returns a link to the dashboard that signs in once, as the user of this machine (contract/running.md#start). The
 * token is in the fragment, which browsers do not send, so neither a log nor a proxy sees it.
 */
export async function signInLink(pool: Pool, apiKey: string, baseUrl: string): Promise<string> {
  const key = await findApiKey(pool, apiKey);
  if (!key) throw new Error('the key of start ended as it was made');
  const { id: keyId, namespace } = key;
  const token = await makeSignInToken({ pool }, { namespace, keyId, name: nameOfUser() });
  return `${baseUrl}/#sign-in=${token}`;
}

/** Returns the user's name, or `local`; a container's user may have no name. */
function nameOfUser(): string {
  try {
    const { username } = userInfo();
    return isSessionName(username) ? username : 'local';
  } catch {
    return 'local';
  }
}
