import { isTimeZone, noTimeZone } from '../../agents/agent-hours.ts';
import { missingAgent, missingAgents } from '../../agents/references/missing-agents.ts';
import { ownFaultIn } from '../../carriers/carriers.ts';
import type { FieldError } from '../../errors.ts';
import { fault, type KindApiDeps } from '../../kinds/write-kind.ts';
import type { RowKey } from '../../platform/declare/declared-kind.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import {
  toCamelKey,
  toSnakeKey,
  type SnakeCased,
} from '../../platform/resources/schema/key-map.ts';
import { numberTaken } from './bound-numbers.ts';
import { findTaken } from './telephony-numbers.sql.ts';
import type { TelephonyProviderSpec } from './telephony-provider.ts';
import { unknownCountries } from './unknown-countries.ts';

type Fields = SnakeCased<TelephonyProviderSpec>;

/**
 * Returns the faults in the body of a create request or in a merge patch. Without this check, a fault would only appear
 * later, in a condition of the resource.
 */
export async function providerFaults(
  deps: KindApiDeps,
  key: RowKey,
  fields: { [Field in keyof Fields]?: Fields[Field] | null },
): Promise<FieldError[]> {
  const { api_url, numbers, outbound } = fields;
  return [
    ...addressFaults(deps.guard, api_url),
    ...ownFaults(fields),
    ...(await countryFaults(outbound?.countries)),
    ...(await numberFaults(deps, key, numbers ?? [])),
  ];
}

function addressFaults(guard: AddressGuard, url: string | null | undefined): FieldError[] {
  if (typeof url !== 'string') return [];
  const checked = checkUrl(url, guard);
  return 'problem' in checked ? [fault('/api_url', 'invalid_url', checked.problem)] : [];
}

/** Checks the carrier-specific fields. */
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
  { pool, store }: Pick<KindApiDeps, 'pool' | 'store'>,
  { namespace, id }: RowKey,
  numbers: NonNullable<Fields['numbers']>,
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
