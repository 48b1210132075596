import { isTimeZone, noTimeZone } from '../../agents/agent-hours.ts';
import { VERSION_RECALLED } from '../../agents/recalls/recalled-version.ts';
import { readRecalledByName } from '../../agents/recalls/recalls.sql.ts';
import { missingAgent, missingAgents } from '../../agents/references/missing-agents.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import {
  accepted,
  ready,
  refused,
  resolvedRefs,
  type Finding,
  type Problem,
} from '../../platform/reconcile/conditions.ts';
import type { Outcome, ReconciledKind } from '../../platform/reconcile/reconciler.ts';
import type { ObjectKey, Resource } from '../../platform/resources/resource-store.ts';
import { reconciled, type Project } from '../../kinds/kind.reconciler.ts';
import {
  dropUnusedSecret,
  removeSecretOf,
  resolveOwnKey,
  type OwnSecretDeps,
} from '../../kinds/own-secret.ts';
import type { Found, ProjectDeps } from '../../kinds/project-kind.ts';
import { boundNumbers } from './bound-numbers.ts';
import { TELEPHONY_PROVIDER_KIND } from './telephony-provider.kind.ts';
import { listWaiting, readNumbers } from './telephony-numbers.sql.ts';
import {
  AUTH_TOKEN_MAX,
  RESERVED_NAME,
  SIMULATED,
  type DeclaredNumber,
  type TelephonyProviderSpec,
  type TelephonyProviderStatus,
} from './telephony-provider.ts';
import { ownFaultIn } from '../../carriers/carriers.ts';
import { unknownCountries } from './unknown-countries.ts';

type ProviderResource = Resource<TelephonyProviderSpec, TelephonyProviderStatus>;
/** Problem that prevents activation, and the type of the condition that reports it. */
type Blocked = { type: 'Accepted' | 'ResolvedRefs'; why: Problem };

export type TelephonyProviderReconcilerDeps = ProjectDeps & OwnSecretDeps & { guard: AddressGuard };

/**
 * Creates the reconciler for TelephonyProviders. It activates their URL and token, and binds their numbers to agents.
 */
export function telephonyProviderReconciler(
  deps: TelephonyProviderReconcilerDeps,
): ReconciledKind<TelephonyProviderSpec, TelephonyProviderStatus> {
  return reconciled(TELEPHONY_PROVIDER_KIND, deps, {
    action: 'Bind',
    uses: {
      Secret: ({ spec }, name) => spec.authTokenSecretRef.name === name,
      Agent: ({ spec }, name) => (spec.numbers ?? []).some(({ agent }) => agent === name),
    },
    listChanged: () => listFreed(deps),
    act: (provider, project, id) => act(deps, provider, { project, id }),
    removing: (key) => removeSecretOf(deps, TELEPHONY_PROVIDER_KIND, key),
  });
}

/**
 * Returns the providers that were waiting for a number that is now free. They must be reconciled even though their own
 * declaration has not changed.
 */
async function listFreed({
  pool,
  store,
}: Pick<TelephonyProviderReconcilerDeps, 'pool' | 'store'>): Promise<ObjectKey[]> {
  const freed: ObjectKey[] = [];
  for (const key of await listWaiting(pool)) {
    // Objects in namespaces that another process watches are not in this store, so they are skipped.
    if (await store.get('TelephonyProvider', key)) freed.push(key);
  }
  return freed;
}

async function act(
  deps: TelephonyProviderReconcilerDeps,
  resource: ProviderResource,
  { project, id }: { project: Project; id: string },
): Promise<Outcome<TelephonyProviderStatus>> {
  const stays = async ({ type, why }: Blocked): Promise<Outcome<TelephonyProviderStatus>> => {
    // Numbers that are already active stay active.
    const status = { numbers: (await readNumbers(deps.pool, id)).length };
    return { findings: findingsOf({ type, why }), status };
  };
  const resolved = await resolve(deps, resource, id);
  if ('type' in resolved) {
    await project({ found: { ready: false, ...resolved.why }, secret: null });
    return stays(resolved);
  }
  await dropUnusedSecret(deps, TELEPHONY_PROVIDER_KIND, {
    object: resource,
    id,
    refOf: ({ authTokenSecretRef }) => authTokenSecretRef,
  });
  const { found, inForce } = await bind(deps, resource);
  const { namespace } = resource.metadata;
  const beside = boundNumbers({ id, namespace }, resource.spec.numbers);
  const taken = await project({ found, secret: { text: resolved.authToken }, beside });
  if (taken) return stays({ type: 'Accepted', why: taken });
  const { ready: isReady, ...why } = found;
  const findings = isReady
    ? [ready(why), accepted, resolvedRefs()]
    : findingsOf({ type: 'ResolvedRefs', why });
  return { findings, status: { numbers: inForce } };
}

