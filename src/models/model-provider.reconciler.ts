import type { AddressGuard } from '../platform/egress/address-guard.ts';
import { checkUrl } from '../platform/egress/url-rules.ts';
import {
  accepted,
  notReady,
  ready,
  reconciling,
  refused,
  resolvedRefs,
  type Finding,
  type Problem,
} from '../platform/reconcile/conditions.ts';
import type { Outcome, ReconciledKind } from '../platform/reconcile/reconciler.ts';
import type { Resource } from '../platform/resources/resource-store.ts';
import { reconciled, type Project } from '../kinds/kind.reconciler.ts';
import {
  dropUnusedSecret,
  removeSecretOf,
  resolveOwnKey,
  type OwnSecretDeps,
} from '../kinds/own-secret.ts';
import type { ProjectDeps } from '../kinds/project-kind.ts';
import { endpointOf } from './model-endpoint.ts';
import { MODEL_PROVIDER_KIND } from './model-provider.kind.ts';
import {
  DEFAULT_PROVIDER,
  KEY_MAX,
  RESERVED_NAME,
  type ModelProviderSpec,
  type ModelProviderStatus,
} from './model-provider.ts';
import type { Answering } from './probe-provider.ts';
import type { Prober } from './prober.ts';

type ProviderResource = Resource<ModelProviderSpec, ModelProviderStatus>;
/** A problem and the type of the condition that reports it. */
type Blocked = { type: 'Accepted' | 'ResolvedRefs'; why: Problem };

export type ModelProviderReconcilerDeps = ProjectDeps &
  OwnSecretDeps & { guard: AddressGuard; prober: Prober };

/** Returns the reconciler of ModelProviders. It activates their URL and key, and probes whether they answer. */
export function modelProviderReconciler(
  deps: ModelProviderReconcilerDeps,
): ReconciledKind<ModelProviderSpec, ModelProviderStatus> {
  return reconciled(MODEL_PROVIDER_KIND, deps, {
    action: 'Ask',
    uses: { Secret: ({ spec }, name) => spec.apiKeySecretRef?.name === name },
    act: (provider, project, id) => act(deps, provider, { project, id }),
    forget: deps.prober.forget,
    removing: (key) => removeSecretOf(deps, MODEL_PROVIDER_KIND, key),
  });
}

const PROBING: Answering = {
  ready: false,
  reason: 'Pending',
  message: 'the provider is being probed',
};

async function act(
  deps: ModelProviderReconcilerDeps,
  resource: ProviderResource,
  { project, id }: { project: Project; id: string },
): Promise<Outcome<ModelProviderStatus>> {
  const resolved = await resolve(deps, resource, id);
  if ('type' in resolved) {
    const { type, why } = resolved;
    await project({ found: { ready: false, ...why }, secret: null });
    return { findings: refused(type, why), status: {} };
  }
  const { key } = resolved;
  const { metadata, spec } = resource;
  await dropUnusedSecret(deps, MODEL_PROVIDER_KIND, {
    object: resource,
    id,
    refOf: ({ apiKeySecretRef }) => apiKeySecretRef,
  });
  const endpoint = endpointOf(metadata.name, spec, key);
  const { found = PROBING, againInMs } = await deps.prober.ask(metadata, endpoint);
  await project({ found, secret: { text: key } });
  return { findings: findingsOf(found), status: {}, requeueAfterMs: againInMs };
}

/**
 * Returns the conditions of a provider. A provider that does not answer is `Reconciling`, because it will be probed
 * again.
 */
function findingsOf({ ready: isReady, reason, message }: Answering): Finding[] {
  const why = { reason, message };
  const readiness = isReady ? [ready(why)] : [notReady(why), reconciling(why)];
  return [...readiness, accepted, resolvedRefs()];
}

/** Returns the key, `undefined` for a provider without a key, or the reason why the provider cannot be used. */
async function resolve(
  deps: ModelProviderReconcilerDeps,
  resource: ProviderResource,
  id: string,
): Promise<{ key: string | undefined } | Blocked> {
  const { guard } = deps;
  const {
    spec,
    metadata: { name },
  } = resource;
  if (name === DEFAULT_PROVIDER) {
    return { type: 'Accepted', why: { reason: 'ReservedName', message: RESERVED_NAME } };
  }
  const address = checkUrl(spec.baseUrl, guard);
  if ('problem' in address) {
    const message = `spec.baseUrl: ${address.problem}`;
    return { type: 'Accepted', why: { reason: 'InvalidUrl', message } };
  }
  const ref = spec.apiKeySecretRef;
  if (ref === undefined) return { key: undefined };
  const of = { object: resource as Resource, id, ref: { ...ref, max: KEY_MAX } };
  const found = await resolveOwnKey(deps, MODEL_PROVIDER_KIND, of);
  return 'value' in found ? { key: found.value } : { type: 'ResolvedRefs', why: found };
}
