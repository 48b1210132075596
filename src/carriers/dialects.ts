import type { CarrierType, Dialect } from './dialect.ts';
import { TELNYX } from './telnyx/telnyx.ts';
import { TWILIO } from './twilio/twilio.ts';

/** By the `type` of a TelephonyProvider. */
export const DIALECTS: Readonly<Record<CarrierType, Dialect>> = {
  twilio: TWILIO,
  telnyx: TELNYX,
};
