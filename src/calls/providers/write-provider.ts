import { isTimeZone, noTimeZone } from '../../agents/agent-hours.ts';
import { missingAgent, missingAgents } from '../../agents/references/missing-agents.ts';
import { toldOf } from '../../audit/changes.ts';
import { deleteAudited, patchAudited } from '../../audit/change-declared.ts';
import type { AuditedBy } from '../../audit/audit-log.sql.ts';
import { writingAhead } from '../../audit/write-ahead.ts';
import { ApiError, type FieldError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import {
  createDeclared,
  requireRow,
  type DeclaredKind,
  type DeclareDeps,
  type RowKey,
  type Written,
} from '../../platform/declare/declared-kind.ts';
import { declareUnderFreeName } from '../../platform/declare/free-name.ts';
import type { Precondition } from '../../platform/declare/precondition.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import { freshPlan, type Plan } from '../../platform/idempotency/plan.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { ANNOTATIONS } from '../../platform/resources/annotations.ts';
import { providerGone, TOLD } from './audit-provider.ts';
import { numberTaken } from './project-provider.ts';
import {
  fromTelephonyProviderSpec,
  telephonyProviderPointer,
  toTelephonyProviderSpec,
  type TelephonyProviderFields,
  type TelephonyProviderWrite,
} from './rest-telephony-provider.ts';
import { findTaken } from './telephony-numbers.sql.ts';
import { ownFaultIn } from '../../carriers/carriers.ts';
import { toCamelKey, toSnakeKey } from '../../platform/resources/schema/key-map.ts';
import { RESERVED_NAME, SIMULATED, type TelephonyProviderSpec } from './telephony-provider.ts';
import { readProvider, type TelephonyProviderRow } from './telephony-providers.sql.ts';
import { unknownCountries } from './unknown-countries.ts';

export type ProviderWriterDeps = DeclareDeps & { guard: AddressGuard; nowMs: () => number };

type WrittenProvider = Written<TelephonyProviderSpec, TelephonyProviderRow>;

const DECLARED_PROVIDER: DeclaredKind<
  TelephonyProviderSpec,
  TelephonyProviderFields,
  TelephonyProviderRow
> = {
  kind: 'TelephonyProvider',
  idPrefix: 'tp',
  noun: 'telephony provider',
  table: 'telephony_providers',
  field: 'accountId',
  pointer: telephonyProviderPointer,
  toSpec: toTelephonyProviderSpec,
  fromSpec: fromTelephonyProviderSpec,
  read: readProvider,
  asWritten: (written, spec, row) => ({ ...row, ...written, spec }),
};

/**
 * Declares a new provider (contract §4).
 * @throws ApiError name_taken, invalid_body
 */
export async function createProvider(
  deps: ProviderWriterDeps,
  caller: AuditedBy,
  write: TelephonyProviderWrite,
  plan: Plan = freshPlan(deps.nowMs()),
): Promise<WrittenProvider> {
  const { namespace } = caller;
  const { name, ...fields } = write;
  if (name === SIMULATED) throw invalid([fault('/name', 'reserved_name', RESERVED_NAME)]);
  await check(deps, { namespace, id: plan.id }, fields);
  const target = fromUuid('tp', plan.id);
  const object = {
    kind: 'TelephonyProvider',
    namespace,
    spec: toTelephonyProviderSpec(fields),
    annotations: { [ANNOTATIONS.id]: target },
  };
  const named = { given: name, displayName: undefined, noun: 'telephony' };
  return writingAhead(
    { pool: deps.pool, by: caller, id: plan.id, action: 'telephony_provider.created', target },
    ({ begin }) =>
      createDeclared(deps, DECLARED_PROVIDER, {
        namespace,
        plan,
        declare: async () => {
          await begin({ after: toldOf({ ...write }, TOLD) });
          return declareUnderFreeName({ store: deps.store, plan }, object, named);
        },
      }),
    ({ row }) => ({ after: { name: row.name } }),
  );
}

/** JSON merge patch of the fields the API owns; a field of another manager is answered 409. */
export async function patchProvider(
  deps: ProviderWriterDeps,
  caller: AuditedBy,
  input: { id: string; patch: Record<string, unknown>; precondition?: Precondition },
): Promise<WrittenProvider> {
  const { id, patch, precondition } = input;
  const key = { namespace: caller.namespace, id };
  const { name: given, ...changes } = patch;
  const { name } = await requireProvider(deps, key);
  if (given !== undefined && given !== name) {
    const detail = 'a name never changes: make another provider';
    throw invalid([fault('/name', 'immutable', detail)]);
  }
  await check(deps, key, changes);
  return patchAudited(deps, DECLARED_PROVIDER, {
    caller,
    action: 'telephony_provider.updated',
    id,
    patch: changes,
    precondition,
    told: TOLD,
  });
}

export async function deleteProvider(
  deps: ProviderWriterDeps,
  caller: AuditedBy,
  { id, precondition }: { id: string; precondition?: Precondition },
): Promise<void> {
  await deleteAudited(deps, DECLARED_PROVIDER, {
    caller,
    action: 'telephony_provider.deleted',
    id,
    precondition,
    gone: providerGone,
  });
}

/** @throws ApiError not_found, for another namespace's id too */
export function requireProvider(deps: { pool: Db }, key: RowKey): Promise<TelephonyProviderRow> {
  return requireRow(deps, DECLARED_PROVIDER, key);
}

/** What a create body or a merge patch, which may have null, says of what is looked at here. */
type Naming = {
  [Field in 'api_url' | 'numbers' | 'outbound']?: TelephonyProviderFields[Field] | null;
};

/**
 * Refuses what a request itself names and would only show in a condition: the operator decides again, of
 * what is declared whole.
 * @throws ApiError invalid_body
 */
async function check(deps: ProviderWriterDeps, key: RowKey, fields: object): Promise<void> {
  const { api_url, numbers, outbound } = fields as Naming; // Parsed at the edge.
  const errors = [
    ...addressFaults(deps.guard, api_url),
    ...ownFaults(fields),
    ...(await countryFaults(outbound?.countries)),
    ...(await numberFaults(deps, key, numbers ?? [])),
  ];
  if (errors.length > 0) throw invalid(errors);
}

function addressFaults(guard: AddressGuard, url: string | null | undefined): FieldError[] {
  if (typeof url !== 'string') return [];
  const checked = checkUrl(url, guard);
  return 'problem' in checked ? [fault('/api_url', 'invalid_url', checked.problem)] : [];
}

/** Checks the fields that only one carrier has. */
function ownFaults(fields: object): FieldError[] {
  const named = Object.entries(fields).map(([name, value]) => [toCamelKey(name), value]);
  const own = ownFaultIn(Object.fromEntries(named));
  return own ? [fault(`/${toSnakeKey(own.field)}`, own.code, own.message)] : [];
}

async function countryFaults(codes: readonly string[] | null | undefined): Promise<FieldError[]> {
  const unknown = await unknownCountries(codes ?? []);
  return unknown.map(({ at, detail }) =>
    fault(`/outbound/countries/${at}`, 'unknown_country', detail),
  );
}

async function numberFaults(
  { pool, store }: Pick<ProviderWriterDeps, 'pool' | 'store'>,
  { namespace, id }: RowKey,
  numbers: NonNullable<TelephonyProviderFields['numbers']>,
): Promise<FieldError[]> {
  const named = numbers.map(({ agent }) => agent);
  const missing = await missingAgents(store, namespace, named);
  const faults = numbers.flatMap(({ agent }, at) =>
    missing.has(agent) ? [fault(`/numbers/${at}/agent`, 'unknown_agent', missingAgent(agent))] : [],
  );
  const zones = numbers.flatMap(({ hours }, at) =>
    hours && !isTimeZone(hours.time_zone)
      ? [fault(`/numbers/${at}/hours/time_zone`, 'unknown_time_zone', noTimeZone(hours.time_zone))]
      : [],
  );
  faults.push(...zones);
  const all = numbers.map(({ number }) => number);
  const taken = await findTaken(pool, { namespace, id }, all);
  if (!taken) return faults;
  const pointer = `/numbers/${all.indexOf(taken.number)}/number`;
  return [...faults, fault(pointer, 'number_taken', numberTaken(taken))];
}

function fault(pointer: string, code: string, detail: string): FieldError {
  return { pointer, code, detail };
}

function invalid(errors: readonly FieldError[]): ApiError {
  const [first] = errors;
  const place = first?.pointer.slice(1).replaceAll('/', '.');
  return new ApiError('invalid_body', `${place}: ${first?.detail}`, { errors });
}
