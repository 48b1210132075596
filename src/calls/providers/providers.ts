import type { CallRow } from '../calls.sql.ts';
import type { TelephonyProvider } from './provider.ts';
import { simulated } from './simulated.ts';

/** Whoever may carry a call, by the name that a call's `provider` has. */
export const PROVIDERS: Readonly<Record<string, TelephonyProvider>> = {
  [simulated.name]: simulated,
};

/** The line is closed when we could; a carrier closes it by itself when we are gone. */
export async function hangUpLine(call: CallRow): Promise<void> {
  await PROVIDERS[call.provider]?.hangUp(call);
}
