import type { Carrier, CarrierOf } from './carrier.ts';
import { simulated } from './simulated.ts';

/** `carried`: what goes over the TelephonyProviders; all else follows a script. */
export function createCarriers({ carried }: { carried: Carrier }): CarrierOf {
  return ({ telephonyProviderId }) => (telephonyProviderId === null ? simulated : carried);
}
