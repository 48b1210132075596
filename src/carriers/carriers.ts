import type { EgressClient } from '../platform/egress/client.ts';
import type { Carrier, CarrierApi, OwnFault } from './carrier.ts';
import { PLIVO } from './plivo/plivo.ts';
import { TELNYX } from './telnyx/telnyx.ts';
import { TWILIO } from './twilio/twilio.ts';

/** All carriers. Add new carriers to this list. */
const ALL = [TWILIO, TELNYX, PLIVO] as const;

/** Value of `type` in a TelephonyProvider. */
export type CarrierType = (typeof ALL)[number]['type'];

export const CARRIERS: readonly Carrier<CarrierType>[] = ALL;

export const CARRIER_TYPES = CARRIERS.map(({ type }) => type);

export function carrierOf(type: string): Carrier {
  const carrier = CARRIERS.find((one) => one.type === type);
  if (!carrier) throw new Error(`unknown carrier ${type}`);
  return carrier;
}

export type CarrierApis = Readonly<Record<string, CarrierApi>>;

/** Returns the API client of each carrier, by the carrier's `type`. */
export function createCarrierApis(deps: { egress: Pick<EgressClient, 'send'> }): CarrierApis {
  return Object.fromEntries(CARRIERS.map(({ type, createApi }) => [type, createApi(deps)]));
}

/** Names of the carrier-specific fields of a TelephonyProvider. */
export const OWN_FIELDS = CARRIERS.flatMap(({ provider }) => Object.keys(provider.fields));

/** Returns the values of the carrier-specific fields (`OWN_FIELDS`). */
export function ownFieldsOf(spec: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(spec).filter(
      (entry): entry is [string, string] =>
        OWN_FIELDS.includes(entry[0]) && typeof entry[1] === 'string',
    ),
  );
}

/** Returns the first fault in the carrier-specific fields that their schemas do not detect. */
export function ownFaultIn(spec: object): OwnFault | undefined {
  const own = ownFieldsOf(spec);
  for (const { provider } of CARRIERS) {
    const fault = provider.faultIn?.(own);
    if (fault) return fault;
  }
  return undefined;
}
