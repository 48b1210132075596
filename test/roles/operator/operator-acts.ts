import { isDeepStrictEqual } from 'node:util';
import { APPLY_PATCH, type KubeRequest } from '../../../src/platform/kubernetes/client.ts';
import { KubeConnectionError, KubeError } from '../../../src/platform/kubernetes/kube-error.ts';
import {
  collectionPath,
  objectPath,
  pathOf,
} from '../../../src/platform/kubernetes/resource-paths.ts';
import { ALLOW_LABEL } from '../../../src/platform/resources/annotations.ts';
import {
  NamespaceRefusedError,
  StoreUnavailableError,
} from '../../../src/platform/resources/resource-store.ts';
import { signingSecretName } from '../../../src/platform/reconcile/references.ts';
import { SIGNING_SECRET_KEY } from '../../../src/webhooks/endpoints/webhook-endpoint.ts';
import type { Kube } from '../../platform/kubernetes/kube.ts';
import { until } from '../../until.ts';
import {
  CONTENT_MANAGER,
  PIN_MANAGER,
  type AgentModel,
  type EndpointModel,
} from './operator-model.ts';

/** Changes that people make. Each is one request, which is repeated while no API server responds. */
export type Acts = {
  /** Declares the difference from `before`, which must need at most one request. */
  declareAgent: (agent: AgentModel, before: AgentModel) => Promise<void>;
  declareEndpoint: (endpoint: EndpointModel) => Promise<void>;
  /** Declares the endpoint's own Secret as another field manager. */
  declareSecret: (endpoint: EndpointModel) => Promise<void>;
  deleteSecret: (endpoint: EndpointModel) => Promise<void>;
};

const PERSIST_MS = 60_000;

export function createActs({ kube, namespace }: { kube: Kube; namespace: string }): Acts {
  const apply = async (kind: string, name: string, manifest: object, manager: string) => {
    const { apiVersion } = pathOf(kind);
    const { metadata = {}, ...rest } = manifest as { metadata?: object };
    await request({
      method: 'PATCH',
      path: objectPath(kind, { namespace, name }),
      query: { fieldManager: manager, force: 'true', fieldValidation: 'Strict' },
      contentType: APPLY_PATCH,
      body: { apiVersion, kind, metadata: { namespace, name, ...metadata }, ...rest },
    });
  };

  /** Deletes an object. A 404 means that the object is gone, or that the server does not serve the kind yet. */
  const remove = async (kind: string, name: string): Promise<void> => {
    await request({ method: 'DELETE', path: objectPath(kind, { namespace, name }) }, [404]);
    await request({ method: 'GET', path: collectionPath(kind, namespace) });
  };

  /** Repeats a request until it succeeds. A repeat after success changes nothing. */
  async function request(call: KubeRequest, done: readonly number[] = []): Promise<void> {
    const isObeyed = async (): Promise<boolean> => {
      try {
        await kube.client.request({ ...call, timeoutMs: 5_000 });
        return true;
      } catch (error) {
        if (error instanceof KubeError && done.includes(error.code)) return true;
        if (!isOutage(error)) throw error;
        return false; // Only a response shows that the server is back.
      }
    };
    await until(`${call.method} ${call.path}`, isObeyed, { timeoutMs: PERSIST_MS });
  }

  return {
    declareAgent: async (agent, before) => {
      const { name, exists, declared } = agent;
      const { configMap, pin, ...content } = declared;
      const { configMap: oldConfigMap, pin: oldPin, ...oldContent } = before.declared;
      if (configMap !== oldConfigMap) {
        if (configMap === undefined) return remove('ConfigMap', name);
        return apply('ConfigMap', name, { data: { text: configMap } }, CONTENT_MANAGER);
      }
      if (!exists) return remove('Agent', name);
      if (pin !== oldPin) {
        const spec = pin === undefined ? {} : { pinnedVersion: pin };
        return apply('Agent', name, { spec }, PIN_MANAGER);
      }
      if (exists === before.exists && isDeepStrictEqual(content, oldContent)) return;
      await apply('Agent', name, { spec: agentSpec(agent) }, CONTENT_MANAGER);
    },
    declareEndpoint: async ({ name, exists, declared }) => {
      if (!exists) return remove('WebhookEndpoint', name);
      const { suspended: suspend, ...rest } = declared;
      const spec = { ...rest, suspend, generateSecret: true };
      await apply('WebhookEndpoint', name, { spec }, CONTENT_MANAGER);
    },
    declareSecret: async ({ name, secret = '' }) => {
      const manifest = {
        metadata: { labels: { [ALLOW_LABEL]: 'true' } },
        data: { [SIGNING_SECRET_KEY]: Buffer.from(secret).toString('base64') },
      };
      await apply('Secret', signingSecretName(name), manifest, CONTENT_MANAGER);
    },
    deleteSecret: ({ name }) => remove('Secret', signingSecretName(name)),
  };
}

function agentSpec({ name, declared }: AgentModel): Record<string, unknown> {
  const { displayName, inline, fromConfigMap, manual, suspended } = declared;
  return {
    displayName,
    suspend: suspended,
    publishPolicy: manual ? 'Manual' : 'Automatic',
    ...(fromConfigMap
      ? { promptFrom: { configMapKeyRef: { name, key: 'text' } } }
      : { prompt: inline }),
  };
}

/** Returns whether the server is unreachable, or is still starting and does not know its kinds yet. */
export function isOutage(error: unknown): boolean {
  if (error instanceof KubeConnectionError || error instanceof StoreUnavailableError) return true;
  if (error instanceof NamespaceRefusedError) return true; // The store throws this error for 404.
  return error instanceof KubeError && (error.code >= 500 || [404, 429].includes(error.code));
}
