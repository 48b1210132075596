import { randomBytes } from 'node:crypto';
import { type Scope, SCOPES } from '../../../src/platform/http/authorize.ts';
import { createCall, startApi, type Api, type Call } from './api-setup.ts';
import { startOnce } from '../../start-once.ts';

/** Namespace of a test in the API that all test files of this worker share. */
export type Tenant = {
  namespace: string;
  /** API key with all scopes in `namespace`. `call` uses it by default. */
  key: string;
  /** Creates a key for `namespace`. */
  newKey: (scopes?: readonly Scope[]) => Promise<string>;
  call: Call;
  /**
   * The shared API. Its `engine` uses `default` unless the test passes `namespace`. Its database also contains the rows
   * of other tests.
   */
  api: Api;
};

const sharedApi = startOnce(() => startApi({ delivery: true }));

/**
 * Returns a new namespace in a running API, operator and delivery with one database. The first call in a worker starts
 * them, and they stop when the worker ends. The product itself isolates namespaces, so most tests need no more.
 *
 * A test must start its own API (`startApi`), and explain why, if it changes settings, or stops or breaks a part, or
 * reads state that all namespaces share: metrics, whole tables, or the clock of the database.
 */
export async function newTenant(): Promise<Tenant> {
  const api = await sharedApi();
  const namespace = `t-${randomBytes(5).toString('hex')}`;
  const newKey: Tenant['newKey'] = (scopes = SCOPES) => api.newKey(namespace, scopes);
  const key = await newKey();
  return { namespace, key, newKey, call: createCall(api.url, key), api };
}
