import { randomBytes } from 'node:crypto';
import { type Scope, SCOPES } from '../../../src/platform/http/authorize.ts';
import { createCall, startApi, type Api, type Call } from './api-setup.ts';
import { startOnce } from '../../start-once.ts';

/** A test's own namespace of the API that all test files of this worker share. */
export type Tenant = {
  namespace: string;
  /** Has all scopes in `namespace`. `call` uses it by default. */
  key: string;
  /** Creates a key of `namespace`. */
  newKey: (scopes?: readonly Scope[]) => Promise<string>;
  call: Call;
  /**
   * Its `engine` acts in `default` unless the test passes `namespace`. Its database also holds the rows of other tests.
   */
  api: Api;
};

const sharedApi = startOnce(() => startApi({ delivery: true }));

/**
 * Returns a new namespace of a running API, operator and delivery on one database. The first call in a worker starts
 * them, and the end of the worker stops them. Tenancy is the product's own isolation, so most tests need no more.
 *
 * A test starts its own API (`startApi`), and says why, if it changes settings, stops or breaks a part, or reads what
 * all namespaces share: metrics, whole tables, the clock of the database.
 */
export async function newTenant(): Promise<Tenant> {
  const api = await sharedApi();
  const namespace = `t-${randomBytes(5).toString('hex')}`;
  const newKey: Tenant['newKey'] = (scopes = SCOPES) => api.newKey(namespace, scopes);
  const key = await newKey();
  return { namespace, key, newKey, call: createCall(api.url, key), api };
}
