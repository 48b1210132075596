import { createAccounts, type Accounts } from '../../../src/calls/providers/find-account.ts';
import { CHANNELS, createListener } from '../../../src/platform/postgres/notifications.ts';
import type { Condition, Resource } from '../../../src/platform/resources/resource-store.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';
import type { StoreName } from '../../roles/engine.ts';

/** Accounts at a carrier, declared in one of the stores, and the lookups of calls. */
export type Telephony = {
  api: Api;
  /** Uses a clock that stands still, so only notifications lead to changes. */
  accounts: Accounts;
  create: (json: object, key?: string) => Promise<Reply>;
  /** Declares a resource in namespace `default`, as kubectl does. */
  declare: (kind: string, name: string, spec: Record<string, unknown>) => Promise<unknown>;
  remove: (kind: string, name: string) => Promise<unknown>;
  /** Creates a Secret with the key `token`. */
  secret: (name: string, token: string, labels?: Record<string, string>) => Promise<unknown>;
  conditionOf: (name: string, type: string, reason: string) => Promise<Condition>;
  statusOf: (name: string) => Promise<Resource['status']>;
  stop: () => Promise<void>;
};

const ALLOWED = { 'parley.dev/allow': 'true' };

export async function startTelephony(storeName: StoreName): Promise<Telephony> {
  const api = await startApi({ storeName });
  const { pool, sealer, log, databaseUrl, store, cluster } = api.engine;
  const accounts = createAccounts({ pool, sealer, nowMs: () => 0 });
  const channels = { [CHANNELS.projected]: accounts.look };
  const listener = createListener({ databaseUrl, channels, log });
  await listener.start();
  const by = { fieldManager: 'kubectl' };
  const keyOf = (name: string) => ({ namespace: 'default', name });
  return {
    api,
    accounts,
    create: (json, key = api.key) => api.call('POST', '/v1/telephony_providers', { key, json }),
    declare: (kind, name, spec) => store.apply({ kind, ...keyOf(name), spec }, by),
    remove: (kind, name) => store.delete(kind, keyOf(name)),
    secret: (name, token, labels = ALLOWED) =>
      cluster
        ? cluster.kubectlApply({
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name, labels },
            stringData: { token },
          })
        : store.apply({ kind: 'Secret', ...keyOf(name), spec: { data: { token } }, labels }, by),
    conditionOf: (name, type, reason) =>
      api.engine.eventually(async () => {
        const object = await store.get('TelephonyProvider', keyOf(name));
        const conditions = (object?.status['conditions'] ?? []) as Condition[];
        return conditions.find((one) => one.type === type && one.reason === reason);
      }),
    statusOf: async (name) => (await store.get('TelephonyProvider', keyOf(name)))?.status ?? {},
    stop: async () => {
      await listener.stop();
      await api.stop();
    },
  };
}