/** Returns the token, or the problem that prevents activation. */
async function resolve(
  deps: TelephonyProviderReconcilerDeps,
  resource: ProviderResource,
  id: string,
): Promise<{ authToken: string } | Blocked> {
  const { guard } = deps;
  const { spec, metadata } = resource;
  if (metadata.name === SIMULATED) {
    return { type: 'Accepted', why: { reason: 'ReservedName', message: RESERVED_NAME } };
  }
  const address = spec.apiUrl === undefined ? undefined : checkUrl(spec.apiUrl, guard);
  if (address && 'problem' in address) {
    const message = `spec.apiUrl: ${address.problem}`;
    return { type: 'Accepted', why: { reason: 'InvalidUrl', message } };
  }
  const own = ownFaultIn(spec);
  if (own) {
    const message = `spec.${own.field}: ${own.message}`;
    return { type: 'Accepted', why: { reason: own.reason, message } };
  }
  const [unknown] = await unknownCountries(spec.outbound?.countries ?? []);
  if (unknown) {
    const message = `spec.outbound.countries: ${unknown.detail}`;
    return { type: 'Accepted', why: { reason: 'InvalidCountry', message } };
  }
  const wrong = spec.numbers?.find(({ hours }) => hours && !isTimeZone(hours.timeZone));
  if (wrong) {
    const zone = noTimeZone(wrong.hours?.timeZone ?? '');
    const message = `spec.numbers: hours of ${wrong.number}: ${zone}`;
    return { type: 'Accepted', why: { reason: 'InvalidTimeZone', message } };
  }
  const ref = { ...spec.authTokenSecretRef, max: AUTH_TOKEN_MAX };
  const of = { object: resource as Resource, id, ref };
  const found = await resolveOwnKey(deps, TELEPHONY_PROVIDER_KIND, of);
  return 'value' in found ? { authToken: found.value } : { type: 'ResolvedRefs', why: found };
}

/** Returns the first number that is bound to a recalled version of its agent. */
async function recalledNumber(
  pool: Pool,
  namespace: string,
  numbers: readonly DeclaredNumber[],
): Promise<DeclaredNumber | undefined> {
  const fixed = numbers.filter(({ version }) => version !== undefined);
  const names = fixed.map(({ agent }) => agent);
  const recalled = await readRecalledByName(pool, { namespace, names });
  return fixed.find(({ agent, version }) =>
    recalled.some((one) => one.agent === agent && one.version === version),
  );
}

/**
 * Returns the state of the numbers. A number whose agent is missing waits until the agent exists. The other numbers are
 * active in the meantime.
 */
async function bind(
  { pool, store }: Pick<TelephonyProviderReconcilerDeps, 'pool' | 'store'>,
  { spec: { numbers = [] }, metadata: { namespace } }: ProviderResource,
): Promise<{ found: Found; inForce: number }> {
  const named = numbers.map(({ agent }) => agent);
  const missing = await missingAgents(store, namespace, named);
  const waiting = numbers.filter(({ agent }) => missing.has(agent));
  const inForce = numbers.length - waiting.length;
  const [first] = waiting;
  const recalled = first ? undefined : await recalledNumber(pool, namespace, numbers);
  if (recalled) {
    const { number, agent, version } = recalled;
    const message =
      `number ${number}: version ${version} of agent "${agent}" was recalled, so the live version answers; ` +
      'set another version, or omit it to use the live version';
    return { found: { ready: false, reason: VERSION_RECALLED, message }, inForce };
  }
  if (!first) {
    const message = inForce === 1 ? '1 number is active' : `${inForce} numbers are active`;
    return { found: { ready: true, reason: 'InForce', message }, inForce };
  }
  const others =
    waiting.length > 1 ? ` (${waiting.length - 1} more numbers wait for their agents)` : '';
  const message = `number ${first.number}: ${missingAgent(first.agent)}${others}`;
  return { found: { ready: false, reason: 'AgentNotFound', message }, inForce };
}

/**
 * Returns the findings for a problem. If a reference cannot be resolved, the declaration itself still counts as
 * accepted.
 */
function findingsOf({ type, why }: Blocked): Finding[] {
  return type === 'Accepted' ? refused(type, why) : [...refused(type, why), accepted];
}
