import { randomBytes } from 'node:crypto';
import { createCall, type Api, type Call } from '../roles/api/api-setup.ts';

/** A new namespace of an API that the tests of a file share, and requests with a key of it. */
export async function newNamespace(api: Api): Promise<{ namespace: string; call: Call }> {
  const namespace = `t-${randomBytes(5).toString('hex')}`;
  return { namespace, call: createCall(api.url, await api.newKey(namespace)) };
}
